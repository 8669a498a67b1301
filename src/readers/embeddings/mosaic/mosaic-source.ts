import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createShared } from '../../io/share.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import { folderStore, remoteStore, type ZarrStore } from '../../formats/zarr/zarr-store.ts';
import type { CodeBlocks } from '../cog/code-blocks.ts';
import {
  deadlineOf,
  type EmbeddingDeps,
  type EmbeddingPlace,
  type EmbeddingSource,
  withinDeadline,
} from '../embedding-source.ts';
import { openMosaicLayout, type MosaicLayout } from './layout.ts';
import type { PlacePixel } from './phase.ts';
import { mosaicBlocks } from './mosaic-blocks.ts';
import { createMosaicRaster, mosaicBlockUnder, type MosaicRaster, type MosaicYear } from './mosaic-raster.ts';
import { pixelsOfDegrees, standardZone, toPixel } from '../zone-raster/degrees.ts';
import { zoneLattice, type RasterLattice } from '../zone-raster/lattice.ts';
import { phaseStore } from '../zone-raster/phase.ts';
import type { Decoder } from '../decode/decoder.ts';
import { DAY_MS } from '../../../durations.ts';
import { WORLD } from '../../../geo/shapes/shape.ts';

/** What a mosaic is opened with. */
export interface MosaicDeps extends Pick<EmbeddingDeps, 'dataDir' | 'reportFailure'> {
  /** The bytes at an address, with retries and limits around them; a cache is of no use below one of blocks. */
  remote: EmbeddingDeps['remote'];
  /** Decodes chunks in other threads; absent: the thread that waits does more of it, and takes new memory for each. */
  readonly decoder?: Decoder;
  /** Blocks through the cache of blocks. */
  cached(blocks: CodeBlocks): CodeBlocks;
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number;
}

/** Rasters kept with their phase. */
const KEPT_RASTERS = 32;
/** How long what the mosaic says of itself is believed: a new year appears once a year. */
const FRESH_MS = DAY_MS;
/** How long the next try waits after a failed query. */
const AGAIN_MS = 600_000;

/**
 * AEF as a Zarr v3 mosaic in degrees (`zarr`, with `url` or `path`), such as the public one of Source Cooperative. Seen
 * from outside it is like the COGs: a raster is a whole UTM zone on the lattice of AEF's own pixels, and a place is
 * answered from the zone of its longitude. Nothing is read before the first lookup.
 *
 * A place is answered from the newest year that stores a chunk there, which costs an index of some kilobytes the first
 * time, and one for each older year where the newest has none.
 */
export function openMosaic(dataset: Dataset, deps: MosaicDeps): EmbeddingSource {
  const deadlineMs = deadlineOf(dataset);
  const store = storeOf(dataset, deps);
  const { now = () => performance.now(), reportFailure = () => {} } = deps;
  const shareOpening = createShared<OpenMosaic>();
  let opened: OpenMosaic | null = null;
  let checkAt = 0;

  async function open(signal: AbortSignal): Promise<OpenMosaic> {
    const layout = await openMosaicLayout(store, signal);
    const place = dataset.url ?? dataset.path ?? dataset.id;
    if (layout === null) throw new ByteSourceError('status', place, 'there is no mosaic', { status: 404 });
    if (opened !== null && opened.layout.array.id === layout.array.id) return opened;
    const version = createHash('sha256').update(layout.array.id).digest('hex').slice(0, 16);
    const folder = join(deps.dataDir, 'aef-mosaic', version);
    return createMosaic(layout, deps, (of, epsg) =>
      createMosaicRaster({
        of,
        epsg,
        reach: 'bbox' in dataset.coverage ? dataset.coverage.bbox : WORLD,
        deadlineMs,
        phases: phaseStore(folder, dataset.id, `${epsg}-${of.year}`),
      }),
    );
  }

  async function mosaic(signal: AbortSignal): Promise<OpenMosaic> {
    if (opened !== null && now() < checkAt) return opened;
    try {
      opened = await shareOpening('open', signal, open);
      checkAt = now() + FRESH_MS;
    } catch (error) {
      signal.throwIfAborted();
      if (opened === null) throw error;
      checkAt = now() + AGAIN_MS;
      const detail = `the mosaic could not be checked for a newer version: ${(error as Error).message}`;
      reportFailure(dataset.id, new Error(detail, { cause: error }));
    }
    return opened;
  }

  return {
    dataset,
    at: (lon, lat, signal) =>
      withinDeadline(deadlineMs, dataset.id, signal, async (inner) => placeIn(await mosaic(inner), lon, lat, inner)),
    rasters: (bbox, year, signal) =>
      withinDeadline(deadlineMs, dataset.id, signal, async (inner) => {
        const { layout, years, rasterOf } = await mosaic(inner);
        const of = year === null ? years[0] : years.find((one) => one.year === year);
        if (of === undefined || !touches(layout, bbox)) return [];
        return zonesOf(bbox).map((epsg) => rasterOf(of, epsg));
      }),
    close: async () => {},
  };
}

