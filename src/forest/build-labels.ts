import type { CellArea } from '../geo/segmentation/cell-area.ts';
import type { CodeSource } from '../geo/segmentation/code-window.ts';
import { CELL_STATUS } from '../geo/segmentation/region/label-region-cut.ts';
import { labelRegion } from '../geo/segmentation/region/label-region.ts';
import { areaOfTile, type LabelGrid, type LabelTile, type PlannedRaster } from './build-labels-plan.ts';

/** A raster that labels are made of: its codes, and where it has files. */
interface LabelledRaster extends PlannedRaster, CodeSource {}

/** The labels of a tile. */
export interface BuiltTile {
  /** The requested chunks, each with all of its values in C order, which are copied each time they are read. */
  chunks(): Iterable<BuiltChunk>;
  /** Segments whose marker lies in the chunks' rectangle. */
  readonly segments: number;
}

interface BuiltChunk {
  /** Column and row of the chunk among the chunks of the arrays. */
  readonly column: number;
  readonly row: number;
  readonly labels: Uint32Array;
  readonly status: Uint8Array;
}

interface BuildTileOptions {
  readonly signal: AbortSignal;
  /** Cells done of the rectangle that holds the tile's chunks. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Labels the chunks of a tile: one shard's share of the arrays of `grid`. Rejects with what the raster's reader throws. */
export async function buildLabels(
  raster: LabelledRaster,
  grid: LabelGrid,
  tile: LabelTile,
  { signal, onProgress }: BuildTileOptions,
): Promise<BuiltTile> {
  const area = areaOfTile(grid, tile);
  const total = area.width * area.height;
  const own = (cells: CellArea): CellArea => ({
    ...cells,
    column: cells.column + grid.origin.column,
    row: cells.row + grid.origin.row,
  });
  const region = await labelRegion(raster, own(area), {
    bounds: own(grid.bounds),
    origin: grid.origin,
    signal,
    onProgress: (cells) => onProgress?.(cells, total),
  });
  return {
    segments: region.segments,
    *chunks() {
      const { chunk, shard } = grid;
      const perShard = shard / chunk;
      for (let i = 0; i < tile.chunks.length; i++) {
        if (tile.chunks[i] === 0) continue;
        const column = tile.column * perShard + (i % perShard);
        const row = tile.row * perShard + Math.floor(i / perShard);
        const cells = { column: column * chunk, row: row * chunk, width: chunk, height: chunk };
        yield {
          column,
          row,
          get labels() {
            return cutChunk(region.labels, region.width, area, cells, new Uint32Array(chunk * chunk));
          },
          get status() {
            const status = cutChunk(region.status, region.width, area, cells, new Uint8Array(chunk * chunk));
            markOutside(raster, own(cells), status);
            return status;
          },
        };
      }
    },
  };
}

/** Copies the cells of a chunk out of those of an area, whose rows are `width` long. */
function cutChunk<T extends Uint32Array | Uint8Array>(
  from: T,
  width: number,
  area: CellArea,
  cells: CellArea,
  out: T,
): T {
  for (let row = 0; row < cells.height; row++) {
    const start = (cells.row - area.row + row) * width + cells.column - area.column;
    out.set(from.subarray(start, start + cells.width), row * cells.width);
  }
  return out;
}

/** Where the raster has no file a cell is outside, not without data. Cells that have data lie in a file. */
function markOutside(raster: LabelledRaster, cells: CellArea, out: Uint8Array): void {
  const { phase } = raster;
  const covers = (x: number, y: number): boolean => raster.covers(x, y);
  const x = (column: number): number => 2 * (cells.column + column) + phase.x;
  const y = (row: number): number => 2 * (cells.row + row) + phase.y;
  const [right, bottom] = [cells.width - 1, cells.height - 1];
  // Files are larger than chunks, and none is missing between others of a chunk's size.
  const isWhole =
    covers(x(0), y(0)) &&
    covers(x(right) + 1, y(0)) &&
    covers(x(0), y(bottom) + 1) &&
    covers(x(right) + 1, y(bottom) + 1);
  if (isWhole) return;
  for (let row = 0; row < cells.height; row++) {
    for (let column = 0; column < cells.width; column++) {
      const cell = row * cells.width + column;
      if (out[cell] !== CELL_STATUS.nodata) continue;
      const [left, top] = [x(column), y(row)];
      const isCovered =
        covers(left, top) || covers(left + 1, top) || covers(left, top + 1) || covers(left + 1, top + 1);
      if (!isCovered) out[cell] = CELL_STATUS.outside;
    }
  }
}
