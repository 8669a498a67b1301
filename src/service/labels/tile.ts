import { buildLabels } from '../../forest/build-labels.ts';
import { labelGrid, type LabelGrid, type LabelTile } from '../../forest/build-labels-plan.ts';
import { ALGORITHM } from '../../geo/segmentation/find-segment.ts';
import { CELL_STATUS } from '../../geo/segmentation/region/label-region-cut.ts';
import { countMarkers } from '../../geo/segmentation/region/label-region.ts';
import type { EmbeddingRaster } from '../../readers/embeddings/embedding-source.ts';
import { type BuiltTile, readBuiltTile, writeBuiltTile } from '../../readers/label-store/built-tiles.ts';
import { openLabelChunks } from '../../readers/label-store/label-chunks.ts';
import type { StoreEntry } from '../../readers/label-store/store-document.ts';
import { removeDrafts, writeLabelShard } from '../../readers/label-store/write-label-store.ts';
import { openZarrArray } from '../../readers/formats/zarr/open-zarr.ts';
import { folderStore } from '../../readers/formats/zarr/zarr-store.ts';

interface BuildTileRequest {
  /** Folder of the store. */
  readonly folder: string;
  readonly entry: StoreEntry;
  readonly raster: EmbeddingRaster;
  readonly tile: LabelTile;
  /** Labels chunks again that have been built. */
  readonly force: boolean;
}

/** The arrays that take the labels of a raster, with the phase of its blocks. */
export async function gridOf(
  raster: EmbeddingRaster,
  sizes: { readonly chunk?: number; readonly shard?: number },
  signal: AbortSignal,
): Promise<{ readonly grid: LabelGrid; readonly phase: StoreEntry['phase'] }> {
  const { x, y } = await raster.phase(signal);
  return { grid: labelGrid(raster, { x, y }, sizes), phase: { x, y } };
}

/** Where the arrays of a raster are in a store. */
export function entryPath({ id, year }: Pick<EmbeddingRaster, 'id' | 'year'>): string {
  return `${id.replaceAll(/[^\w.-]/g, '_')}/${year}`;
}

/** What a store says of the arrays of a raster. */
export function entryOf(
  raster: EmbeddingRaster,
  { lattice, column, row, width, height, chunk, shard }: LabelGrid,
  phase: StoreEntry['phase'],
  datasetVersion: string,
): StoreEntry {
  const place = { lattice, column, row, width, height, chunk, shard, phase };
  return {
    path: entryPath(raster),
    raster: raster.id,
    year: raster.year,
    algorithm: ALGORITHM,
    datasetVersion,
    ...place,
    coverage: [],
  };
}

/**
 * Labels the chunks of a tile that have not been built yet, writes them into the store and records it. Null when all of
 * them had been. Rejects when the raster is not the one the store was made for, and with what its reader throws.
 */
export async function buildTile(
  { folder, entry, raster, tile, force }: BuildTileRequest,
  signal: AbortSignal,
  onProgress: (cells: number, total: number) => void = () => {},
): Promise<BuiltTile | null> {
  const begun = performance.now();
  const before = await readBuiltTile(folder, entry, tile.column, tile.row);
  const chunks = tile.chunks.map((wanted, i) => (wanted === 1 && (force || before?.chunks[i] !== 1) ? 1 : 0));
  if (!chunks.includes(1)) return null;
  await removeDrafts(folder, entry, tile);
  const { grid, phase } = await gridOf(raster, entry, signal);
  assertGrid(entry, entryOf(raster, grid, phase, entry.datasetVersion));
  const source = {
    phase,
    width: raster.width,
    height: raster.height,
    covers: (x: number, y: number) => raster.covers(x, y),
    window: (x0: number, y0: number, width: number, height: number) => raster.window(x0, y0, width, height, signal),
  };
  const built = await buildLabels(source, grid, { ...tile, chunks }, { signal, onProgress });
  await writeLabelShard(folder, entry, tile, () => built.chunks(), signal);
  const all = chunks.map((isNew, i) => isNew | (before?.chunks[i] ?? 0));
  const counts = await countShard(folder, entry, { ...tile, chunks: all }, signal);
  const seconds = Math.round(performance.now() - begun) / 1000;
  const record = { ...tile, chunks: all, ...counts, seconds, builtAt: new Date().toISOString() };
  await writeBuiltTile(folder, entry, record);
  return record;
}

function assertGrid(there: StoreEntry, here: StoreEntry): void {
  for (const name of ['algorithm', 'lattice', 'phase', 'column', 'row', 'width', 'height'] as const) {
    const [wanted, got] = [JSON.stringify(there[name]), JSON.stringify(here[name])];
    if (wanted !== got)
      throw new Error(`${there.raster}: the store wants the ${name} ${wanted}, the raster has ${got}`);
  }
}

/** Counts what the arrays hold of a shard, as they were written. */
async function countShard(folder: string, entry: StoreEntry, tile: LabelTile, signal: AbortSignal) {
  const [labels, status] = await Promise.all(
    ['labels', 'status'].map((name) => openZarrArray(folderStore(folder), `${entry.path}/${name}`, signal)),
  );
  if (labels === null || status === null) throw new Error(`${folder}: wanted the arrays of ${entry.path}, got none`);
  const nothingKept = { get: () => undefined, set: () => {} };
  const chunks = openLabelChunks(labels, status, nothingKept);
  const counts = new Float64Array(Object.keys(CELL_STATUS).length);
  const perShard = entry.shard / entry.chunk;
  let segments = 0;
  for (let i = 0; i < tile.chunks.length; i++) {
    if (tile.chunks[i] === 0) continue;
    const cx = tile.column * perShard + (i % perShard);
    const cy = tile.row * perShard + Math.floor(i / perShard);
    const states = (await chunks.status(cx, cy, signal)) ?? new Uint8Array(entry.chunk ** 2);
    for (let cell = 0; cell < states.length; cell++) counts[states[cell]]++;
    const numbers = await chunks.labels(cx, cy, signal);
    if (numbers !== null) segments += countMarkers(numbers, entry.chunk, cx * entry.chunk, cy * entry.chunk);
  }
  const [outside, nodata, background, forest, unresolved] = counts;
  return { cells: { outside, nodata, background, forest, unresolved }, segments };
}
