import { findSegment, type FoundSegment } from '../../geo/segmentation/find-segment.ts';
import { forestGate } from '../../geo/segmentation/forest-gate.ts';
import { CELL_STATUS } from '../../geo/segmentation/region/label-region-cut.ts';
import { segmentNumber } from '../../geo/segmentation/region/label-region.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { readBuiltTiles } from '../../readers/label-store/built-tiles.ts';
import { floodChunks } from '../../readers/label-store/flood-chunks.ts';
import { createChunkCache, type LabelChunks, openLabelChunks } from '../../readers/label-store/label-chunks.ts';
import type { StoreEntry } from '../../readers/label-store/store-document.ts';
import { readStoreDocument } from '../../readers/label-store/write-label-store.ts';
import { openZarrArray } from '../../readers/formats/zarr/open-zarr.ts';
import { folderStore } from '../../readers/formats/zarr/zarr-store.ts';

interface VerifyRequest {
  readonly folder: string;
  /** Cells drawn from what was built. */
  readonly sample: number;
  /** Numbers in [0, 1): the same ones draw the same cells. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** What came of one cell. */
interface VerifyReport {
  /** Cells whose segment, cell by cell, label and state are what a live lookup finds. */
  readonly equal: number;
  /** Cells that have to be looked up live, or whose segment runs out of what was built. */
  readonly unresolved: number;
  /** Cells at which the live lookup finds a segment too large to be sure of. */
  readonly undecided: number;
  /** What differs, a sentence each. */
  readonly faults: readonly string[];
}

type Outcome = 'equal' | 'unresolved' | 'undecided' | { readonly fault: string };

/**
 * Draws cells of what was built, finds the segment of each again from the embeddings, and compares it with the store.
 * @throws Error when there is no store, nothing was built, or the embeddings do not have its rasters.
 */
export async function verifyStore(source: EmbeddingSource, request: VerifyRequest): Promise<VerifyReport> {
  const { folder, sample, random, signal } = request;
  const layers = await openLayers(source, folder, signal);
  const total = layers.reduce((sum, { built }) => sum + built.length, 0);
  if (total === 0) throw new Error(`${folder}: nothing has been built yet`);
  const report = { equal: 0, unresolved: 0, undecided: 0, faults: [] as string[] };
  for (let i = 0; i < sample; i++) {
    signal.throwIfAborted();
    let pick = Math.floor(random() * total);
    const layer = layers.find(({ built }) => (pick -= built.length) < 0) as Layer;
    const [cx, cy] = layer.built[pick + layer.built.length];
    const { chunk } = layer.entry;
    const column = cx * chunk + Math.floor(random() * chunk);
    const row = cy * chunk + Math.floor(random() * chunk);
    const outcome = await verifyCell(layer, column, row, signal);
    if (typeof outcome === 'string') report[outcome]++;
    else report.faults.push(`${layer.entry.path}, column ${column}, row ${row}: ${outcome.fault}`);
    request.onProgress(i + 1, sample);
  }
  return report;
}

interface Layer {
  readonly entry: StoreEntry;
  readonly raster: EmbeddingRaster;
  readonly chunks: LabelChunks;
  /** Column and row of every chunk that was built. */
  readonly built: readonly (readonly [column: number, row: number])[];
  /** The cell of the raster's own count that is the first of the arrays. */
  readonly origin: { readonly column: number; readonly row: number };
}

async function openLayers(source: EmbeddingSource, folder: string, signal: AbortSignal): Promise<Layer[]> {
  const document = await readStoreDocument(folder, signal);
  if (document === null) throw new Error(`${folder}: wanted a label store, got none`);
  const layers: Layer[] = [];
  for (const entry of document.entries) {
    const built = await builtChunks(folder, entry);
    if (built.length === 0) continue;
    const rasters = await source.rasters([-180, -90, 180, 90], entry.year, signal);
    const raster = rasters.find(({ id }) => id === entry.raster);
    if (raster === undefined) throw new Error(`${source.dataset.id} has no raster ${entry.raster} of ${entry.year}`);
    const [labels, status] = await Promise.all(
      ['labels', 'status'].map((name) => openZarrArray(folderStore(folder), `${entry.path}/${name}`, signal)),
    );
    if (labels === null || status === null) throw new Error(`${folder}: wanted the arrays of ${entry.path}, got none`);
    const chunks = openLabelChunks(labels, status, createChunkCache(CACHE_BYTES));
    layers.push({ entry, raster, chunks, built, origin: originOf(entry, raster) });
  }
  return layers;
}

const CACHE_BYTES = 64 * 1024 * 1024;

async function builtChunks(folder: string, entry: StoreEntry): Promise<[number, number][]> {
  const perShard = entry.shard / entry.chunk;
  const tiles = await readBuiltTiles(folder, entry);
  return tiles.flatMap(({ column, row, chunks }) =>
    [...chunks.keys()]
      .filter((i) => chunks[i] === 1)
      .map((i): [number, number] => [column * perShard + (i % perShard), row * perShard + Math.floor(i / perShard)]),
  );
}

/** Where the arrays begin, in cells of the raster. */
function originOf({ lattice, column, row, phase }: StoreEntry, { transform }: EmbeddingRaster) {
  const [a, , c, , e, f] = transform;
  const x = lattice.originX + column * lattice.cellWidth;
  const y = lattice.originY - row * lattice.cellHeight;
  return { column: Math.round(((x - c) / a - phase.x) / 2), row: Math.round(((y - f) / e - phase.y) / 2) };
}

async function verifyCell(layer: Layer, column: number, row: number, signal: AbortSignal): Promise<Outcome> {
  const { entry, raster, chunks, origin } = layer;
  const { chunk, phase } = entry;
  const [cx, cy] = [Math.floor(column / chunk), Math.floor(row / chunk)];
  const place = (row % chunk) * chunk + (column % chunk);
  const state = (await chunks.status(cx, cy, signal))?.[place] ?? CELL_STATUS.outside;
  if (state === CELL_STATUS.unresolved) return 'unresolved';
  const [x, y] = [2 * (column + origin.column) + phase.x, 2 * (row + origin.row) + phase.y];
  const window = (x0: number, y0: number, width: number, height: number) =>
    raster.window(x0, y0, width, height, signal);
  const found = await findSegment({ phase, window }, x, y, { signal });
  if (found === null) {
    const isEmpty = state === CELL_STATUS.outside || state === CELL_STATUS.nodata;
    return isEmpty ? 'equal' : { fault: `the store has state ${state}, the embeddings have no data` };
  }
  if (!found.proven) return 'undecided';
  const isForest = forestGate(found).isForest;
  const wanted = isForest ? CELL_STATUS.forest : CELL_STATUS.background;
  if (state !== wanted) return { fault: `wanted state ${wanted}, the store has ${state}` };
  const label = (await chunks.labels(cx, cy, signal))?.[place];
  const number = segmentNumber(found.marker[0] - origin.column, found.marker[1] - origin.row);
  if (label !== number) return { fault: `wanted the label ${number}, the store has ${label}` };
  const flooded = await floodChunks(chunks, column, row, signal);
  if (flooded === null) return 'unresolved';
  const isSame =
    flooded.area === found.area &&
    flooded.column === found.column - origin.column &&
    flooded.row === found.row - origin.row &&
    isEqualMask(flooded.mask, found);
  return isSame ? 'equal' : { fault: `wanted a segment of ${found.area} cells, the store has one of ${flooded.area}` };
}

function isEqualMask(mask: Uint8Array, found: FoundSegment): boolean {
  return mask.length === found.mask.length && mask.every((value, i) => value === found.mask[i]);
}
