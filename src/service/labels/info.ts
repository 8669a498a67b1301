import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltTile, readBuiltTiles } from '../../readers/label-store/built-tiles.ts';
import type { StoreDocument, StoreEntry } from '../../readers/label-store/store-document.ts';
import { readStoreDocument } from '../../readers/label-store/write-label-store.ts';

/** What one raster and year of a store holds. */
export interface StoreLayerInfo {
  readonly entry: StoreEntry;
  /** Shards of which something was built. */
  readonly tiles: number;
  readonly cells: BuiltTile['cells'];
  readonly segments: number;
  /** Square kilometres of the cells that are not outside, on the lattice; null for a lattice in degrees. */
  readonly areaKm2: number | null;
  /** Bytes of the arrays on disk. */
  readonly bytes: number;
  /** Seconds all builds of its tiles took, added up over workers. */
  readonly seconds: number;
}

export interface StoreInfo {
  readonly folder: string;
  readonly dataset: StoreDocument['dataset'];
  readonly layers: readonly StoreLayerInfo[];
}

/** What the store in a folder holds, from the records of its tiles; null when there is none. */
export async function storeInfo(folder: string, signal: AbortSignal): Promise<StoreInfo | null> {
  const document = await readStoreDocument(folder, signal);
  if (document === null) return null;
  const layers: StoreLayerInfo[] = [];
  for (const entry of document.entries) layers.push(await layerInfo(folder, entry));
  return { folder, dataset: document.dataset, layers };
}

async function layerInfo(folder: string, entry: StoreEntry): Promise<StoreLayerInfo> {
  const tiles = await readBuiltTiles(folder, entry);
  const cells = { outside: 0, nodata: 0, background: 0, forest: 0, unresolved: 0 };
  for (const tile of tiles) for (const state of STATES) cells[state] += tile.cells[state];
  const inside = cells.nodata + cells.background + cells.forest + cells.unresolved;
  const { crs, cellWidth, cellHeight } = entry.lattice;
  return {
    entry,
    tiles: tiles.length,
    cells,
    segments: tiles.reduce((sum, { segments }) => sum + segments, 0),
    areaKm2: crs === 'EPSG:4326' ? null : (inside * cellWidth * cellHeight) / 1e6,
    bytes: await bytesBelow(join(folder, entry.path)),
    seconds: tiles.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

const STATES = ['outside', 'nodata', 'background', 'forest', 'unresolved'] as const;

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  let bytes = 0;
  for (const entry of entries) if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
