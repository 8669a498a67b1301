import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { blockBytes, decodeBlockInto, decodeRowsInto, type BlockFormat } from '../../formats/tiff/decode-block.ts';
import { BLOCK } from '../cog/code-blocks.ts';
import { touchPages } from './decode-spares.ts';
import {
  createSharedMemory,
  openInterleaveKernel,
  type InterleaveKernel,
  type SharedMemory,
} from '../mosaic/interleave-kernel.ts';

/** Memory with a number, by which a thread knows it again. */
export interface NumberedMemory {
  readonly id: number;
  readonly memory: SharedMemory;
}

/** What stands for a memory that a thread has met before: each time it is sent again, all its bytes count for the collector. */
interface KnownMemory {
  readonly id: number;
  readonly memory: null;
}

/** Decodes blocks of a file side by side into a memory. */
interface DecodeBlocksJob {
  readonly kind: 'blocks';
  /** `first`: only the rows that are given, of bytes that may end before their block does; `holds` then says whether they held those rows. */
  readonly extent: 'all' | 'first';
  readonly place: string;
  readonly format: BlockFormat;
  readonly memory: NumberedMemory | KnownMemory;
  /** From one row of a plane in memory to the next, in bytes. */
  readonly rowBytes: number;
  readonly blocks: readonly {
    /** Bytes of the block among those that come with the job. */
    readonly start: number;
    readonly length: number;
    /** Rows of it that are inside the image. */
    readonly rows: number;
    /** Address of its first pixel in memory. */
    readonly at: number;
  }[];
}

/** Cuts a rectangle out of what was decoded and puts it into a code block. */
interface CutJob {
  readonly kind: 'cut';
  readonly place: string;
  readonly memory: NumberedMemory | KnownMemory;
  /** Address of the rectangle's first code, and from one row to the next, in bytes. */
  readonly from: number;
  readonly rowBytes: number;
  /** From one band to the next, in bytes; null: the bands of a pixel lie side by side. */
  readonly planeBytes: number | null;
  readonly width: number;
  readonly height: number;
  /** A code block, 256 x 256 x 64. */
  readonly out: SharedArrayBuffer;
  /** Pixel of it that gets the first one of the rectangle. */
  readonly column: number;
  readonly row: number;
  /** 1: rows go down from there; -1: up. */
  readonly step: 1 | -1;
}

/** Decodes one run of bytes that is a whole code block. */
export interface WholeJob {
  readonly kind: 'whole';
  readonly place: string;
  /** Of a block of 256 x 256 pixels with 64 samples, or 64 times 256 rows with one (bands one after the other). */
  readonly format: BlockFormat;
  /** Pixels of it that are inside the raster; the others become -128. */
  readonly width: number;
  readonly height: number;
  readonly out: SharedArrayBuffer;
}

/** Makes fresh memory ready: see `createSpareBlocks`. */
interface TouchJob {
  readonly kind: 'touch';
  readonly place: string;
  readonly out: SharedArrayBuffer;
}

export type DecodeJob = DecodeBlocksJob | CutJob | WholeJob | TouchJob;

/** Threads that may work in one memory. */
export const MAX_DECODE_THREADS = 16;
const FIRST_LANE_AT = 1024;
const ROW_BYTES = BLOCK * BANDS;
const BLOCK_BYTES = BLOCK * ROW_BYTES;
/** Room for a row of pixels that has been interleaved, and the 15 pixels more that the kernel writes. */
const LANE_BYTES = ROW_BYTES + 16 * BANDS;
/** Bytes at the beginning of every memory that belong to the kernel: a lane for each thread, so that none writes into another's. */
export const KERNEL_BYTES: number = FIRST_LANE_AT + MAX_DECODE_THREADS * LANE_BYTES;

/** What a thread keeps from one job to the next. */
interface DecodeState {
  readonly run: (job: DecodeJob, input: Uint8Array, front: number) => boolean;
  readonly forget: (id: number) => void;
}

interface Opened {
  readonly bytes: Uint8Array;
  readonly kernel: InterleaveKernel;
}

/**
 * `run` does a job and says whether what it wrote holds any data; it throws when bytes do not decode. `front`: bytes before its
 * input that nobody else uses, nor the input itself; 0 for an input that others may read.
 * @param lane number of the thread among those that work at the same time, below `MAX_DECODE_THREADS`
 */
