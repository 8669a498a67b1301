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

/** The records of a part, in the order they were packed in. */
export async function unpackRecords(bytes: Uint8Array): Promise<PlotRecord[]> {
  const text = (await decompress(bytes)).toString();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as PlotRecord);
}
