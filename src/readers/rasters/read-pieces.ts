import type { PixelPolygon, PixelWindow } from '../../geo/zonal/cover-pixels.ts';
import type { BlockMemory } from '../embeddings/block-cache-memory.ts';
import { SAMPLE_TYPES } from '../tiff/sample-types.ts';
import { readBlock } from '../tiff/read-block.ts';
import type { EncodeBlock, Pixels } from './encode-block.ts';
import type { RasterTile } from './raster-tiles.ts';

/** How the blocks of one raster become pixels, and by which name they are kept. */
export interface RasterLayer<P extends Pixels = Pixels> {
  readonly id: string;
  /** Counted from 0. */
  readonly band: number;
  readonly encode: EncodeBlock<P>;
}

/** A window of a file. */
export interface PieceRead<P extends Pixels = Pixels> {
  readonly layer: RasterLayer<P>;
  readonly tile: RasterTile;
  readonly window: PixelWindow;
}

/** A part of a plot that is measured at once: a polygon on the pixels of the first window, and what else lies there. */
export interface Piece<P extends Pixels = Pixels> {
  /** Number of the plot. */
  readonly plot: number;
  readonly polygon: PixelPolygon;
  readonly reads: readonly [PieceRead<P>, ...PieceRead<P>[]];
}

/** Who is told of a piece: its pixels, one window a read, or why they could not be read. */
export interface PieceVisitor<P extends Pixels> {
  measure(piece: Piece<P>, windows: readonly P[]): void;
  fail(piece: Piece<P>, error: unknown): void;
}

/** Decoded pixels that one group of neighbouring pieces may need, in bytes. */
export const GROUP_BYTES = 64_000_000;
/** Blocks read at the same time. */
const IN_FLIGHT = 32;

/**
 * Reads pieces by groups of neighbours: the blocks of a group are read once, whichever pieces share them, and kept for the
 * groups after it as far as `memory` reaches. Pieces of one plot may come apart. Rejects only when `signal` aborts.
 */
export async function readPieces<P extends Pixels>(
  pieces: readonly Piece<P>[],
  memory: BlockMemory<P>,
  signal: AbortSignal,
  visitor: PieceVisitor<P>,
): Promise<void> {
  for (const group of groupPieces(pieces, GROUP_BYTES)) {
    const blocks = await readBlocks(group.blocks, memory, signal);
    for (const piece of group.pieces) {
      try {
        visitor.measure(
          piece,
          piece.reads.map((read) => assemble(read, blocks)),
        );
      } catch (error) {
        visitor.fail(piece, error);
      }
    }
  }
}

interface BlockRef<P extends Pixels> {
  readonly key: string;
  readonly layer: RasterLayer<P>;
  readonly tile: RasterTile;
  /** Into the offsets of the file. */
  readonly index: number;
}

interface PieceGroup<P extends Pixels> {
  readonly pieces: Piece<P>[];
  readonly blocks: Map<string, BlockRef<P>>;
}

/**
 * Pieces in the order of file, row of blocks and column of blocks, cut where the blocks of a group would take more than
 * `maxBytes`. A piece that alone takes more is a group of its own.
 */
export function groupPieces<P extends Pixels>(pieces: readonly Piece<P>[], maxBytes: number): PieceGroup<P>[] {
  const order = pieces.map((piece) => ({ piece, place: placeOf(piece) }));
  order.sort(({ place: a }, { place: b }) =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : a.row - b.row || a.column - b.column,
  );
  const groups: PieceGroup<P>[] = [];
  let bytes = Infinity;
  for (const { piece } of order) {
    const refs = piece.reads.flatMap(blocksOf);
    let group = groups.at(-1);
    const added = sizeOf(refs.filter(({ key }) => !group?.blocks.has(key)));
    if (group === undefined || bytes + added > maxBytes) {
      group = { pieces: [], blocks: new Map() };
      groups.push(group);
      bytes = sizeOf(refs);
    } else bytes += added;
    group.pieces.push(piece);
    for (const ref of refs) group.blocks.set(ref.key, ref);
  }
  return groups;
}

function placeOf({ reads: [{ tile, window }] }: Piece): { file: string; row: number; column: number } {
  const { blockWidth, blockHeight } = tile.image;
  return { file: tile.id, row: Math.floor(window.y0 / blockHeight), column: Math.floor(window.x0 / blockWidth) };
}

