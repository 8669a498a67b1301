import { type Lattice, latticeProjection } from '../../geo/outline/lattice.ts';
import type { Rings } from '../../geo/outline/rings.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import type { Projection } from '../../geo/crs/find-crs.ts';
import { utmZoneOfEpsg } from '../../geo/crs/utm.ts';
import { ringsOf, traceLabels } from '../../geo/outline/trace-labels.ts';
import { CELL_STATUS } from '../../geo/segmentation/region/label-region-cut.ts';
import { openZarrArray, readZarrGroup } from '../formats/zarr/open-zarr.ts';
import { withFile, type ZarrStore } from '../formats/zarr/zarr-store.ts';
import { floodChunks } from './flood-chunks.ts';
import { type ChunkCache, createChunkCache, type LabelChunks, openLabelChunks } from './label-chunks.ts';
import { parseStoreDocument, type StoreEntry } from './store-document.ts';
import { firstAnswer } from '../../first-answer.ts';

/**
 * What a label store knows of a cell. `outside`: nothing was built there. `unresolved`: a segment larger than the build
 * could prove; it has to be looked up live.
 */
type CellStatus = 'outside' | 'nodata' | 'background' | 'forest' | 'unresolved';

/** The cell that holds a place. */
interface LabelPlace {
  readonly status: CellStatus;
  /** Of the entry whose arrays answer. */
  readonly path: string;
  /** Year of the embeddings the labels were made from. */
  readonly year: number;
  /** Name and version of the algorithm with its parameters, the same text that a live lookup puts into `segmentId`. */
  readonly algorithm: string;
  /** The lattice of cells (not pixels). */
  readonly lattice: Lattice;
  /** The outline of the segment of a `forest` cell: corners on the lattice, inside on the right. Reads the chunks it needs. */
  segment(signal: AbortSignal): Promise<LabelSegment>;
}

interface LabelSegment {
  /** Column, row pairs on the lattice: the exterior ring, then holes. */
  readonly corners: Rings<Int32Array>;
  /** Number of cells. */
  readonly area: number;
}

/** A precomputed store of segment labels. */
export interface LabelSource {
  readonly dataset: Dataset;
  /** Newest year that was built there; null where no array of the store covers the place in degrees. */
  at(lon: number, lat: number, signal: AbortSignal): Promise<LabelPlace | null>;
  /** The arrays of the store as it is now, newer years first. */
  layers(): Promise<readonly LabelLayer[]>;
  close(): Promise<void>;
}

interface LabelStoreDeps {
  /** The files of the store, in a folder or at an address. */
  readonly store: ZarrStore;
  /** Called when the source is closed. */
  readonly close?: () => void;
  /** Bytes of decoded chunks that are kept. Default 64 MiB, 800 chunks of labels with their states. */
  readonly cacheBytes?: number;
}

const CACHE_BYTES = 64 * 1024 * 1024;

/** The codes of the status array, by number. */
const STATES = Object.keys(CELL_STATUS) as readonly CellStatus[];

/**
 * Opens a label store; what it holds is read at the first question and, when that fails, at the next one again. A document
 * that has been replaced is read again, and what was kept of its arrays forgotten.
 * `at` rejects with a `ZarrError` or `ByteSourceError` when the store is broken or cannot be reached.
 */
export function openLabelStore(dataset: Dataset, deps: LabelStoreDeps): LabelSource {
  const { store, cacheBytes = CACHE_BYTES } = deps;
  let opened: { readonly version: string | null; readonly layers: Promise<readonly LabelLayer[]> } | null = null;

  async function layers(): Promise<readonly LabelLayer[]> {
    const version = await documentVersion(store);
    // One that cannot be looked at now, or has no version, is believed to be the same.
    if (opened !== null && (version === null || version === opened.version)) return opened.layers;
    const reading = { version, layers: readLayers(dataset, store, createChunkCache(cacheBytes)) };
    opened = reading;
    reading.layers.catch(() => {
      if (opened === reading) opened = null;
    });
    return reading.layers;
  }

  return {
    dataset,
    async at(lon, lat, signal) {
      signal.throwIfAborted();
      let nearest: LabelPlace | null = null;
      const found = await firstAnswer(inOrder(await layers(), lon, lat), async (layer) => {
        const place = await placeIn(layer, lon, lat, signal);
        if (place !== null && place.status !== 'outside') return place;
        nearest ??= place;
        return null;
      });
      return found ?? nearest;
    },
    layers,
    close: async () => deps.close?.(),
  };
}

async function documentVersion(store: ZarrStore): Promise<string | null> {
  const { signal } = new AbortController();
  const info = await withFile(store, 'zarr.json', (source) => source.stat({ signal })).catch(() => null);
  return info?.version ?? null;
}

