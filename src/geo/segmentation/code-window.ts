import type { KnownCells } from './cell-memory.ts';
import type { CellArea } from './cell-area.ts';
import { BANDS, type Grid, NODATA } from './grid.ts';

/**
 * A rectangle of AEF codes, handed over row by row. The engine copies each row once into its own memory, so a reader
 * that holds blocks needs no assembled window: it fills a row from the blocks it crosses.
 */
export interface CodeWindow {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows; row 0 is the northern one. */
  readonly height: number;
  /** Writes the `width * 64` codes of row `y` to the start of `out`. Pixels outside the source are -128. */
  readonly copyRow: (y: number, out: Int8Array) => void;
  /** Gives its memory back for another window, once: nobody may read this one any more. Absent, or not called: it is left to the collector. */
  readonly release?: () => void;
}

/** The part of `grid` that starts at pixel (`x0`, `y0`), which may lie outside: what the grid does not cover is no data. */
export function windowOfGrid(
  grid: Grid,
  x0 = 0,
  y0 = 0,
  width: number = grid.width,
  height: number = grid.height,
): CodeWindow {
  const from = Math.min(Math.max(x0, 0), grid.width);
  const to = Math.max(Math.min(x0 + width, grid.width), from);
  return {
    width,
    height,
    copyRow: (y, out) => {
      const row = y + y0;
      if (row < 0 || row >= grid.height || from === to) {
        out.fill(NODATA, 0, width * BANDS);
        return;
      }
      const start = row * grid.width;
      out.fill(NODATA, 0, (from - x0) * BANDS);
      out.set(grid.codes.subarray((start + from) * BANDS, (start + to) * BANDS), (from - x0) * BANDS);
      out.fill(NODATA, (to - x0) * BANDS, width * BANDS);
    },
  };
}

/** A raster of AEF codes that can be read at any rectangle. Pixels are counted from its upper left corner. */
export interface CodeSource {
  /** Where its 2 x 2 blocks begin, as `detectBlockPhase` says of the whole raster: cell 0 covers pixels `phase`, +1. */
  readonly phase: { readonly x: 0 | 1; readonly y: 0 | 1 };
  /** `width` x `height` pixels from (`x0`, `y0`), which may lie outside: what the source does not cover is no data. */
  readonly window: (
    x0: number,
    y0: number,
    width: number,
    height: number,
    signal: AbortSignal | undefined,
  ) => Promise<CodeWindow>;
  /** What was computed before of cells of the bytes that such a window is made of; absent or null: nothing is kept of them. */
  readonly cells?: (
    x0: number,
    y0: number,
    width: number,
    height: number,
    signal: AbortSignal | undefined,
  ) => Promise<KnownCells | null>;
}

/** What a source knows of an area of its cells. */
export async function cellsOf(
  source: CodeSource,
  { column, row, width, height }: CellArea,
  signal: AbortSignal | undefined,
): Promise<KnownCells | null> {
  const { phase, cells } = source;
  if (cells === undefined) return null;
  return cells(2 * column + phase.x, 2 * row + phase.y, 2 * width, 2 * height, signal);
}