function blocksOf<P extends Pixels>({ layer, tile, window }: PieceRead<P>): BlockRef<P>[] {
  const { blockWidth, blockHeight } = tile.image;
  const refs: BlockRef<P>[] = [];
  const lastRow = Math.floor((window.y0 + window.height - 1) / blockHeight);
  const lastColumn = Math.floor((window.x0 + window.width - 1) / blockWidth);
  for (let row = Math.floor(window.y0 / blockHeight); row <= lastRow; row++) {
    for (let column = Math.floor(window.x0 / blockWidth); column <= lastColumn; column++) {
      const index = blockIndex(layer, tile, column, row);
      refs.push({ key: keyOf(layer, tile, index), layer, tile, index });
    }
  }
  return refs;
}

function keyOf({ id }: RasterLayer, tile: RasterTile, index: number): string {
  return `${id}\n${tile.id}\n${index}`;
}

function blockIndex({ band }: RasterLayer, { image }: RasterTile, column: number, row: number): number {
  const plane = image.interleave === 'band' ? band : 0;
  return (plane * image.blocksDown + row) * image.blocksAcross + column;
}

/** Bytes of blocks once decoded, before they are encoded: the most they take. */
function sizeOf(refs: readonly BlockRef<Pixels>[]): number {
  let bytes = 0;
  for (const { tile } of refs) {
    const { blockWidth, blockHeight, sampleType } = tile.image;
    bytes += blockWidth * blockHeight * Math.max(1, SAMPLE_TYPES[sampleType].bytes);
  }
  return bytes;
}

/** A block of a group: its pixels, null when all of it was left out, or why it could not be read. */
type ReadBlock<P> = { readonly pixels: P | null } | { readonly error: unknown };

async function readBlocks<P extends Pixels>(
  refs: ReadonlyMap<string, BlockRef<P>>,
  memory: BlockMemory<P>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadBlock<P>>> {
  const blocks = new Map<string, ReadBlock<P>>();
  const missing: BlockRef<P>[] = [];
  for (const ref of refs.values()) {
    const pixels = memory.get(ref.key);
    if (pixels === undefined) missing.push(ref);
    else blocks.set(ref.key, { pixels });
  }
  // In the order of the file, so that ranges join.
  missing.sort((a, b) => a.tile.image.offsets[a.index] - b.tile.image.offsets[b.index]);
  let next = 0;
  async function readOn(): Promise<void> {
    while (next < missing.length) {
      const ref = missing[next++];
      blocks.set(ref.key, await readOne(ref, memory, signal));
    }
  }
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, missing.length) }, readOn));
  signal.throwIfAborted();
  return blocks;
}

async function readOne<P extends Pixels>(
  { key, layer, tile, index }: BlockRef<P>,
  memory: BlockMemory<P>,
  signal: AbortSignal,
): Promise<ReadBlock<P>> {
  try {
    const samples = await readBlock(tile.source, tile.image, index, signal);
    const pixels = layer.encode(tile.image, samples ?? leftOut(tile));
    memory.set(key, pixels);
    return { pixels };
  } catch (error) {
    return { error };
  }
}

/** What a block that was left out stands for: no data, or 0 in a file without a value for that. */
function leftOut({ image }: RasterTile) {
  const samples = image.interleave === 'pixel' ? image.bands : 1;
  const values = new SAMPLE_TYPES[image.sampleType].make(image.blockWidth * image.blockHeight * samples);
  return image.nodata === null ? values : values.fill(image.nodata);
}

/** The pixels of a window, row by row. Throws what a block of it failed with. */
function assemble<P extends Pixels>(
  { layer, tile, window }: PieceRead<P>,
  blocks: ReadonlyMap<string, ReadBlock<P>>,
): P {
  const { blockWidth, blockHeight } = tile.image;
  const { x0, y0, width, height } = window;
  let out: P | null = null;
  for (let row = Math.floor(y0 / blockHeight); row * blockHeight < y0 + height; row++) {
    for (let column = Math.floor(x0 / blockWidth); column * blockWidth < x0 + width; column++) {
      const block = blocks.get(keyOf(layer, tile, blockIndex(layer, tile, column, row)));
      if (block === undefined || 'error' in block) throw block?.error;
      const pixels = block.pixels as P;
      out ??= new (pixels.constructor as new (length: number) => P)(width * height);
      const left = Math.max(x0, column * blockWidth);
      const right = Math.min(x0 + width, (column + 1) * blockWidth);
      const end = Math.min(y0 + height, (row + 1) * blockHeight);
      for (let y = Math.max(y0, row * blockHeight); y < end; y++) {
        const from = (y - row * blockHeight) * blockWidth + left - column * blockWidth;
        copy(pixels, from, right - left, out, (y - y0) * width + left - x0);
      }
    }
  }
  return out as P;
}

/** Rows of plots are short: a loop is faster than a view of them. */
function copy(from: Pixels, start: number, count: number, out: Pixels, at: number): void {
  if (count > 64) out.set(from.subarray(start, start + count), at);
  else for (let i = 0; i < count; i++) out[at + i] = from[start + i];
}