/** The arrays of one raster and year. */
export interface LabelLayer {
  readonly entry: StoreEntry;
  readonly projection: Projection;
  /** 1 to 60 for a UTM zone, else null. */
  readonly zone: { readonly zone: number; readonly north: boolean } | null;
  /** Opened when a place in the arrays is first needed. */
  chunks(): Promise<LabelChunks>;
}

async function readLayers(dataset: Dataset, store: ZarrStore, cache: ChunkCache): Promise<readonly LabelLayer[]> {
  // Shared by all callers, so none of them aborts it; every read has a deadline of its own.
  const { signal } = new AbortController();
  const attributes = await readZarrGroup(store, '', signal);
  if (attributes === null) throw new Error(`${dataset.id}: wanted a label store, got nothing at its place`);
  const { entries } = parseStoreDocument(dataset.id, attributes);
  const newestFirst = entries.toSorted((a, b) => b.year - a.year);
  return newestFirst.map((entry) => {
    let chunks: Promise<LabelChunks> | null = null;
    return {
      entry,
      projection: latticeProjection(entry.lattice.crs),
      zone: utmZoneOfEpsg(Number(/^EPSG:(\d+)$/.exec(entry.lattice.crs)?.[1])),
      chunks: () =>
        (chunks ??= openArrays(entry, store, cache, signal).catch((error: unknown) => {
          chunks = null;
          throw error;
        })),
    };
  });
}

async function openArrays(
  entry: StoreEntry,
  store: ZarrStore,
  cache: ChunkCache,
  signal: AbortSignal,
): Promise<LabelChunks> {
  const [labels, status] = await Promise.all(
    ['labels', 'status'].map((name) => openZarrArray(store, `${entry.path}/${name}`, signal)),
  );
  if (labels === null || status === null)
    throw new Error(
      `${entry.path}: wanted the arrays labels and status, got ${(labels ?? status) ? 'one of them' : 'neither'}`,
    );
  const chunks = openLabelChunks(labels, status, cache);
  if (labels.shape[0] !== entry.height || labels.shape[1] !== entry.width || chunks.size !== entry.chunk)
    throw new Error(
      `${entry.path}: wanted arrays of ${entry.height} x ${entry.width} in chunks of ${entry.chunk}, got ${labels.shape.join(' x ')} in ${chunks.size}`,
    );
  return chunks;
}

/** The place's own UTM zone first, then zones next to it, whose rasters reach over, then the rest; newer years first. */
function inOrder(layers: readonly LabelLayer[], lon: number, lat: number): readonly LabelLayer[] {
  if (layers.length < 2) return layers;
  const own = Math.floor((lon + 180) / 6) % 60;
  const rank = ({ zone }: LabelLayer): number => {
    if (zone === null) return 2;
    const apart = Math.abs(zone.zone - 1 - own);
    return 2 * Math.min(apart, 60 - apart) + (zone.north === lat >= 0 ? 0 : 1);
  };
  return layers.filter((layer) => rank(layer) < 4).toSorted((a, b) => rank(a) - rank(b));
}

async function placeIn(layer: LabelLayer, lon: number, lat: number, signal: AbortSignal): Promise<LabelPlace | null> {
  const { entry, projection } = layer;
  const { lattice, width, height, chunk } = entry;
  const xy = new Float64Array(2);
  projection.toXY(lon, lat, xy, 0);
  const column = Math.floor((xy[0] - lattice.originX) / lattice.cellWidth) - entry.column;
  const row = Math.floor((lattice.originY - xy[1]) / lattice.cellHeight) - entry.row;
  if (!(column >= 0 && row >= 0 && column < width && row < height)) return null;
  const chunks = await layer.chunks();
  const [cx, cy] = [Math.floor(column / chunk), Math.floor(row / chunk)];
  // Requested together: nearly every requested place has a segment.
  const labels = chunks.labels(cx, cy, signal);
  labels.catch(() => {});
  const states = await chunks.status(cx, cy, signal);
  const code = states?.[(row % chunk) * chunk + (column % chunk)] ?? 0;
  const status = STATES[code];
  if (status === undefined)
    throw new Error(`${entry.path}: wanted a state from 0 to ${STATES.length - 1}, got ${code}`);
  // A segment that runs out of what was built is not whole, so it is none of this store's.
  const flooded = status === 'forest' ? await floodChunks(chunks, column, row, signal) : null;
  return {
    status: status === 'forest' && flooded === null ? 'unresolved' : status,
    path: entry.path,
    year: entry.year,
    algorithm: entry.algorithm,
    lattice,
    async segment(): Promise<LabelSegment> {
      if (flooded === null) throw new Error(`wanted the segment of a forest cell, got one that is ${status}`);
      const traced = traceLabels({ width: flooded.width, height: flooded.height, labels: flooded.mask });
      const [dx, dy] = [entry.column + flooded.column, entry.row + flooded.row];
      return { corners: ringsOf(traced, 0, dx, dy), area: flooded.area };
    },
  };
}
