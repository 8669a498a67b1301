import { setImmediate } from 'node:timers/promises';
import type { PixelPolygon, PixelWindow } from '../../geo/zonal/cover-pixels.ts';
import { SAMPLE_TYPES } from '../formats/tiff/tiff-image.ts';
import type { Encoding, Pixels } from './encode-row.ts';
import type { RasterTile } from './raster-tiles.ts';
import { readBlocks, releaseBlocks, samplesOf, type BlockRef, type ReadBlock } from './read-blocks.ts';
import type { SampleMemory } from './sample-memory.ts';

/** The band of a raster that is measured. */
export interface RasterLayer<P extends Pixels = Pixels> {
  readonly id: string;
  /** Counted from 0. */
  readonly band: number;
  readonly encoding: Encoding<P>;
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

/** Who receives a piece: its pixels, one window a read, or why they could not be read. */
interface PieceVisitor<P extends Pixels = Pixels> {
  measure(piece: Piece<P>, windows: readonly P[]): void;
  fail(piece: Piece<P>, error: unknown): void;
}

/** Decoded pixels that one group of neighbouring pieces may need, in bytes. */
const GROUP_BYTES = 32_000_000;
/** Milliseconds of work after which other work of the thread gets its turn. */
const BUSY_MS = 50;
/**
 * Reads pieces by groups of neighbours: the blocks of a group are read once, whichever pieces share them, and kept for the
 * groups after it as far as `memory` reaches. Pieces of one plot may come apart. Rejects only when `signal` aborts.
 */
export async function readPieces<P extends Pixels>(
  pieces: readonly Piece<P>[],
  memory: SampleMemory,
  signal: AbortSignal,
  visitor: PieceVisitor<P>,
): Promise<void> {
  let rested = performance.now();
  for (const group of groupPieces(pieces, GROUP_BYTES)) {
    const blocks = await readBlocks(group.blocks, memory, signal);
    try {
      for (const piece of group.pieces) {
        visit(piece, blocks, visitor);
        if (performance.now() - rested < BUSY_MS) continue;
        // Deadlines and whatever else waits for this thread get their turn.
        await setImmediate();
        rested = performance.now();
        signal.throwIfAborted();
      }
    } finally {
      releaseBlocks(blocks, memory);
    }
  }
}

function visit<P extends Pixels>(
  piece: Piece<P>,
  blocks: ReadonlyMap<string, ReadBlock>,
  visitor: PieceVisitor<P>,
): void {
  try {
    visitor.measure(
      piece,
      piece.reads.map((read) => assemble(read, blocks)),
    );
  } catch (error) {
    visitor.fail(piece, error);
  }
}

interface PieceGroup<P extends Pixels> {
  readonly pieces: Piece<P>[];
  readonly blocks: Map<string, BlockRef>;
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

function blocksOf({ layer, tile, window }: PieceRead): BlockRef[] {
  const { blockWidth, blockHeight } = tile.image;
  const refs: BlockRef[] = [];
  const lastRow = Math.floor((window.y0 + window.height - 1) / blockHeight);
  const lastColumn = Math.floor((window.x0 + window.width - 1) / blockWidth);
  for (let row = Math.floor(window.y0 / blockHeight); row <= lastRow; row++) {
    for (let column = Math.floor(window.x0 / blockWidth); column <= lastColumn; column++) {
      const index = blockIndex(layer, tile, column, row);
      refs.push({ key: keyOf(tile, index), tile, index });
    }
  }
  return refs;
}

function keyOf(tile: RasterTile, index: number): string {
  return `${tile.id}\n${index}`;
}

function blockIndex({ band }: RasterLayer, { image }: RasterTile, column: number, row: number): number {
  const plane = image.interleave === 'band' ? band : 0;
  return (plane * image.blocksDown + row) * image.blocksAcross + column;
}

/** Bytes of blocks once decoded. */
function sizeOf(refs: readonly BlockRef[]): number {
  let bytes = 0;
  for (const { tile } of refs) {
    const { blockWidth, blockHeight, sampleType } = tile.image;
    bytes += blockWidth * blockHeight * samplesOf(tile) * SAMPLE_TYPES[sampleType].bytes;
  }
  return bytes;
}

/** The pixels of a window, row by row. Throws what a block of it failed with. */
function assemble<P extends Pixels>({ layer, tile, window }: PieceRead<P>, blocks: ReadonlyMap<string, ReadBlock>): P {
  const { blockWidth, blockHeight } = tile.image;
  const { x0, y0, width, height } = window;
  const encoder = layer.encoding.rows(tile.image);
  const out = new layer.encoding.make(width * height);
  for (let row = Math.floor(y0 / blockHeight); row * blockHeight < y0 + height; row++) {
    for (let column = Math.floor(x0 / blockWidth); column * blockWidth < x0 + width; column++) {
      const block = blocks.get(keyOf(tile, blockIndex(layer, tile, column, row)));
      if (block === undefined || 'error' in block) throw block?.error;
      const left = Math.max(x0, column * blockWidth);
      const right = Math.min(x0 + width, (column + 1) * blockWidth);
      const end = Math.min(y0 + height, (row + 1) * blockHeight);
      for (let y = Math.max(y0, row * blockHeight); y < end; y++) {
        const from = (y - row * blockHeight) * blockWidth + left - column * blockWidth;
        encoder.write(block.samples, from, right - left, out, (y - y0) * width + left - x0);
      }
    }
  }
  return out;
}
