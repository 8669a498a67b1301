import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file of a ZIP archive; its bytes are read when its turn comes. */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** False for bytes that are compressed already. */
  readonly compress: boolean;
}

/**
 * Writes a ZIP archive as its entries come, one after the other, in memory that does not grow. The same entries and time
 * give the same bytes. What an entry throws ends the archive by throwing it.
 */
export async function* zipEntries(
  entries: AsyncIterable<ZipEntry>,
  modified: Date,
): AsyncGenerator<Uint8Array, void, void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const stop = new AbortController();
  zip.on('error', (error: Error) => output.destroy(error));
  const filled = fill(zip, entries, modified, stop.signal).catch(
    (error: unknown) => void output.destroy(error as Error),
  );
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } finally {
    stop.abort();
    output.destroy();
    await filled;
  }
}

async function fill(
  zip: ZipFile,
  entries: AsyncIterable<ZipEntry>,
  modified: Date,
  signal: AbortSignal,
): Promise<void> {
  // Times in a ZIP are local; shifted, they are those of UTC wherever the archive is made.
  const mtime = new Date(modified.getTime() + modified.getTimezoneOffset() * 60_000);
  for await (const { name, bytes, compress } of entries) {
    const source = Readable.from(bytes, { objectMode: false });
    const ended = once(source, 'close', { signal });
    zip.addReadStream(source, name, { mtime, mode: 0o100644, compress, forceDosTimestamp: true });
    try {
      await ended;
    } catch (error) {
      source.destroy();
      if (signal.aborted) return;
      throw error;
    }
  }
  zip.end();
}
