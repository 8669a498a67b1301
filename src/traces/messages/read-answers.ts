import { NAMESPACES, OPERATIONS, type OperationName, type ServiceStatus } from '../interface-v3.ts';
import { childOf, childrenOf, textOf, type XmlNode } from '../xml/read-xml.ts';
import type { DdsStatement, SdStatement } from './statement.ts';
import { readStatement } from './read-statement.ts';

/** What the service knows of a statement or declaration. */
export interface StatementOverview {
  readonly uuid: string;
  readonly internalReferenceNumber: string | null;
  /** Both absent until the statement is AVAILABLE. */
  readonly referenceNumber: string | null;
  readonly verificationNumber: string | null;
  /** A status that this release does not know stays as it came. */
  readonly status: ServiceStatus | (string & {});
  readonly rejectionReason: string | null;
  readonly communication: string | null;
  readonly date: string | null;
  readonly version: string | null;
}

/** The children of an answer: `NameResponse` of the operation inside `Body`. @throws Error when it is another document. */
export function answerOf(root: XmlNode, operation: OperationName): XmlNode {
  const { prefix, name } = OPERATIONS[operation];
  const body = bodyOf(root);
  const answer = body?.children.find((node) => node.name === `${name}Response` && node.ns === NAMESPACES[prefix]);
  if (answer === undefined)
    throw new Error(`wanted ${name}Response, got ${body?.children[0]?.name ?? `a document ${root.name}`}`);
  return answer;
}

/** The body of a SOAP 1.1 message, or null where the document is none. */
export function bodyOf(root: XmlNode): XmlNode | null {
  if (root.name !== 'Envelope' || root.ns !== NAMESPACES.env) return null;
  return root.children.find((node) => node.name === 'Body' && node.ns === NAMESPACES.env) ?? null;
}

/** The uuid that a submission got. @throws Error without one. */
export function readSubmitted(answer: XmlNode): string {
  return wanted(answer, 'uuid', 'sdIdentifier');
}

/** The status after an amendment or a withdrawal. */
export function readChanged(answer: XmlNode): { readonly uuid: string; readonly status: string } {
  return { uuid: wanted(answer, 'uuid', 'sdIdentifier'), status: wanted(answer, 'status') };
}

/** What a query found; empty when it found nothing. */
export function readOverviews(answer: XmlNode): readonly StatementOverview[] {
  const entries = [...childrenOf(answer, 'ddsOverviewList'), ...childrenOf(answer, 'sdOverviewList')];
  return entries.map((entry) => {
    const communication = childOf(entry, 'communicationToOperator');
    return {
      uuid: wanted(entry, 'uuid'),
      internalReferenceNumber: textOf(entry, 'internalReferenceNumber'),
      referenceNumber: textOf(entry, 'referenceNumber'),
      verificationNumber: textOf(entry, 'verificationNumber'),
      status: wanted(entry, 'status'),
      rejectionReason: textOf(entry, 'rejectionReason'),
      communication: communication === null ? null : textOf(communication, 'content'),
      date: textOf(entry, 'date'),
      version: textOf(entry, 'version'),
    };
  });
}

/** The statement of an answer, whichever kind. @throws Error without one. */
export function readRetrieved(answer: XmlNode): DdsStatement | SdStatement {
  const node = childOf(answer, 'statement');
  if (node === null) throw new Error('wanted a statement, got none');
  return readStatement(node);
}

export interface Verification {
  readonly result: 'EXISTING_USABLE' | 'EXISTING_NON_USABLE' | 'NON_EXISTENT' | (string & {});
  readonly status: string | null;
  readonly dateTime: string | null;
}

export function readVerification(answer: XmlNode): Verification {
  return {
    result: wanted(answer, 'result'),
    status: textOf(answer, 'status'),
    dateTime: textOf(answer, 'dateTime'),
  };
}

export function readEcho(answer: XmlNode): string {
  return wanted(answer, 'status');
}

function wanted(node: XmlNode, ...names: readonly string[]): string {
  for (const name of names) {
    const text = textOf(node, name);
    if (text !== null) return text;
  }
  throw new Error(`wanted ${names.join(' or ')} in ${node.name}, got none`);
}
