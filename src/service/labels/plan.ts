import {
  areaOfTile,
  cellsOfBox,
  type DegreeBox,
  type LabelGrid,
  type LabelTile,
  planTiles,
} from '../../forest/build-labels-plan.ts';
import { type CellArea, growArea } from '../../geo/segmentation/cell-area.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { readBuiltTile } from '../../readers/label-store/built-tiles.ts';
import type { StoreEntry } from '../../readers/label-store/store-document.ts';
import { entryOf, entryPath, gridOf } from './tile.ts';
import { WORLD } from '../../geo/shapes/shape.ts';

export interface StoreRequest {
  /** Folder of the store. */
  readonly folder: string;
  /** What to label, in degrees; null: all that the rasters hold. */
  readonly box: DegreeBox | null;
  /** One tile by the name that plans and reports give it, in place of a box; null: all. */
  readonly tile: string | null;
  /** Null: the newest the dataset has. */
  readonly year: number | null;
  /** Plans also what has been built. */
  readonly force: boolean;
  /** Only this part of the tiles, the same whatever has been built; null: all. */
  readonly part: StorePart | null;
  /** Cells a side of chunks and shards; default 256 and 4096. */
  readonly sizes?: { readonly chunk?: number; readonly shard?: number };
}

/** One of `count` parts that processes without a shared queue build, such as the tasks of an array job; from 0. */
export interface StorePart {
  readonly index: number;
  readonly count: number;
}

/** A tile with where it belongs. */
export interface PlannedTile {
  readonly name: string;
  readonly entry: StoreEntry;
  readonly tile: LabelTile;
  /** Cells of the rectangle that will be labelled. */
  readonly cells: number;
}

export interface StorePlan {
  readonly entries: readonly StoreEntry[];
  /** What there is to do. */
  readonly tiles: readonly PlannedTile[];
  /** Tiles that are left out because all of them has been built. */
  readonly built: number;
}

/**
 * Plans the tiles of a request: every shard that it touches, less what has been built of the same year by the same
 * algorithm from the same version of the dataset.
 * @throws Error when the dataset has nothing there, or there is no such tile.
 */
export async function planStore(
  source: EmbeddingSource,
  request: StoreRequest,
  signal: AbortSignal,
): Promise<StorePlan> {
  const { box, year, tile: wanted, sizes = {} } = request;
  const { dataset } = source;
  const rasters = await source.rasters(box ?? WORLD, year, signal);
  const entries: StoreEntry[] = [];
  const all: PlannedTile[] = [];
  for (const raster of rasters) {
    if (wanted !== null && !wanted.startsWith(`${entryPath(raster)}/`)) continue;
    const planned = await planRaster(raster, request, dataset.version, sizes, signal);
    if (planned.tiles.length === 0) continue;
    entries.push(planned.entry);
    all.push(...planned.tiles);
  }
  if (all.length === 0) {
    const years = year === null ? '' : ` of ${year}`;
    const place = wanted === null ? `the box ${(box ?? WORLD).join(',')}` : `the tile ${wanted}`;
    throw new Error(`${dataset.id} has no embeddings${years} in ${place}`);
  }
  const wantedTiles = request.part === null ? all : tilesOfPart(all, request.part);
  const tiles: PlannedTile[] = [];
  for (const tile of wantedTiles) if (request.force || !(await isBuilt(request.folder, tile))) tiles.push(tile);
  return { entries, tiles, built: wantedTiles.length - tiles.length };
}

/**
 * The tiles of a part: a run of neighbours, so that what surrounds them is read once, cut where the parts have as many
 * cells as each other. A tile belongs to the part that its middle cell falls in.
 */
export function tilesOfPart<T extends Pick<PlannedTile, 'cells'>>(
  tiles: readonly T[],
  { index, count }: StorePart,
): readonly T[] {
  const total = tiles.reduce((sum, { cells }) => sum + cells, 0);
  let before = 0;
  return tiles.filter(({ cells }) => {
    const middle = before + cells / 2;
    before += cells;
    return Math.floor((middle * count) / total) === index;
  });
}

async function planRaster(
  raster: EmbeddingRaster,
  { box, tile: wanted }: StoreRequest,
  datasetVersion: string,
  sizes: NonNullable<StoreRequest['sizes']>,
  signal: AbortSignal,
): Promise<{ entry: StoreEntry; tiles: PlannedTile[] }> {
  const { grid, phase } = await gridOf(raster, sizes, signal);
  const entry = entryOf(raster, grid, phase, datasetVersion);
  const area = wanted !== null ? cellsOfTile(grid, wanted) : box === null ? grid.bounds : cellsOfBox(grid, box);
  const tiles = planTiles(grid, raster, area, phase).map((tile) => {
    const { width, height } = areaOfTile(grid, tile);
    return { name: `${entry.path}/${tile.row}.${tile.column}`, entry, tile, cells: width * height };
  });
  return { entry, tiles };
}

/** The cells of the tile `EPSG_32616/2024/65.5`: row and column of a shard, within the raster. */
function cellsOfTile({ shard, bounds }: LabelGrid, name: string): CellArea {
  const [, row, column] = /\/(\d{1,6})\.(\d{1,6})$/.exec(name) ?? [];
  if (row === undefined) return { ...bounds, width: 0, height: 0 };
  return growArea({ column: Number(column) * shard, row: Number(row) * shard, width: shard, height: shard }, 0, bounds);
}

async function isBuilt(folder: string, { entry, tile }: PlannedTile): Promise<boolean> {
  const built = await readBuiltTile(folder, entry, tile.column, tile.row);
  return built !== null && tile.chunks.every((isWanted, i) => isWanted === 0 || built.chunks[i] === 1);
}
