import type { ByteRange } from '../../io/plan.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { blockBytes, blockFormat, decodeBlock } from './decode-block.ts';
import { type SampleArray, TiffError, type TiffImage } from './tiff-image.ts';

/**
 * The values of the block at `index` of `image.offsets`: row, column, sample. Blocks at the right and lower edge are
 * filled up with whatever the writer put there. Null for a block that was left out: all of it is nodata.
 *
 * Rejects with a `TiffError` when the bytes do not decode to a block, and with what the source rejects with.
 */
export async function readBlock(
  source: ByteSource,
  image: TiffImage,
  index: number,
  signal: AbortSignal,
): Promise<SampleArray | null> {
  const bytes = await fetchBlock(source, image, index, signal);
  return bytes === null ? null : decodeBlock(source.id, blockFormat(image), blockRows(image, index), bytes);
}

/** The stored bytes of a block; null for one that was left out. */
export async function fetchBlock(
  source: ByteSource,
  image: TiffImage,
  index: number,
  signal: AbortSignal,
  into?: Uint8Array,
): Promise<Uint8Array | null> {
  const range = blockRange(source.id, image, index);
  if (range === null) return null;
  const bytes = await source.fetch(range.offset, range.length, { signal, ...(into && { into }) });
  if (bytes === null) throw new TiffError('missing', source.id, 'the file went away while it was read');
  return bytes;
}

/** Where a block is stored; null for one that was left out. Throws for a length that no encoder makes. */
export function blockRange(place: string, image: TiffImage, index: number): ByteRange | null {
  if (image.tables?.has(index) === false) throw new Error(`the tables of block ${index} were not read: ${place}`);
  const offset = image.offsets[index];
  const length = image.lengths[index];
  if (length === 0) return null;
  const most = 2 * blockBytes(blockFormat(image)) + 4096;
  if (!(length <= most && offset >= 8 && Number.isSafeInteger(offset + length)))
    throw new TiffError(
      'damaged',
      place,
      `block ${index}: wanted at most ${most} bytes after the header, got ${length} at ${offset}`,
    );
  return { offset, length };
}

/** Rows of a block that lie inside the image. */
export function blockRows({ height, blockHeight, blocksAcross, blocksDown }: TiffImage, index: number): number {
  const row = Math.floor(index / blocksAcross) % blocksDown;
  return Math.min(blockHeight, height - row * blockHeight);
}
