import { blockBytes, blockFormat, decodeBlockInto } from '../formats/tiff/decode-block.ts';
import { blockRows, fetchBlock } from '../formats/tiff/read-block.ts';
import { SAMPLE_TYPES, type SampleArray } from '../formats/tiff/tiff-image.ts';
import type { RasterTile } from './raster-tiles.ts';
import type { SampleMemory } from './sample-memory.ts';

/** Blocks read at the same time. */
const IN_FLIGHT = 32;

/** A block of a file. */
export interface BlockRef {
  readonly key: string;
  readonly tile: RasterTile;
  /** Into the offsets of the file. */
  readonly index: number;
}

/** A block of a group, or why it could not be read. */
export type ReadBlock = { readonly samples: SampleArray } | { readonly error: unknown };

/** Reads blocks, each once, and pins them in memory until they are released. Rejects only when `signal` aborts. */
export async function readBlocks(
  refs: ReadonlyMap<string, BlockRef>,
  memory: SampleMemory,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadBlock>> {
  const blocks = new Map<string, ReadBlock>();
  const missing: BlockRef[] = [];
  for (const ref of refs.values()) {
    const samples = memory.pin(ref.key);
    if (samples) blocks.set(ref.key, { samples });
    else missing.push(ref);
  }
  const closed = await readTables(missing, signal);
  // In the order of the file, so that ranges join.
  missing.sort((a, b) => a.tile.image.offsets[a.index] - b.tile.image.offsets[b.index]);
  let next = 0;
  async function readOn(): Promise<void> {
    while (next < missing.length) {
      const ref = missing[next++];
      const failed = closed.get(ref.tile);
      blocks.set(ref.key, failed === undefined ? await readOne(ref, memory, signal) : { error: failed });
    }
  }
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, missing.length) }, readOn));
  if (signal.aborted) {
    releaseBlocks(blocks, memory);
    throw signal.reason;
  }
  return blocks;
}

/** Lets memory drop what `readBlocks` pinned. */
export function releaseBlocks(blocks: ReadonlyMap<string, ReadBlock>, memory: SampleMemory): void {
  for (const [key, block] of blocks) if ('samples' in block) memory.release(key);
}

/** Reads what the tables of files say of some blocks, where it is not there yet. Gives the files of which that failed, and why. */
async function readTables(refs: readonly BlockRef[], signal: AbortSignal): Promise<ReadonlyMap<RasterTile, unknown>> {
  const failed = new Map<RasterTile, unknown>();
  const reading = [...Map.groupBy(refs, ({ tile }) => tile)].map(async ([tile, own]) => {
    const indexes = own.map(({ index }) => index);
    await tile.image.tables?.read(indexes, signal).catch((error: unknown) => failed.set(tile, error));
  });
  await Promise.all(reading);
  return failed;
}

async function readOne({ key, tile, index }: BlockRef, memory: SampleMemory, signal: AbortSignal): Promise<ReadBlock> {
  try {
    const bytes = await fetchBlock(tile.source, tile.image, index, signal);
    const samples = bytes === null ? leftOut(tile) : decode(tile, index, bytes, memory);
    memory.keep(key, samples);
    return { samples };
  } catch (error) {
    return { error };
  }
}

/** Into memory that nobody cleared: what lies below the last row of the image is never looked at. */
function decode({ source, image }: RasterTile, index: number, bytes: Uint8Array, memory: SampleMemory): SampleArray {
  const format = blockFormat(image);
  const out = memory.room(blockBytes(format));
  decodeBlockInto(source.id, format, blockRows(image, index), bytes, out);
  const { make, bytes: size } = SAMPLE_TYPES[image.sampleType];
  return new make(out.buffer, out.byteOffset, out.length / size);
}

/** What a block that was left out stands for: no data, or 0 in a file without a value for that. */
function leftOut(tile: RasterTile): SampleArray {
  const { blockWidth, blockHeight, nodata, sampleType } = tile.image;
  const values = new SAMPLE_TYPES[sampleType].make(blockWidth * blockHeight * samplesOf(tile));
  return nodata === null ? values : values.fill(nodata);
}

/** Samples of a pixel in a block. */
export function samplesOf({ image }: RasterTile): number {
  return image.interleave === 'pixel' ? image.bands : 1;
}
