import { findCrs, type Projection } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { PixelWindow } from '../../geo/zonal/cover-pixels.ts';
import type { PixelGrid } from '../../geo/zonal/pixel-polygon.ts';
import { assertExpected } from '../contracts/assert-expected.ts';
import type { Contracts } from '../contracts/contracts.ts';
import { withCoalescing } from '../io/coalescing.ts';
import { withOneVersion } from '../io/one-version.ts';
import { fileSource } from '../io/file-source.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { openTiff } from '../formats/tiff/open-tiff.ts';
import { ByteSourceError } from '../io/byte-error.ts';
import { TiffError, type TiffImage } from '../formats/tiff/tiff-image.ts';
import { tilesOfBox, MOST_TILES, type TileRef } from './tile-template.ts';
import type { RasterPlace, RasterSpec } from './raster-spec.ts';

/** An open file of a raster. */
export interface RasterTile {
  /** Address or path and version: names it among all. */
  readonly id: string;
  readonly source: ByteSource;
  readonly image: TiffImage;
  readonly grid: PixelGrid;
  readonly projection: Projection;
  /** The pixels the file is there for: all of them, or those whose centre lies in the box of its name. */
  readonly own: PixelWindow;
  /** Whether its file is still the one that was opened. */
  isCurrent(signal: AbortSignal): Promise<boolean>;
}

/** What opening a file has to know of its raster. */
interface TiledSpec extends Pick<RasterSpec, 'band'> {
  readonly dataset: Pick<RasterSpec['dataset'], 'dataset'>;
}

/** The files of rasters, opened when they are first needed. */
export interface RasterTiles {
  /**
   * An open file; null when there is no such tile: the list of tiles or the folder of this machine says so, or the sentinel of
   * the dataset is there. Rejects when it cannot be read, is not what the dataset's contract says, or is not there: an address
   * that answers 404 may have moved, which is no ground without data.
   */
  open(spec: TiledSpec, place: RasterPlace, ref: TileRef, signal: AbortSignal): Promise<RasterTile | null>;
  /** Closes all but the files opened last. */
  trim(): Promise<void>;
  close(): Promise<void>;
}

/** Headers kept between two batches of plots; that of a public tile takes about 1 MB. */
const KEPT = 64;

/** Blocks of a file up to which its tables are read with its header; tiles of 10 degrees have 60,000. */
const MOST_TABLES = 131_072;

/** The files of a place that a box in degrees overlaps. @throws RangeError when there are too many. */
export function tilesAt({ address, scheme }: RasterPlace, box: Bbox): readonly TileRef[] {
  if (scheme === null) return [{ address, box: null }];
  const tiles = tilesOfBox(scheme, box);
  if (tiles === null) throw new RangeError(`wanted a plot on at most ${MOST_TILES} tiles, got one on more`);
  return tiles;
}

/** What raster files are read with. */
interface RasterFiles {
  /** The bytes at an address. */
  remote(url: string): ByteSource;
  /** Of the datasets at addresses. */
  readonly contracts: Pick<Contracts, 'require' | 'isMissingBelieved' | 'expectation'>;
}

/** Opens files by themselves and addresses by `remote`. */
export function openRasterTiles({ remote, contracts }: RasterFiles): RasterTiles {
  const opened = new Map<string, Promise<RasterTile | null>>();
  const files = new Map<string, AsyncDisposable>();

  async function closeTile(key: string, tile: Promise<RasterTile | null>): Promise<void> {
    await tile.catch(() => null);
    await files.get(key)?.[Symbol.asyncDispose]();
    files.delete(key);
  }

  function sourceOf(key: string, { isRemote }: RasterPlace, address: string): ByteSource {
    if (isRemote) return remote(address);
    const file = fileSource(address);
    files.set(key, file);
    return withCoalescing(file);
  }

  const open: RasterTiles['open'] = async (spec, place, ref, signal) => {
    if (ref.isUnlisted === true) return null;
    const key = `${spec.dataset.dataset}\n${ref.address}`;
    const known = opened.get(key);
    if (known !== undefined) {
      // What was opened when the dataset was in order is not read when it no longer is.
      if (place.isRemote) await contracts.require(spec.dataset.dataset, signal);
      if (!(await isReplaced(known, signal))) return known;
      if (opened.get(key) === known) opened.delete(key);
      return open(spec, place, ref, signal);
    }
    const source = sourceOf(key, place, ref.address);
    const opening = place.isRemote
      ? openOutside(source, spec, ref, contracts, signal)
      : openLocal(source, spec, ref, signal);
    opened.set(key, opening);
    // Neither a failure nor a tile that is not there stays so for ever.
    const forget = (): void => {
      if (opened.get(key) === opening && opened.delete(key)) void closeTile(key, opening);
    };
    opening.then((tile) => (tile === null ? setTimeout(forget, MISSING_MS).unref() : null), forget);
    return opening;
  };

  return {
    open,
    async trim() {
      const old = [...opened].slice(0, Math.max(0, opened.size - KEPT));
      for (const [key] of old) opened.delete(key);
      await Promise.all(old.map(([key, tile]) => closeTile(key, tile)));
    },
    async close() {
      const all = [...opened];
      opened.clear();
      await Promise.all(all.map(([key, tile]) => closeTile(key, tile)));
    },
  };
}

