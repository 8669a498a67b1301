import type { Config } from '../../config/settings.ts';
import { ByteSourceError, nothingAt } from '../../readers/io/byte-error.ts';
import { openOutside } from './open-outside.ts';

/** All bytes at an address. Rejects with a `ByteSourceError`, for a body that is shorter than promised or larger than `maxBytes` too. */
export async function readWhole(
  config: Pick<Config, 'dataDir'>,
  url: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const source = openOutside([], config, { perHost: 1 }).remote(url);
  const info = await source.stat({ signal });
  if (info === null) throw nothingAt(source.id);
  if (info.size > maxBytes)
    throw new ByteSourceError('too_large', source.id, `wanted at most ${maxBytes} bytes, got ${info.size}`);
  const bytes = await source.fetch(0, info.size, { signal });
  if (bytes === null) throw nothingAt(source.id);
  return bytes;
}
