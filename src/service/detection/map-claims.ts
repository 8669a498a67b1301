import { reachAround } from '../../geo/shapes/reach.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { createShared } from '../../readers/io/share.ts';
import { tilesAt, type RasterTile, type RasterTiles } from '../../readers/rasters/raster-tiles.ts';
import { tileOfPlace, type TileRef } from '../../readers/rasters/tile-template.ts';
import { readTiffWindow } from '../../readers/formats/tiff/read-window.ts';
import type { TiffImage } from '../../readers/formats/tiff/tiff-image.ts';
import type { CommodityMap } from './maps.ts';
import { createPixelMemory, missingPixels, positionsOf } from './pixel-memory.ts';
import { centresOf, pixelsAt, samplePlaces, windowsOf, type SampledLattice, type SampleWindow } from './places.ts';

/** What a map says of places: 1 where it counts, 0 where it does not, NaN where it does not know or does not reach. */
export interface MapClaims {
  readonly found: Float64Array;
  /** Longitude and latitude of each. */
  readonly lonLats: Float64Array;
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

export interface MapReader {
  /** The pixels of the map drawn within the radius of a shape; none where no tile of it is there. */
  around(map: CommodityMap, shape: Shape, radiusM: number, signal: AbortSignal): Promise<MapClaims>;
  /** The pixels that hold given places. */
  at(map: CommodityMap, lonLats: Float64Array, signal: AbortSignal): Promise<Float64Array>;
}

/** A file of a map, with what its "no data" is. */
interface MapTile {
  readonly tile: RasterTile;
  readonly image: TiffImage;
  readonly lattice: SampledLattice;
  /** Of the file as it was opened: one that was replaced since is another one. */
  readonly number: number;
}

/** Places that lie on one file, by their numbers. */
interface TilePlaces {
  readonly ref: TileRef;
  readonly numbers: number[];
}

/** Bytes that what maps say may take: the samples of a million pixels or more. */
const MEMORY_BYTES = 32_000_000;

/**
 * Reads maps, whose files are opened once, and each pixel that is sampled is read once for all places around it. A tile that is
 * not there is ground without data. Rejects when a file that is there cannot be read or does not say where it lies: what the
 * others say is not an answer for all of the place.
 */
export function createMapReader(openTiles: () => Promise<RasterTiles>): MapReader {
  let opened: Promise<RasterTiles> | null = null;
  let reading = 0;
  const shared = createShared<RasterTile | null>();
  const memory = createPixelMemory(null, MEMORY_BYTES);
  const numbers = new WeakMap<RasterTile, number>();
  let lastNumber = 0;

  function tiles(): Promise<RasterTiles> {
    opened ??= openTiles().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  async function openMap(map: CommodityMap, ref: TileRef, signal: AbortSignal): Promise<MapTile | null> {
    const { id } = map.dataset;
    const files = await tiles();
    const spec = { dataset: { dataset: id }, band: map.band };
    // One that leaves must not take the file away from the others who wait for it.
    const tile = await shared(`${id}\n${ref.address}`, signal, (inner) => files.open(spec, map.place, ref, inner));
    if (tile === null) return null;
    const { nodata } = tile.image;
    if (nodata !== null && map.nodata === null)
      throw new Error(
        `${id}: options.nodata: wanted "absent" or "unknown", because the file has ${nodata} for no data`,
      );
    const image = { ...tile.image, nodata: map.nodataValue ?? nodata };
    const { grid } = tile;
    if (!numbers.has(tile)) numbers.set(tile, ++lastNumber);
    return {
      tile,
      image,
      number: numbers.get(tile) ?? lastNumber,
      lattice: { id, transform: grid.transform, crs: tile.image.crs ?? '' },
    };
  }

  /** The file whose pixels are drawn from: that of the middle of the shape, else the first one around it that is there. */
  async function latticeAt(
    map: CommodityMap,
    { inside, bbox: [west, south, east, north] }: Shape,
    radiusM: number,
    signal: AbortSignal,
  ): Promise<SampledLattice | null> {
    const { latitudes, longitudes } = reachAround(south, north, radiusM);
    const box = [west - longitudes, south - latitudes, east + longitudes, north + latitudes] as const;
    const { scheme } = map.place;
    const middle = scheme === null ? [] : [tileOfPlace(scheme, ...inside)];
    for (const ref of [...middle, ...tilesAt(map.place, box)]) {
      const open = await openMap(map, ref, signal);
      if (open !== null) return open.lattice;
    }
    return null;
  }

  async function at(map: CommodityMap, lonLats: Float64Array, signal: AbortSignal): Promise<Float64Array> {
    const found = new Float64Array(lonLats.length / 2).fill(Number.NaN);
    for (const { ref, numbers } of placesByTile(map, lonLats)) {
      const open = await openMap(map, ref, signal);
      if (open === null) continue;
      const own = Float64Array.from({ length: 2 * numbers.length }, (_, i) => {
        const value = lonLats[2 * numbers[i >> 1] + (i & 1)];
        return ref.box !== null && i % 2 === 0 ? wrapped(value) : value;
      });
      const claims = await claimsAt(map, open, pixelsAt(open.lattice, own), signal);
      numbers.forEach((number, i) => (found[number] = claims[i]));
    }
    return found;
  }

  /** What a map says of pixels of one of its files; only those of which nothing is kept are read. */
  async function claimsAt(
    map: CommodityMap,
    open: MapTile,
    positions: Int32Array,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const layer = { key: `${map.dataset.id} ${open.number}`, isOnDisk: false };
    const kept = await memory.recall(layer, positions);
    const missing = missingPixels([kept]);
    if (missing.length === 0) {
      // A file of this machine that was written into fails here as it does where more of it is read.
      if (!map.place.isRemote) await open.tile.source.fetch(0, 1, { signal });
      return kept;
    }
    const places = positionsOf(positions, missing);
    const read = new Float32Array(missing.length).fill(Number.NaN);
    for (const window of windowsOf(places)) await readInto(read, map, open, window, places, signal);
    memory.keep(layer, places, read);
    missing.forEach((pixel, i) => (kept[pixel] = read[i]));
    return kept;
  }

  /** Files are let go of when nobody reads them. */
  async function counted<T>(work: () => Promise<T>): Promise<T> {
    reading += 1;
    try {
      return await work();
    } finally {
      reading -= 1;
      if (reading === 0) await (await opened?.catch(() => null))?.trim();
    }
  }

  return {
    around: (map, shape, radiusM, signal) =>
      counted(async () => {
        const lattice = await latticeAt(map, shape, radiusM, signal);
        if (lattice === null) return { found: new Float64Array(0), lonLats: new Float64Array(0), isComplete: true };
        const { positions, isComplete } = samplePlaces(lattice, shape, radiusM);
        const lonLats = centresOf(lattice, positions);
        return { found: await at(map, lonLats, signal), lonLats, isComplete };
      }),
    at: (map, lonLats, signal) => counted(() => at(map, lonLats, signal)),
  };
}

/** The places by the file they lie on, in the order in which files are first met. */
function placesByTile({ place }: CommodityMap, lonLats: Float64Array): readonly TilePlaces[] {
  const byAddress = new Map<string, TilePlaces>();
  for (let i = 0; i < lonLats.length / 2; i++) {
    const [lon, lat] = [wrapped(lonLats[2 * i]), lonLats[2 * i + 1]];
    const ref = place.scheme === null ? { address: place.address, box: null } : tileOfPlace(place.scheme, lon, lat);
    const known = byAddress.get(ref.address);
    if (known === undefined) byAddress.set(ref.address, { ref, numbers: [i] });
    else known.numbers.push(i);
  }
  return [...byAddress.values()];
}

/** A longitude from -180 up to 180: tiles lie there, whichever side of the antimeridian a place was drawn from. */
function wrapped(lon: number): number {
  return lon >= -180 && lon < 180 ? lon : ((((lon + 180) % 360) + 360) % 360) - 180;
}

/** Writes 1 for each pixel that counts, 0 for the others and leaves NaN for those that are not known. */
async function readInto(
  out: Float32Array,
  { band, threshold, classes, nodata }: CommodityMap,
  { tile: { source }, image }: MapTile,
  window: SampleWindow,
  positions: Int32Array,
  signal: AbortSignal,
): Promise<void> {
  const left = Math.max(0, window.left);
  const top = Math.max(0, window.top);
  const width = Math.min(image.width, window.right) - left;
  const height = Math.min(image.height, window.bottom) - top;
  if (width <= 0 || height <= 0) return;
  const values = await readTiffWindow(source, image, left, top, width, height, { bands: [band], signal });
  for (const pixel of window.pixels) {
    const [x, y] = [positions[2 * pixel] - left, positions[2 * pixel + 1] - top];
    if (x < 0 || y < 0 || x >= width || y >= height) continue;
    const value = values[y * width + x];
    if (Number.isNaN(value) || value === image.nodata) {
      if (nodata === 'absent') out[pixel] = 0;
      continue;
    }
    const isThere = threshold === null ? classes.includes(value) : value >= threshold;
    out[pixel] = isThere ? 1 : 0;
  }
}
