import { BANDS } from '../../../geo/segmentation/grid.ts';
import { isBottomUp, type TiffImage } from '../../formats/tiff/tiff-image.ts';
import { BLOCK } from './code-blocks.ts';
import { canDecodeRows } from '../../formats/tiff/decode-block.ts';
import { KERNEL_BYTES } from '../decode/decode-job.ts';

/**
 * How file blocks are decoded together. A group is the blocks of all bands over one rectangle: one block across and down,
 * or several small ones up to the size of a code block.
 */
export interface GroupLayout {
  /** Blocks across and down. */
  readonly across: number;
  readonly down: number;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** From one row to the next in memory, in bytes. */
  readonly rowBytes: number;
  /** From one band to the next in memory, in bytes; null: the bands of a pixel lie side by side. */
  readonly planeBytes: number | null;
  /** Memory for a group, the kernel's part included. */
  readonly memoryBytes: number;
}

/** A file block of a group, and the address of its first pixel in the group's memory. */
export interface GroupBlock {
  /** Into `image.offsets`. */
  readonly index: number;
  readonly at: number;
}

/** What a code block takes of a group. */
export interface GroupPart {
  /** Column and row of the group. */
  readonly gx: number;
  readonly gy: number;
  /** Rows of the group from its top down to the last one that is taken. */
  readonly down: number;
  /** Address of its first pixel in the group's memory. */
  readonly from: number;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixel of the code block that gets the first one, and whether rows go down or up from there. */
  readonly column: number;
  readonly row: number;
  readonly step: 1 | -1;
}

/** Small blocks are not joined beyond this many bytes. */
const JOINED_BYTES = 67_108_864;
/** Between planes, whose distance must not be a power of two, or they would push each other out of the cache. */
const PLANE_PAD = 64;

export function layOutGroups({ blockWidth, blockHeight, interleave }: TiffImage): GroupLayout {
  const across = Math.max(1, Math.floor(BLOCK / blockWidth));
  const width = across * blockWidth;
  const mostDown = Math.floor(JOINED_BYTES / (width * blockHeight * BANDS));
  const down = Math.max(1, Math.min(Math.floor(BLOCK / blockHeight), mostDown));
  const height = down * blockHeight;
  const planeBytes = interleave === 'band' ? width * height + PLANE_PAD : null;
  return {
    across,
    down,
    width,
    height,
    rowBytes: planeBytes === null ? width * BANDS : width,
    planeBytes,
    memoryBytes: KERNEL_BYTES + (planeBytes ?? width * height) * BANDS + PLANE_PAD,
  };
}

/** Whether the first rows of a group can be decoded without the others, and that makes a difference for a code block. */
export function isReadByRows({ compression }: TiffImage, { down, height }: GroupLayout): boolean {
  return down === 1 && height > BLOCK && canDecodeRows(compression);
}

/** The file blocks of the group in column `gx`, row `gy`. */
export function blocksOfGroup(image: TiffImage, layout: GroupLayout, gx: number, gy: number): GroupBlock[] {
  const { blocksAcross, blocksDown, blockWidth, blockHeight } = image;
  const planes = image.interleave === 'band' ? BANDS : 1;
  const blocks: GroupBlock[] = [];
  for (let plane = 0; plane < planes; plane++) {
    for (let y = gy * layout.down; y < Math.min((gy + 1) * layout.down, blocksDown); y++) {
      for (let x = gx * layout.across; x < Math.min((gx + 1) * layout.across, blocksAcross); x++) {
        const column = (x - gx * layout.across) * blockWidth;
        const row = (y - gy * layout.down) * blockHeight;
        blocks.push({
          index: (plane * blocksDown + y) * blocksAcross + x,
          at: addressOf(layout, column, row) + plane * (layout.planeBytes ?? 0),
        });
      }
    }
  }
  return blocks;
}

/** What a code block takes of which groups. */
export function partsOfBlock(image: TiffImage, layout: GroupLayout, bx: number, by: number): GroupPart[] {
  const isUpward = isBottomUp(image);
  const left = bx * BLOCK;
  const right = Math.min(left + BLOCK, image.width);
  const north = by * BLOCK;
  const south = Math.min(north + BLOCK, image.height);
  // Rows as the file counts them.
  const first = isUpward ? image.height - south : north;
  const end = isUpward ? image.height - north : south;
  const parts: GroupPart[] = [];
  for (let gy = Math.floor(first / layout.height); gy * layout.height < end; gy++) {
    for (let gx = Math.floor(left / layout.width); gx * layout.width < right; gx++) {
      const x0 = Math.max(left, gx * layout.width);
      const x1 = Math.min(right, (gx + 1) * layout.width);
      const y0 = Math.max(first, gy * layout.height);
      const y1 = Math.min(end, (gy + 1) * layout.height);
      parts.push({
        gx,
        gy,
        down: y1 - gy * layout.height,
        from: addressOf(layout, x0 - gx * layout.width, y0 - gy * layout.height),
        width: x1 - x0,
        height: y1 - y0,
        column: x0 - left,
        row: isUpward ? end - 1 - y0 : y0 - first,
        step: isUpward ? -1 : 1,
      });
    }
  }
  return parts;
}

/** The code blocks that lie in one group and no other, as column and row. */
export function blocksInside(image: TiffImage, layout: GroupLayout, gx: number, gy: number): [number, number][] {
  const top = gy * layout.height;
  const bottom = Math.min(top + layout.height, image.height);
  const [first, end] = isBottomUp(image) ? [image.height - bottom, image.height - top] : [top, bottom];
  const inside: [number, number][] = [];
  for (let by = Math.floor(first / BLOCK); by * BLOCK < end; by++) {
    for (
      let bx = Math.floor((gx * layout.width) / BLOCK);
      bx * BLOCK < Math.min((gx + 1) * layout.width, image.width);
      bx++
    ) {
      if (partsOfBlock(image, layout, bx, by).length === 1) inside.push([bx, by]);
    }
  }
  return inside;
}

/** Address of a pixel's first band, counted from the upper left pixel of its group. */
function addressOf({ rowBytes, planeBytes }: GroupLayout, column: number, row: number): number {
  return KERNEL_BYTES + row * rowBytes + column * (planeBytes === null ? BANDS : 1);
}
