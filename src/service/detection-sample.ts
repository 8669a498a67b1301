import type { PatchRaster } from '../forest/sources.ts';
import { findCrs } from '../geo/crs/find-crs.ts';
import { openProjection } from '../geo/crs/open-projection.ts';
import type { Projection } from '../geo/crs/projection.ts';
import { samplePixels, type PixelBox } from '../geo/detection/sample-pixels.ts';
import { distanceToShapeM } from '../geo/distance-to-shape.ts';
import { reachAround } from '../geo/reach.ts';
import { BANDS, NODATA } from '../geo/segmentation/grid.ts';
import type { Shape } from '../geo/shape.ts';

/** Codes of sampled pixels, 64 a pixel, -128 for no data. */
export interface SampledCodes {
  readonly codes: Int8Array;
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

/** Most pixels that are looked at around one facility. */
export const MOST_PIXELS = 1024;
/** Pixels on each side of the windows that are read: a few blocks of the public files, 17 MB once decoded. */
const WINDOW = 512;
/** Windows read at the same time. */
const WINDOWS_AT_ONCE = 2;

/** Draws pixels whose centres lie within the radius of a shape, and reads their codes window by window. */
export async function sampleCodes(
  raster: PatchRaster,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): Promise<SampledCodes> {
  const crs = findCrs(raster.crs);
  if ('refused' in crs) throw new Error(`${raster.id}: ${crs.refused}`);
  const projection = openProjection(crs);
  const [a, , c, , e, f] = raster.transform;
  const place = new Float64Array(2);
  const isNear = (column: number, row: number): boolean => {
    projection.toLonLat(a * (column + 0.5) + c, e * (row + 0.5) + f, place, 0);
    return distanceToShapeM(shape, place[0], place[1], radiusM) <= radiusM;
  };
  const { positions, stratum } = samplePixels(boxAround(raster, projection, shape, radiusM), MOST_PIXELS, isNear);
  const codes = new Int8Array((positions.length / 2) * BANDS).fill(NODATA);
  const windows = windowsOf(positions);
  for (let i = 0; i < windows.length; i += WINDOWS_AT_ONCE) {
    const some = windows.slice(i, i + WINDOWS_AT_ONCE);
    await Promise.all(some.map((window) => readInto(codes, raster, window, positions, signal)));
  }
  return { codes, isComplete: stratum === 1 };
}

/** The pixels that hold everything within the radius of a shape. */
function boxAround(raster: PatchRaster, projection: Projection, shape: Shape, radiusM: number): PixelBox {
  const [west, south, east, north] = shape.bbox;
  const { latitudes, longitudes } = reachAround(south, north, radiusM);
  const lons = [west - longitudes, (west + east) / 2, east + longitudes];
  const lats = [south - latitudes, (south + north) / 2, north + latitudes];
  const corner = new Float64Array(2);
  const [a, , c, , e, f] = raster.transform;
  const columns: number[] = [];
  const rows: number[] = [];
  for (const lon of lons) {
    for (const lat of lats) {
      projection.toXY(lon, lat, corner, 0);
      columns.push((corner[0] - c) / a);
      rows.push((corner[1] - f) / e);
    }
  }
  return {
    left: Math.floor(Math.min(...columns)),
    top: Math.floor(Math.min(...rows)),
    right: Math.ceil(Math.max(...columns)),
    bottom: Math.ceil(Math.max(...rows)),
  };
}

interface SampleWindow extends PixelBox {
  /** Numbers of the sampled pixels inside, by row. */
  readonly pixels: number[];
}

/** The sampled pixels by windows that lie on multiples of their side, each no larger than it has to be. */
function windowsOf(positions: Int32Array): SampleWindow[] {
  const groups = new Map<string, number[]>();
  for (let i = 0; i < positions.length / 2; i++) {
    const key = `${Math.floor(positions[2 * i] / WINDOW)} ${Math.floor(positions[2 * i + 1] / WINDOW)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [i]);
    else group.push(i);
  }
  return [...groups.values()].map((pixels) => {
    const columns = pixels.map((i) => positions[2 * i]);
    const rows = pixels.map((i) => positions[2 * i + 1]);
    return {
      left: Math.min(...columns),
      top: Math.min(...rows),
      right: Math.max(...columns) + 1,
      bottom: Math.max(...rows) + 1,
      pixels: pixels.sort((i, j) => positions[2 * i + 1] - positions[2 * j + 1]),
    };
  });
}

async function readInto(
  codes: Int8Array,
  raster: PatchRaster,
  { left, top, right, bottom, pixels }: SampleWindow,
  positions: Int32Array,
  signal: AbortSignal,
): Promise<void> {
  const width = right - left;
  const window = await raster.window(left, top, width, bottom - top, signal);
  const row = new Int8Array(width * BANDS);
  let held = -1;
  for (const pixel of pixels) {
    const y = positions[2 * pixel + 1] - top;
    if (y !== held) window.copyRow(y, row);
    held = y;
    const from = (positions[2 * pixel] - left) * BANDS;
    codes.set(row.subarray(from, from + BANDS), pixel * BANDS);
  }
}
