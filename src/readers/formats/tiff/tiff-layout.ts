import type { TiffDirectory } from './tiff-directory.ts';
import { TiffError } from './tiff-error.ts';
import type { TiffImage } from './tiff-image.ts';
import { TAG } from './tiff-tags.ts';

/** How an image is cut into blocks, and where they lie. */
type TiffLayout = Pick<TiffImage, 'blockWidth' | 'blockHeight' | 'blocksAcross' | 'blocksDown' | 'offsets' | 'lengths'>;

/** Decoded bytes of a block; more is refused before anything is read. */
const MAX_BLOCK_BYTES = 268_435_456;

/** @param pixelBytes bytes of a pixel in one block: all its samples, or one where bands lie apart */
export function readLayout(
  directory: TiffDirectory,
  width: number,
  height: number,
  planes: number,
  pixelBytes: number,
): TiffLayout {
  const { place } = directory;
  const tileWidth = directory.values(TAG.tileWidth)?.[0] ?? null;
  const isTiled = tileWidth !== null;
  const blockWidth = tileWidth ?? width;
  const rows = isTiled ? directory.values(TAG.tileHeight)?.[0] : (directory.values(TAG.rowsPerStrip)?.[0] ?? height);
  // Strips may claim more rows than there are (2^32 - 1 means "one strip").
  const blockHeight = isTiled ? (rows ?? 0) : Math.min(rows ?? 0, height);
  if (!isCount(blockWidth) || !isCount(blockHeight))
    throw new TiffError('damaged', place, `wanted blocks with an area, got ${blockWidth} x ${blockHeight} pixels`);
  if (blockWidth * blockHeight * pixelBytes > MAX_BLOCK_BYTES)
    throw new TiffError(
      'too_large',
      place,
      `wanted blocks of at most ${MAX_BLOCK_BYTES} bytes, got ${blockWidth} x ${blockHeight} pixels of ${pixelBytes} bytes`,
    );
  const blocksAcross = Math.ceil(width / blockWidth);
  const blocksDown = Math.ceil(height / blockHeight);
  const count = blocksAcross * blocksDown * planes;
  const [offsetsTag, lengthsTag] = isTiled ? [TAG.tileOffsets, TAG.tileLengths] : [TAG.stripOffsets, TAG.stripLengths];
  const offsets = readTable(directory, offsetsTag, count);
  const lengths = readTable(directory, lengthsTag, count);
  return { blockWidth, blockHeight, blocksAcross, blocksDown, offsets, lengths };
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function readTable(directory: TiffDirectory, tag: number, count: number): Float64Array {
  const values = directory.values(tag);
  if (values === null || values.length !== count)
    throw new TiffError(
      'damaged',
      directory.place,
      `tag ${tag}: wanted ${count} values, one a block, got ${values?.length ?? 'none'}`,
      { tag },
    );
  return values;
}
