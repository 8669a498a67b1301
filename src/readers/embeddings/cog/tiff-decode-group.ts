import { NODATA } from '../../../geo/segmentation/grid.ts';
import { createGate } from '../../io/concurrency.ts';
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
/** Of one group at the same time: what waits for a connection holds no memory for its bytes. */
const FETCHES = 32;
/** Bytes that a thread reads from a local file for one job, when it is more than one block. */
const JOB_BYTES = 1_048_576;

/** By how much the first rows of a block may be stored in more bytes than their share of it: blocks are not the same all over. */
const FIRST_SHARE = 1.15;
const FIRST_BYTES = 8_192;

/** A block that the file has. */
type StoredBlock = GroupBlock & ByteRange;

/**
 * Decodes blocks whose bytes follow each other in `input`, or lie in it where `start` says. With `extent` first, `lengths` are those
 * of what there is of each; false when that does not hold the rows that are wanted.
 */
type DecodeStored = (
  blocks: readonly StoredBlock[],
  starts: readonly number[],
  input: DecodeInput,
  extent?: 'all' | 'first',
) => Promise<boolean>;

/**
 * Fetches the file blocks of a group, all at once, and decodes each into the memory as soon as it comes; those of a local
 * file are read by the threads that decode them. Blocks that the file leaves out are -128. Nothing writes into the memory
 * any more when the promise settles.
 * @param rows decoded from the group's top; fewer than its height only of a layout that `isReadByRows`. About as large a
 *   share of the bytes is fetched, since a block can be decoded no further down than it is there, and not from the middle.
 */
export async function decodeGroup(
  source: ByteSource,
  image: TiffImage,
  layout: GroupLayout,
  { gx, gy, rows }: { readonly gx: number; readonly gy: number; readonly rows: number },
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
  const decode: DecodeStored = (some, starts, input, extent = 'all') => {
    const parts = some.map(({ index, length, at }, i) => ({
      start: starts[i],
      length,
      rows: Math.min(rows, blockRows(image, index)),
      at,
    }));
    const format = blockFormat(image);
    const job = { place: source.id, format, extent, memory, rowBytes: layout.rowBytes, blocks: parts } as const;
    return decoder.run({ kind: 'blocks', ...job }, input, signal);
  };
  const share = rows / layout.height;
  const gate = createGate(FETCHES);
  const inTurn: Decoder['withInput'] = (bytes, use) => gate.run(signal, () => decoder.withInput(bytes, use));
  const jobs = isFileSource(source)
    ? await decodeFromFile(source, stored, share, decode)
    : share < 1
      ? fetchFirst(source, stored, share, decode, inTurn, signal)
      : fetchAndDecode(source, stored, decode, inTurn, signal);
  for (const job of await Promise.allSettled(jobs)) if (job.status === 'rejected') throw job.reason;
}

async function decodeFromFile(
  source: FileByteSource,
  stored: readonly StoredBlock[],
  share: number,
  decode: DecodeStored,
): Promise<Promise<boolean>[]> {
  const file = await source.openFile();
  if (file === null) throw wentAway(source);
  const read = (blocks: readonly StoredBlock[], extent: 'all' | 'first'): Promise<boolean> => {
    const starts: number[] = [];
    blocks.reduce((start, { length }) => (starts.push(start), start + length), 0);
    const ranges = blocks.map(({ offset, length }) => ({ offset, length }));
    return decode(blocks, starts, { file, ranges }, extent);
  };
  if (share === 1) return inJobs(stored).map((blocks) => read(blocks, 'all'));
  return inJobs(stored).map(async (blocks) => {
    const parts = blocks.map((block) => firstOf(block, share));
    return (await read(parts, 'first')) || read(blocks, 'all');
  });
}

function fetchAndDecode(
  source: ByteSource,
  stored: readonly StoredBlock[],
  decode: DecodeStored,
  withInput: Decoder['withInput'],
  signal: AbortSignal,
): Promise<boolean>[] {
  return planRanges(stored, FETCH_LIMITS).map(({ offset, length, members }) =>
    withInput(length, async (input) => {
      const bytes = await source.fetch(offset, length, { signal, ...(input && { into: input.bytes }) });
      if (bytes === null) throw wentAway(source);
      const blocks = members.map((i) => stored[i]);
      const starts = blocks.map((block) => block.offset - offset);
      return decode(blocks, starts, input !== null && bytes.buffer === input.memory ? input : [bytes]);
    }),
  );
}

/** Fetches what should be enough of each block; of one whose first rows take more, the rest as well. */
function fetchFirst(
  source: ByteSource,
  stored: readonly StoredBlock[],
  share: number,
  decode: DecodeStored,
  withInput: Decoder['withInput'],
  signal: AbortSignal,
): Promise<boolean>[] {
  return stored.map((block) =>
    withInput(block.length, async (input) => {
      async function fetch(from: number, end: number): Promise<Uint8Array> {
        const into = input && { into: input.bytes.subarray(from, end) };
        const bytes = await source.fetch(block.offset + from, end - from, { signal, ...into });
        if (bytes === null) throw wentAway(source);
        // A source that keeps what it reads may have the bytes elsewhere.
        if (input !== null && bytes.buffer !== input.memory) input.bytes.set(bytes, from);
        return bytes;
      }
      const part = firstOf(block, share);
      const first = await fetch(0, part.length);
      if (await decode([part], [0], input ?? [first], 'first')) return true;
      const rest = part.length < block.length ? await fetch(part.length, block.length) : new Uint8Array(0);
      return decode([block], [0], input ?? [first, rest]);
    }),
  );
}

/** What should hold the first rows of a block: their share of its bytes, and some more. */
function firstOf(block: StoredBlock, share: number): StoredBlock {
  return { ...block, length: Math.min(block.length, Math.ceil(block.length * share * FIRST_SHARE) + FIRST_BYTES) };
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
