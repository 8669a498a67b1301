import type { Shape } from '../geo/shape.ts';
import type { ByteSource } from '../readers/byte-source.ts';
import { openTiff } from '../readers/tiff/open-tiff.ts';
import { readTiffWindow } from '../readers/tiff/read-window.ts';
import type { TiffImage } from '../readers/tiff/tiff-image.ts';
import type { CommodityMap } from './detection-maps.ts';
import { centresOf, pixelsAt, samplePlaces, type SampleWindow } from './detection-places.ts';

/** What a map says of places: 1 where it counts, 0 where it does not, NaN where it does not know or does not reach. */
export interface MapClaims {
  readonly found: Float64Array;
  /** Longitude and latitude of each. */
  readonly lonLats: Float64Array;
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

export interface MapAsker {
  /** The pixels of the map drawn within the radius of a shape. */
  around(map: CommodityMap, shape: Shape, radiusM: number, signal: AbortSignal): Promise<MapClaims>;
  /** The pixels that hold given places. */
  at(map: CommodityMap, lonLats: Float64Array, signal: AbortSignal): Promise<Float64Array>;
}

interface OpenMap {
  readonly source: ByteSource;
  readonly image: TiffImage & { readonly transform: NonNullable<TiffImage['transform']>; readonly crs: string };
}

/** Reads maps, each opened once. Rejects when a file cannot be read or does not say where it lies. */
export function createMapAsker(openBytes: (map: CommodityMap) => Promise<ByteSource>): MapAsker {
  const opened = new Map<CommodityMap, OpenMap>();

  async function openMap(map: CommodityMap, signal: AbortSignal): Promise<OpenMap> {
    const known = opened.get(map);
    if (known !== undefined) return known;
    const source = await openBytes(map);
    const image = await openTiff(source, signal);
    const { transform, crs } = image;
    const { id } = map.dataset;
    if (transform === null || crs === null) throw new Error(`${id}: wanted a GeoTIFF that says where it lies`);
    if (map.band >= image.bands) throw new Error(`${id}: wanted band ${map.band + 1}, got ${image.bands} bands`);
    if (image.nodata !== null && map.nodata === null)
      throw new Error(
        `${id}: options.nodata: wanted "absent" or "unknown", because the file has ${image.nodata} for no data`,
      );
    const open = { source, image: { ...image, transform, crs, nodata: map.nodataValue ?? image.nodata } };
    opened.set(map, open);
    return open;
  }

  async function read(
    map: CommodityMap,
    open: OpenMap,
    positions: Int32Array,
    windows: readonly SampleWindow[],
    signal: AbortSignal,
  ): Promise<Float64Array> {
    const found = new Float64Array(positions.length / 2).fill(Number.NaN);
    for (const window of windows) await readInto(found, map, open, window, positions, signal);
    return found;
  }

  return {
    async around(map, shape, radiusM, signal) {
      const open = await openMap(map, signal);
      const lattice = { ...open.image, id: map.dataset.id };
      const { positions, windows, isComplete } = samplePlaces(lattice, shape, radiusM);
      const found = await read(map, open, positions, windows, signal);
      return { found, lonLats: centresOf(lattice, positions), isComplete };
    },
    async at(map, lonLats, signal) {
      const open = await openMap(map, signal);
      const { positions, windows } = pixelsAt({ ...open.image, id: map.dataset.id }, lonLats);
      return read(map, open, positions, windows, signal);
    },
  };
}

/** Writes 1 for each pixel that counts, 0 for the others and leaves NaN for those that are not known. */
async function readInto(
  found: Float64Array,
  { band, threshold, classes, nodata }: CommodityMap,
  { source, image }: OpenMap,
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
      if (nodata === 'absent') found[pixel] = 0;
      continue;
    }
    const isThere = threshold === null ? classes.includes(value) : value >= threshold;
    found[pixel] = isThere ? 1 : 0;
  }
}
