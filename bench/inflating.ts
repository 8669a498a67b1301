import { blockBytes, blockFormat } from '../src/readers/formats/tiff/decode-block.ts';
import { DECODE_INTO } from '../src/readers/formats/tiff/decode-into.ts';
import { openTiff } from '../src/readers/formats/tiff/open-tiff.ts';
import { fileSource } from '../src/readers/io/file-source.ts';
import type { DecodeJob } from '../src/readers/embeddings/decode/decode-job.ts';
import { median, ROUNDS } from './rounds.ts';

/** Bytes before a block that may be written: see `DecodeInto`. */
const FRONT = 64;
const TURNS = 16;
const PATIENCE_MS = 60_000;

/** Milliseconds of processor for a megabyte: a block from the middle of a GeoTIFF, its bytes in memory, inflated as a decoding thread does. */
export async function timeInflating(path: string, compression: keyof typeof DECODE_INTO): Promise<number> {
  await using source = fileSource(path);
  const image = await openTiff(source, AbortSignal.timeout(PATIENCE_MS));
  const middle = (image.blocksDown >> 1) * image.blocksAcross + (image.blocksAcross >> 1);
  const length = image.lengths[middle];
  // As many bytes before them as the decoder may write.
  const bytes = new Uint8Array(FRONT + length).subarray(FRONT);
  const read = await source.fetch(image.offsets[middle], length, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (read === null) throw new Error('the file went away');
  bytes.set(read);
  const out = new Uint8Array(blockBytes(blockFormat(image)));
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let turn = 0; turn < TURNS; turn++) DECODE_INTO[compression].fast(bytes, out, FRONT);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / 1000 / TURNS);
  }
  return median(rounds.slice(1)) / (out.length / 1e6);
}

/** Bytes that a job of the decoder inflates. */
export function inflatedBy(job: DecodeJob): number {
  if (job.kind !== 'blocks' && job.kind !== 'whole') return 0;
  const { blockWidth, blockHeight, samples } = job.format;
  const row = blockWidth * samples;
  if (job.kind === 'whole') return row * blockHeight;
  return job.blocks.reduce((sum, { rows }) => sum + row * (job.extent === 'first' ? rows : blockHeight), 0);
}
