import { Problem } from '../../errors.ts';
import { ByteSourceError } from '../io/byte-error.ts';

/** What statuses mean to the one who reads the receipt. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'it did not understand the request',
  401: 'it does not accept the key',
  402: 'the allowance of the plan is used up',
  403: 'it does not accept the key',
  404: 'there is nothing at its address',
  408: 'it timed out',
  429: 'too many requests',
};

/**
 * A failure as clients may read it: the service and what it did, in our own words. What the service wrote itself may hold
 * keys and addresses, and stays with the cause for the log.
 */
export function describeFailure(name: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('dependency_unavailable', `${name} ${sentence(error)}`, { cause: error });
}

/** Failures that say nothing about the service: the request itself was at fault. */
export function isOwnFault(error: unknown): boolean {
  return error instanceof ByteSourceError && [400, 404, 413, 414, 422].includes(error.status ?? 0);
}

function sentence(error: unknown): string {
  if (!(error instanceof ByteSourceError)) return 'failed in an unexpected way';
  const { kind, status, cause } = error;
  if (kind === 'status' && status !== null) return `answered with status ${status} (${wordsOf(status)})`;
  if (kind === 'timeout') {
    const last =
      cause instanceof ByteSourceError && cause.kind === 'status' ? `; last it answered ${cause.status}` : '';
    return `gave ${error.message.slice(error.message.indexOf(': ') + 2)}${last}`;
  }
  if (kind === 'refused') return error.message.slice(error.message.indexOf(': ') + 2);
  if (kind === 'too_large') return 'answered with more bytes than are read';
  if (kind === 'redirect') return `answered with a redirect (status ${status}), which is not followed`;
  if (kind === 'encoded') return 'answered in a compression that was not asked for';
  return 'could not be reached';
}

function wordsOf(status: number): string {
  return STATUS_WORDS[status] ?? (status >= 500 ? 'it failed' : 'it refused the request');
}
