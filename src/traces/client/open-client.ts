import { OPERATIONS } from '../interface-v3.ts';
import { readFault } from '../faults/read-fault.ts';
import { TracesFailure } from '../faults/traces-failure.ts';
import {
  answerOf,
  readChanged,
  readEcho,
  readOverviews,
  readRetrieved,
  readSubmitted,
  readVerification,
  type StatementOverview,
  type Verification,
} from '../messages/read-answers.ts';
import { REQUESTS, type NumberPair, type TracesRequest } from '../messages/requests.ts';
import { envelope, headerElements, type CallStamp, type TracesCredentials } from '../messages/security-header.ts';
import type { DdsStatement, Filing, FilingKind, SdStatement } from '../messages/statement.ts';
import { readXml, type XmlNode } from '../xml/read-xml.ts';
import { writeXml } from '../xml/write-xml.ts';
import type { TakeTurn } from './call-rate.ts';
import type { PostSoap } from './post-soap.ts';

interface ClientParts {
  /** Base address, ending with a slash. */
  readonly base: string;
  readonly post: PostSoap;
  readonly takeTurn: TakeTurn;
  /** Time and nonce of a call; new ones for every attempt. */
  readonly stamp: () => CallStamp;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A message that is ready to be sent once. */
interface PreparedCall {
  /** When it was made: the service refuses it a minute later. */
  readonly at: Date;
  send(signal: AbortSignal): Promise<string>;
}

/**
 * The operations of the information system. Reads are repeated where the service or the network failed; nothing else is
 * ever sent twice. All throw `TracesFailure`.
 */
export interface TracesClient {
  /** The service's word for "it works"; for the acceptance environment alone. */
  echo(query: string, signal: AbortSignal): Promise<string>;
  /** The submission as one message whose turn has come, not sent yet; `send` gives the uuid. */
  prepareSubmission(filing: Filing, signal: AbortSignal): Promise<PreparedCall>;
  /** The status after it. */
  amend(filing: Filing, uuid: string, signal: AbortSignal): Promise<string>;
  withdraw(kind: FilingKind, uuid: string, signal: AbortSignal): Promise<string>;
  /** What the service knows of uuids; those it does not know are left out. At most 100. */
  byUuid(kind: FilingKind, uuids: readonly string[], signal: AbortSignal): Promise<readonly StatementOverview[]>;
  /** Those with exactly this internal reference; older releases of the service find parts of it too. */
  byInternalReference(kind: FilingKind, reference: string, signal: AbortSignal): Promise<readonly StatementOverview[]>;
  /** A statement by its numbers, also one that another refers to; null when there is none, or it may not be seen. */
  byNumbers(kind: FilingKind, numbers: NumberPair, signal: AbortSignal): Promise<DdsStatement | SdStatement | null>;
  verify(numbers: NumberPair, signal: AbortSignal): Promise<Verification>;
}

/** Milliseconds before a read is tried again, for each further try. */
const READ_DELAYS_MS: readonly number[] = [1_000, 5_000];
/** Statuses of a service or a proxy that may be met again or not. */
const PASSING_STATUSES = new Set([429, 502, 503, 504]);

/** Joins messages, transport and rate. */
export function openClient(credentials: TracesCredentials, parts: ClientParts): TracesClient {
  function prepare({ operation, body }: TracesRequest): {
    readonly at: Date;
    send(signal: AbortSignal): Promise<XmlNode>;
  } {
    const { path, action } = OPERATIONS[operation];
    const stamp = parts.stamp();
    const message = `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(envelope(headerElements(credentials, stamp), body))}`;
    return {
      at: stamp.at,
      async send(signal) {
        const answer = await parts.post({ url: new URL(path, parts.base).href, action, message }, signal);
        return readAnswer(answer, operation);
      },
    };
  }

  async function once(request: TracesRequest, signal: AbortSignal): Promise<XmlNode> {
    await parts.takeTurn(signal);
    return prepare(request).send(signal);
  }

  /** A read: again where the failure may pass, with a new nonce and time. */
  async function read(request: TracesRequest, signal: AbortSignal): Promise<XmlNode> {
    for (let tries = 0; ; tries++) {
      try {
        return await once(request, signal);
      } catch (error) {
        const delay = READ_DELAYS_MS[tries];
        if (delay === undefined || signal.aborted || !maySucceedAgain(error)) throw error;
        await parts.wait(delay, signal);
      }
    }
  }

  return {
    echo: async (query, signal) => meaning(readEcho, await read(REQUESTS.echo(query), signal)),
    async prepareSubmission(filing, signal) {
      await parts.takeTurn(signal);
      const { at, send } = prepare(REQUESTS.submit(filing));
      return { at, send: async (signal) => meaning(readSubmitted, await send(signal)) };
    },
    amend: async (filing, uuid, signal) =>
      meaning(readChanged, await once(REQUESTS.amend(filing, uuid), signal)).status,
    withdraw: async (kind, uuid, signal) =>
      meaning(readChanged, await once(REQUESTS.withdraw(kind, uuid), signal)).status,
    byUuid: (kind, uuids, signal) => found(() => read(REQUESTS.byUuid(kind, uuids), signal)),
    async byInternalReference(kind, reference, signal) {
      const entries = await found(() => read(REQUESTS.byInternalReference(kind, reference), signal));
      return entries.filter((entry) => entry.internalReferenceNumber === reference);
    },
    async byNumbers(kind, numbers, signal) {
      try {
        return meaning(readRetrieved, await read(REQUESTS.byNumbers(kind, numbers), signal));
      } catch (error) {
        if (error instanceof TracesFailure && error.code === 'statement_not_found') return null;
        throw error;
      }
    },
    verify: async (numbers, signal) => meaning(readVerification, await read(REQUESTS.verify(numbers), signal)),
  };
}

/** The fault "Data not found." is an empty answer. */
async function found(query: () => Promise<XmlNode>): Promise<readonly StatementOverview[]> {
  try {
    return meaning(readOverviews, await query());
  } catch (error) {
    if (error instanceof TracesFailure && error.code === 'statement_not_found') return [];
    throw error;
  }
}

function readAnswer(
  { status, contentType, text }: { readonly status: number; readonly contentType: string; readonly text: string },
  operation: keyof typeof OPERATIONS,
): XmlNode {
  const root = xmlOf(text);
  const fault = root === null ? null : readFault(root, status);
  if (fault !== null) throw fault;
  if (root !== null && status === 200) return meaning((whole) => answerOf(whole, operation), root);
  if (status === 401 || status === 403)
    throw new TracesFailure('unauthenticated', `The information system answered ${status}.`, {
      outcome: 'refused',
      status,
    });
  if (PASSING_STATUSES.has(status))
    throw new TracesFailure('busy', `The information system answered ${status}.`, { outcome: 'unknown', status });
  if (status >= 500)
    throw new TracesFailure('failed', `The information system answered ${status} without a SOAP fault.`, {
      outcome: 'unknown',
      status,
    });
  const got = contentType === '' ? 'no type' : contentType.slice(0, 100);
  throw new TracesFailure('answer_unreadable', `The answer ${status} of ${got} is no message of the interface.`, {
    outcome: 'unknown',
    status,
  });
}

function xmlOf(text: string): XmlNode | null {
  try {
    return readXml(text);
  } catch {
    return null;
  }
}

/** What `read` makes of an answer; one that it cannot use may stand for work that was done. */
function meaning<T>(read: (answer: XmlNode) => T, answer: XmlNode): T {
  try {
    return read(answer);
  } catch (error) {
    const message = `The answer is not the one to the request: ${(error as Error).message}.`;
    throw new TracesFailure('answer_unreadable', message, { outcome: 'unknown', status: 200, cause: error });
  }
}

/** Without a SOAP fault: the network, or a status of a proxy or of the service at its limit. */
function maySucceedAgain(error: unknown): boolean {
  if (!(error instanceof TracesFailure) || error.isFault) return false;
  return ['no_answer', 'not_connected', 'busy', 'failed'].includes(error.code);
}
