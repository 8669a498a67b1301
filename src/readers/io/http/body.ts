import type { Dispatcher } from 'undici';

import type { ByteCounters } from '../counters.ts';
import { ByteSourceError } from '../byte-error.ts';
import type { Landing } from './landing.ts';

/** Where the bytes of a body go. */
interface BodyPlace {
  readonly counters?: ByteCounters | undefined;
  /** Most bytes of a body whose length is not known; default 0. */
  readonly limit?: number;
  /** Memory of exactly the wanted length that may be filled. */
  readonly into?: Uint8Array | undefined;
  /** From its abort on nothing is written. */
  readonly signal?: AbortSignal;
  /** What the request was sent with: bytes go to their place as they come. */
  readonly landing?: Landing;
}

/**
 * Reads a body that must be `length` bytes long; with null it may have any length up to `limit`. Fails as `short` when it
 * ends early and as `too_large` when more comes than may.
 */
export function readBody(
  place: string,
  { body, statusCode: status }: Pick<Dispatcher.ResponseData, 'body' | 'statusCode'>,
  length: number | null,
  { counters, limit = 0, into, signal, landing }: BodyPlace = {},
): Promise<Uint8Array> {
  const most = length ?? limit;
  // Straight to its place: pieces that are kept until the last one has come cost the collector twice their bytes.
  const whole = length === null ? null : into?.length === length ? into : Buffer.allocUnsafeSlow(length);
  const chunks: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  let size = 0;
  let isOver = false;
  const leave = (): void => {
    if (landing !== undefined) landing.into = null;
    signal?.removeEventListener('abort', leave);
  };
  if (landing !== undefined && signal?.aborted !== true) {
    landing.into = whole;
    signal?.addEventListener('abort', leave, { once: true });
  }

  function fail(error: Error): void {
    isOver = true;
    leave();
    reject(error);
    body.destroy();
  }

  // By events: to wait for each chunk costs as much as to copy it.
  body.on('data', (chunk: Uint8Array) => {
    if (isOver || signal?.aborted === true) return;
    const at = size;
    size += chunk.length;
    if (counters) counters.bytesReceived += chunk.length;
    if (size > most) fail(new ByteSourceError('too_large', place, `wanted ${most} bytes, got more`, { status }));
    else if (whole === null) chunks.push(chunk);
    else if (!liesAt(chunk, whole, at)) whole.set(chunk, at);
  });
  const short = (): ByteSourceError =>
    new ByteSourceError('short', place, `wanted ${length} bytes, got ${size}`, { status });
  body.once('end', () => {
    if (length !== null && size !== length) return fail(short());
    isOver = true;
    leave();
    resolve(whole ?? Buffer.concat(chunks));
  });
  body.on('error', fail);
  body.once('close', () => {
    if (!isOver) fail(signal?.aborted === true ? (signal.reason as Error) : short());
  });
  return promise;
}

/** Whether a piece has been written to its place already. */
function liesAt(chunk: Uint8Array, whole: Uint8Array, at: number): boolean {
  return chunk.buffer === whole.buffer && chunk.byteOffset === whole.byteOffset + at;
}