type DegreeBox = Parameters<EmbeddingSource['rasters']>[0];

interface OpenMosaic {
  readonly layout: MosaicLayout;
  /** The newest first. */
  readonly years: readonly MosaicYear[];
  rasterOf(of: MosaicYear, epsg: number): MosaicRaster;
}

function createMosaic(
  layout: MosaicLayout,
  { cached, decoder }: Pick<MosaicDeps, 'cached' | 'decoder'>,
  create: (of: MosaicYear, epsg: number) => MosaicRaster,
): OpenMosaic {
  const rasters = new Map<string, MosaicRaster>();
  const years = layout.years
    .map((year, step) => ({ layout, year, step, blocks: cached(mosaicBlocks(layout.array, step, decoder)) }))
    .toSorted((a, b) => b.year - a.year);
  return {
    layout,
    years,
    rasterOf(of, epsg) {
      const key = `${epsg}-${of.year}`;
      const raster = rasters.get(key) ?? create(of, epsg);
      rasters.delete(key);
      rasters.set(key, raster);
      if (rasters.size > KEPT_RASTERS) rasters.delete(rasters.keys().next().value as string);
      return raster;
    },
  };
}

async function placeIn(
  { layout, years, rasterOf }: OpenMosaic,
  lon: number,
  lat: number,
  signal: AbortSignal,
): Promise<EmbeddingPlace | null> {
  const epsg = standardZone(lon, lat);
  const lattice = zoneLattice(epsg);
  const { x, y } = toPixel(lattice, lon, lat);
  const pixel = { x: Math.floor(x), y: Math.floor(y) };
  const year = await newestAt(layout, years, lattice, pixel, signal);
  return year === null ? null : { raster: rasterOf(year, epsg).near(pixel), x, y };
}

/** The newest year that stores the block under a pixel. The others are queried, all at once, only where the newest has none. */
async function newestAt(
  layout: MosaicLayout,
  years: readonly MosaicYear[],
  lattice: RasterLattice,
  { x, y }: PlacePixel,
  signal: AbortSignal,
): Promise<MosaicYear | null> {
  const block = mosaicBlockUnder(layout, lattice, x, y);
  if (block === null) return null;
  const isStored = ({ step }: MosaicYear): Promise<boolean> => layout.array.has([step, 0, block.by, block.bx], signal);
  const [newest, ...older] = years;
  if (await isStored(newest)) return newest;
  const answers = await Promise.allSettled(older.map(isStored));
  for (const [i, answer] of answers.entries()) {
    // A year that cannot be queried may be the one.
    if (answer.status === 'rejected') throw answer.reason;
    if (answer.value) return older[i];
  }
  return null;
}

function touches(layout: MosaicLayout, [west, south, east, north]: DegreeBox): boolean {
  const bottom = layout.north - layout.height * layout.pixelHeight;
  const width = (east >= west ? east : east + 360) - west;
  // Degrees by which the box begins east of the mosaic, and the mosaic east of the box.
  const after = (((west - layout.west) % 360) + 360) % 360;
  const isOutside = after > layout.width * layout.pixelWidth && 360 - after > width;
  return south <= layout.north && north >= bottom && !isOutside;
}

/** EPSG codes of the zones that a box in degrees touches; one whose west is above its east runs over the antimeridian. */
function zonesOf(bbox: DegreeBox): number[] {
  const [west, south, east, north] = bbox;
  const turns = east >= west ? east : east + 360;
  const zones = new Set<number>();
  for (let zone = Math.floor((west + 180) / 6); zone <= Math.floor((turns + 180) / 6); zone++) {
    const lon = -177 + 6 * (((zone % 60) + 60) % 60);
    if (north >= 0) zones.add(standardZone(lon, 0));
    if (south < 0) zones.add(standardZone(lon, -1));
  }
  return [...zones].filter((epsg) => pixelsOfDegrees(zoneLattice(epsg), bbox) !== null).toSorted((a, b) => a - b);
}

function storeOf({ url, path }: Dataset, deps: MosaicDeps): ZarrStore {
  return path === undefined ? remoteStore(url ?? '', { open: deps.remote }) : folderStore(path);
}