export function openDecodeState(lane: number): DecodeState {
  const rowAt = FIRST_LANE_AT + lane * LANE_BYTES;
  const opened = new Map<number, Opened>();
  let own: Opened | null = null;

  function open({ id, memory }: NumberedMemory | KnownMemory): Opened {
    const known = opened.get(id);
    if (known !== undefined) return known;
    if (memory === null) throw new Error(`memory ${id} was never sent`);
    const met = openMemory(memory);
    opened.set(id, met);
    return met;
  }

  return {
    forget: (id) => opened.delete(id),
    run(job, input, front) {
      if (job.kind === 'blocks') return decodeBlocks(job, input, front, open(job.memory).bytes);
      if (job.kind === 'cut') return cut(job, open(job.memory), rowAt);
      if (job.kind === 'touch') {
        touchPages(job.out);
        return false;
      }
      own ??= openMemory(createSharedMemory(KERNEL_BYTES + BLOCK_BYTES + BANDS));
      return decodeWhole(job, input, front, own, rowAt);
    },
  };
}

function openMemory(memory: SharedMemory): Opened {
  return { bytes: new Uint8Array(memory.buffer), kernel: openInterleaveKernel(memory) };
}

function decodeBlocks(
  { place, format, extent, rowBytes, blocks }: DecodeBlocksJob,
  input: Uint8Array,
  front: number,
  out: Uint8Array,
): boolean {
  const size = blockBytes(format);
  const width = size / format.blockHeight;
  const aside = width === rowBytes ? null : new Uint8Array(size);
  for (const { start, length, rows, at } of blocks) {
    const bytes = input.subarray(start, start + length);
    const target = aside ?? out.subarray(at, at + size);
    const before = front === 0 ? 0 : front + start;
    if (extent === 'all') decodeBlockInto(place, format, rows, bytes, target, before);
    else if (!decodeRowsInto(place, format, bytes, target.subarray(0, rows * width), target)) return false;
    if (aside === null) continue;
    for (let row = 0; row < rows; row++) out.set(aside.subarray(row * width, (row + 1) * width), at + row * rowBytes);
  }
  return true;
}

function cut(job: CutJob, { bytes, kernel }: Opened, rowAt: number): boolean {
  const { from, rowBytes, planeBytes, width, height, column, row, step } = job;
  const out = new Uint8Array(job.out);
  const length = width * BANDS;
  let holds = false;
  for (let y = 0; y < height; y++) {
    let at = from + y * rowBytes;
    if (planeBytes !== null) {
      kernel.interleaveRow(at, planeBytes, width, rowAt);
      at = rowAt;
    }
    holds ||= kernel.holdsData(at, length) === 1;
    out.set(bytes.subarray(at, at + length), (row + y * step) * ROW_BYTES + column * BANDS);
  }
  return holds;
}

function decodeWhole(
  { place, format, width, height, out }: WholeJob,
  input: Uint8Array,
  front: number,
  own: Opened,
  rowAt: number,
): boolean {
  const codes = new Uint8Array(out);
  if (format.samples === BANDS) decodeBlockInto(place, format, height, input, codes, front);
  else interleaveWhole(place, format, input, front, codes, own, rowAt);
  codes.fill(NODATA, height * ROW_BYTES);
  if (width < BLOCK)
    for (let y = 0; y < height; y++) codes.fill(NODATA, y * ROW_BYTES + width * BANDS, (y + 1) * ROW_BYTES);
  return holdsData(codes);
}

function interleaveWhole(
  place: string,
  format: BlockFormat,
  input: Uint8Array,
  front: number,
  out: Uint8Array,
  { bytes, kernel }: Opened,
  rowAt: number,
): void {
  const planes = bytes.subarray(KERNEL_BYTES, KERNEL_BYTES + BLOCK_BYTES);
  decodeBlockInto(place, format, format.blockHeight, input, planes, front);
  for (let y = 0; y < BLOCK; y++) {
    kernel.interleaveRow(KERNEL_BYTES + y * BLOCK, BLOCK * BLOCK, BLOCK, rowAt);
    out.set(bytes.subarray(rowAt, rowAt + ROW_BYTES), y * ROW_BYTES);
  }
}

/** Data nearly always shows in the first pixels; the rest is looked at eight codes at a time. */
function holdsData(codes: Uint8Array): boolean {
  const masked = NODATA & 255;
  for (let i = 0; i < BANDS; i++) if (codes[i] !== masked) return true;
  const words = new Int32Array(codes.buffer, codes.byteOffset, codes.length >> 2);
  const maskedWord = (masked * 0x0101_0101) | 0;
  return words.some((word) => word !== maskedWord);
}
