import type { Dispatcher } from 'undici';

import type { ByteCounters } from '../counters.ts';
import { ByteSourceError } from '../byte-error.ts';

/**
 * Reads a body that must be `length` bytes long; with null it may have any length up to `limit`. Fails as `short` when it
 * ends early and as `too_large` when more comes than may.
 */
export async function readBody(
  place: string,
  { body, statusCode: status }: Pick<Dispatcher.ResponseData, 'body' | 'statusCode'>,
  length: number | null,
  counters: ByteCounters | undefined,
  limit = length ?? 0,
): Promise<Uint8Array> {
  const most = length ?? limit;
  // Straight to its place: pieces that are kept until the last one has come cost the collector twice their bytes.
  const whole = length === null ? null : Buffer.allocUnsafeSlow(length);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const at = size;
    size += chunk.length;
    if (counters) counters.bytesReceived += chunk.length;
    if (size > most) throw new ByteSourceError('too_large', place, `wanted ${most} bytes, got more`, { status });
    if (whole === null) chunks.push(chunk);
    else whole.set(chunk, at);
  }
  if (length !== null && size !== length)
    throw new ByteSourceError('short', place, `wanted ${length} bytes, got ${size}`, { status });
  return whole ?? Buffer.concat(chunks);
}
