import { bodyOf } from '../messages/read-answers.ts';
import { childOf, childrenOf, textOf, type XmlNode } from '../xml/read-xml.ts';
import { filingCodeOf, type FilingCode } from './filing-codes.ts';
import { TracesFailure, type CallOutcome, type ServiceFinding } from './traces-failure.ts';

/** Element in the detail of a fault, by what it means. What is not in the list may have been met after the work was done. */
const FAULTS: Readonly<Record<string, { readonly code: FilingCode; readonly outcome: CallOutcome }>> = {
  BusinessRulesValidationException: { code: 'refused', outcome: 'refused' },
  PermissionDeniedException: { code: 'permission_denied', outcome: 'refused' },
  UnauthenticatedException: { code: 'unauthenticated', outcome: 'refused' },
  NotFoundException: { code: 'statement_not_found', outcome: 'refused' },
  EudrEchoServiceFault: { code: 'failed', outcome: 'refused' },
  InternalSystemException: { code: 'failed', outcome: 'unknown' },
};

/** Faults that have no detail, by what their text says. */
const TEXTS: readonly { readonly text: RegExp; readonly code: FilingCode; readonly outcome: CallOutcome }[] = [
  { text: /^\s*(.*\b)?cvc-/i, code: 'schema_refused', outcome: 'refused' },
  { text: /unauthenticated|UnauthenticatedException/i, code: 'unauthenticated', outcome: 'refused' },
  { text: /discontinued|no longer (available|supported)/i, code: 'version_discontinued', outcome: 'refused' },
  { text: /data not found/i, code: 'statement_not_found', outcome: 'refused' },
  { text: /InternalSystemException|internal (system )?error/i, code: 'failed', outcome: 'unknown' },
];

/** Characters of a text of the service that are kept. */
const MAX_TEXT = 1_000;
const MAX_FINDINGS = 200;

/** The fault of an answer as a failure, or null where it holds none. HTTP 200 may carry one. */
export function readFault(root: XmlNode, status: number): TracesFailure | null {
  const body = bodyOf(root);
  const fault = body === null ? null : childOf(body, 'Fault');
  if (fault === null) return null;
  const text = (textOf(fault, 'faultstring') ?? '').slice(0, MAX_TEXT);
  const detail = childOf(fault, 'detail');
  const exception = detail?.children.find(({ name }) => Object.hasOwn(FAULTS, name)) ?? detail?.children[0] ?? null;
  const findings = exception === null ? [] : findingsOf(exception);
  const { code, outcome } = meaningOf(exception?.name ?? '', text);
  const requestId = findRequestId(root);
  const said = [text, ...findings.map(({ serviceCode, message }) => `${serviceCode}: ${message}`)].filter(
    (s) => s !== '',
  );
  // A refusal of a business rule means what its first rule means.
  const first = code === 'refused' ? (findings[0]?.code ?? code) : code;
  return new TracesFailure(
    first,
    `The information system refused: ${said.join('; ').slice(0, MAX_TEXT) || 'no reason given'}`,
    {
      outcome,
      findings,
      status,
      requestId,
      isFault: true,
    },
  );
}

function meaningOf(exception: string, text: string): { readonly code: FilingCode; readonly outcome: CallOutcome } {
  if (Object.hasOwn(FAULTS, exception)) return FAULTS[exception]!;
  return TEXTS.find((known) => known.text.test(text)) ?? { code: 'failed', outcome: 'unknown' };
}

/** `Error` with ID, Message and Field; an older sample writes them in lower case. */
function findingsOf(exception: XmlNode): readonly ServiceFinding[] {
  const wrapped = childrenOf(exception, 'errors').flatMap((list) => list.children);
  const errors = [...exception.children.filter(({ name }) => name === 'Error' || name === 'error'), ...wrapped];
  return errors.slice(0, MAX_FINDINGS).map((error) => {
    const serviceCode = (textOf(error, 'ID') ?? textOf(error, 'id') ?? '').slice(0, 200);
    return {
      code: filingCodeOf(serviceCode),
      serviceCode,
      message: (textOf(error, 'Message') ?? textOf(error, 'message') ?? '').slice(0, MAX_TEXT),
      field: (textOf(error, 'Field') ?? textOf(error, 'field'))?.slice(0, MAX_TEXT) ?? null,
    };
  });
}

/** The header `WS_REQUEST_ID`, for the service's support. */
function findRequestId(root: XmlNode): string | null {
  const header = childOf(root, 'Header');
  return header === null ? null : (textOf(header, 'WS_REQUEST_ID')?.slice(0, 200) ?? null);
}
