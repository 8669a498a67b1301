import { NODATA } from '../../../geo/segmentation/grid.ts';
import { isFileSource, type FileByteSource } from '../../io/file-source.ts';
import { planRanges, type ByteRange } from '../../io/plan.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { blockFormat } from '../../formats/tiff/decode-block.ts';
import { blockRange, blockRows } from '../../formats/tiff/read-block.ts';
import { TiffError, type TiffImage } from '../../formats/tiff/tiff-image.ts';
import type { NumberedMemory } from '../decode/decode-job.ts';
import type { DecodeInput } from '../decode/decode-threads.ts';
import type { Decoder } from '../decode/decoder.ts';
import { blocksOfGroup, type GroupBlock, type GroupLayout } from './tiff-decode-groups.ts';

/** File blocks that lie close together are fetched in one request. */
const FETCH_LIMITS = { maxGap: 16_384, maxBytes: 1_048_576 } as const;
/** Bytes that a thread reads from a local file for one job, when it is more than one block. */
const JOB_BYTES = 1_048_576;

/** A block that the file has. */
type StoredBlock = GroupBlock & ByteRange;

/** Decodes blocks whose bytes follow each other in `input`, or lie in it where `start` says. */
type DecodeStored = (blocks: readonly StoredBlock[], starts: readonly number[], input: DecodeInput) => Promise<boolean>;

/**
 * Fetches the file blocks of a group, all at once, and decodes each into the memory as soon as it comes; those of a local
 * file are read by the threads that decode them. Blocks that the file leaves out are -128. Nothing writes into the memory
 * any more when the promise settles.
 */
export async function decodeGroup(
  source: ByteSource,
  image: TiffImage,
  layout: GroupLayout,
  [gx, gy]: readonly [gx: number, gy: number],
  memory: NumberedMemory,
  decoder: Decoder,
  signal: AbortSignal,
): Promise<void> {
  const stored: StoredBlock[] = [];
  const blocks = blocksOfGroup(image, layout, gx, gy);
  for (const block of blocks) {
    const range = blockRange(source.id, image, block.index);
    if (range !== null) stored.push({ ...block, ...range });
  }
  if (stored.length < blocks.length) new Uint8Array(memory.memory.buffer).fill(NODATA);
  const decode: DecodeStored = (some, starts, input) => {
    const parts = some.map(({ index, length, at }, i) => ({
      start: starts[i],
      length,
      rows: blockRows(image, index),
      at,
    }));
    const job = { place: source.id, format: blockFormat(image), memory, rowBytes: layout.rowBytes, blocks: parts };
    return decoder.run({ kind: 'blocks', ...job }, input, signal);
  };
  const jobs = isFileSource(source)
    ? await decodeFromFile(source, stored, decode)
    : fetchAndDecode(source, stored, decode, decoder, signal);
  for (const job of await Promise.allSettled(jobs)) if (job.status === 'rejected') throw job.reason;
}

async function decodeFromFile(
  source: FileByteSource,
  stored: readonly StoredBlock[],
  decode: DecodeStored,
): Promise<Promise<boolean>[]> {
  const file = await source.openFile();
  if (file === null) throw wentAway(source);
  return inJobs(stored).map((blocks) => {
    const starts: number[] = [];
    blocks.reduce((start, { length }) => (starts.push(start), start + length), 0);
    const ranges = blocks.map(({ offset, length }) => ({ offset, length }));
    return decode(blocks, starts, { file, ranges });
  });
}

function fetchAndDecode(
  source: ByteSource,
  stored: readonly StoredBlock[],
  decode: DecodeStored,
  decoder: Decoder,
  signal: AbortSignal,
): Promise<boolean>[] {
  return planRanges(stored, FETCH_LIMITS).map(({ offset, length, members }) =>
    decoder.withInput(length, async (input) => {
      const bytes = await source.fetch(offset, length, { signal, ...(input && { into: input.bytes }) });
      if (bytes === null) throw wentAway(source);
      const blocks = members.map((i) => stored[i]);
      const starts = blocks.map((block) => block.offset - offset);
      return decode(blocks, starts, input !== null && bytes.buffer === input.memory ? input : [bytes]);
    }),
  );
}

/** Blocks in the order given, each job's not more than so many bytes unless one alone is. */
function inJobs(stored: readonly StoredBlock[]): StoredBlock[][] {
  const jobs: StoredBlock[][] = [];
  let bytes = Infinity;
  for (const block of stored) {
    bytes += block.length;
    if (bytes > JOB_BYTES) {
      jobs.push([]);
      bytes = block.length;
    }
    jobs.at(-1)?.push(block);
  }
  return jobs;
}

function wentAway({ id }: ByteSource): TiffError {
  return new TiffError('missing', id, 'the file went away while it was read');
}