/** How long a tile that was not there is believed not to be. */
const MISSING_MS = 600_000;

/** Statuses of a server for a file that is not there; some say 403 where nobody may list. */
const MISSING: ReadonlySet<number | null> = new Set([403, 404, 410]);

/** Opens a file at an address, and sees meanwhile whether its dataset is what it was. */
async function openOutside(
  source: ByteSource,
  spec: TiledSpec,
  ref: TileRef,
  contracts: RasterFiles['contracts'],
  signal: AbortSignal,
): Promise<RasterTile | null> {
  const { dataset } = spec.dataset;
  const [opened, held] = await Promise.allSettled([
    openTile(source, spec, ref, signal),
    contracts.require(dataset, signal),
  ]);
  if (held.status === 'rejected') throw held.reason;
  if (opened.status === 'fulfilled') {
    assertExpected(opened.value.image, contracts.expectation(dataset), ref);
    return opened.value;
  }
  if (ref.box === null || !isMissing(opened.reason)) throw opened.reason;
  if (await contracts.isMissingBelieved(dataset, signal)) return null;
  if (opened.reason instanceof ByteSourceError) throw opened.reason;
  throw new RangeError('a tile of it was not found (404), and nothing says that there is none');
}

/** Opens a file of this machine, whose folder lists its own tiles. */
async function openLocal(
  source: ByteSource,
  spec: TiledSpec,
  ref: TileRef,
  signal: AbortSignal,
): Promise<RasterTile | null> {
  return openTile(source, spec, ref, signal).catch((error: unknown) => {
    if (ref.box !== null && error instanceof TiffError && error.kind === 'missing') return null;
    throw error;
  });
}

function isMissing(error: unknown): boolean {
  if (error instanceof TiffError) return error.kind === 'missing';
  return error instanceof ByteSourceError && error.kind === 'status' && MISSING.has(error.status);
}

/** Whether the file of an open tile is another one by now, as with maps that are renewed at their address. */
async function isReplaced(opened: Promise<RasterTile | null>, signal: AbortSignal): Promise<boolean> {
  try {
    const tile = await opened;
    return tile !== null && !(await tile.isCurrent(signal));
  } catch {
    // Whoever reads it finds out what is wrong.
    return false;
  }
}

async function openTile(
  bare: ByteSource,
  { band }: TiledSpec,
  { box }: TileRef,
  signal: AbortSignal,
): Promise<RasterTile> {
  const source = withOneVersion(bare);
  const image = await openTiff(source, signal, { mostTables: MOST_TABLES });
  const { transform, crs: name } = image;
  if (transform === null || name === null) throw new Error(`${source.id}: wanted a GeoTIFF that says where it lies`);
  const crs = findCrs(name);
  if ('refused' in crs) throw new Error(`${source.id}: ${crs.refused}`);
  if (transform[1] !== 0 || transform[3] !== 0)
    throw new Error(`${source.id}: wanted rows along the axes of ${name}, got a rotated raster`);
  if (band >= image.bands) throw new Error(`${source.id}: wanted band ${band + 1}, got ${image.bands} bands`);
  const grid = { transform, crs };
  const version = (await source.stat({ signal }))?.version ?? null;
  return {
    id: JSON.stringify([source.id, version]),
    source,
    image,
    grid,
    projection: openProjection(crs),
    own: ownPixels(image, grid, box),
    isCurrent: (inner) => source.isCurrent({ signal: inner }),
  };
}

/** Tiles may reach a little over the box of their name; what does belongs to the neighbour. */
function ownPixels({ width, height }: TiffImage, { transform, crs }: PixelGrid, box: Bbox | null): PixelWindow {
  if (box === null || crs.code !== 4326) return { x0: 0, y0: 0, width, height };
  const [a, , c, , e, f] = transform;
  const columns = centresBetween((box[0] - c) / a, (box[2] - c) / a, width);
  const rows = centresBetween((box[1] - f) / e, (box[3] - f) / e, height);
  return { x0: columns[0], y0: rows[0], width: columns[1] - columns[0], height: rows[1] - rows[0] };
}

/** First pixel and the one after the last whose centre lies between two edges in pixels, the lower one included. */
function centresBetween(one: number, other: number, count: number): readonly [number, number] {
  const first = Math.max(0, Math.ceil(Math.min(one, other) - 0.5 - 1e-6));
  const end = Math.min(count, Math.ceil(Math.max(one, other) - 0.5 - 1e-6));
  return [first, Math.max(first, end)];
}
