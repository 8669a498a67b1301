import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { PlotRecord } from '../../collections/plot-record.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Records as the bytes of one part: a JSON text a line, compressed by Zstandard. */
export async function packRecords(lines: readonly string[]): Promise<Uint8Array> {
  return new Uint8Array(await compress(Buffer.from(lines.join('\n')), LEVEL));
}

/** The records of a part, in the order they were packed in; of those that `isWanted` by their place in it alone, where it is given. */
export async function unpackRecords(bytes: Uint8Array, isWanted?: (at: number) => boolean): Promise<PlotRecord[]> {
  return (await unpackLines(bytes, isWanted)) as PlotRecord[];
}

/** What `packRecords` packed, whatever its lines are. */
export async function unpackLines(bytes: Uint8Array, isWanted?: (at: number) => boolean): Promise<unknown[]> {
  const text = (await decompress(bytes)).toString();
  if (text === '') return [];
  const lines = text.split('\n');
  const wanted = isWanted === undefined ? lines : lines.filter((_, at) => isWanted(at));
  return wanted.map((line) => JSON.parse(line) as unknown);
}
