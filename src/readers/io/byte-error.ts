import { faultsOf } from './source-fault.ts';

/** What went wrong, and with it what the caller can do. */
const BYTE_FAULTS = {
  transport: 'try again later; the network or the server failed',
  offline: 'look at the network of this machine; nothing public was reached when it was last tried',
  timeout: 'try again later, or allow more time',
  status: 'look at the status: 401 and 403 need credentials, 429 and 5xx need patience',
  short: 'try again; the answer ended early',
  changed: 'start again from the beginning; the bytes were replaced between two reads',
  no_ranges: 'use a server that answers range requests, or download the file and read it from disk',
  bad_range: 'use another server; this one answers ranges wrongly',
  encoded: 'use a server that does not compress ranges',
  too_large: 'request less at once, or raise the limit of the source',
  past_end: 'request bytes inside the size that stat gives',
  redirect: 'give the final https address',
  refused: 'read the message; the server answered, but not with what was requested',
} as const satisfies Readonly<Record<string, string>>;

export type ByteFault = keyof typeof BYTE_FAULTS;

/** A read that failed. `place` is the id of the source: an address without its query, or a path. */
export class ByteSourceError extends faultsOf('ByteSourceError', BYTE_FAULTS) {}

/** What a read of an address ends with where nothing is. */
export function nothingAt(place: string): ByteSourceError {
  return new ByteSourceError('status', place, 'there is nothing at this address', { status: 404 });
}

const GONE: ReadonlySet<number | null> = new Set([401, 403, 404, 410]);

/** Whether a server said that what was requested is not there for whoever requests it. */
export function isGone(error: unknown): boolean {
  return error instanceof ByteSourceError && error.kind === 'status' && GONE.has(error.status);
}

/** Whether nobody could look: that says nothing about what is there, and trying again soon may help. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof ByteSourceError)) return (error as Error | null)?.name === 'TimeoutError';
  if (error.kind === 'status') return !isGone(error);
  return ['transport', 'timeout', 'offline', 'short'].includes(error.kind);
}

/** Throws `RangeError` for numbers that are no range, and `past_end` for a range that leaves `size`. */
export function checkRange(place: string, offset: number, length: number, size = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0)
    throw new RangeError(`wanted an offset and a length that are whole numbers from 0, got ${offset} and ${length}`);
  if (offset + length > size)
    throw new ByteSourceError('past_end', place, `wanted bytes ${offset} to ${offset + length} of ${size}`);
}
