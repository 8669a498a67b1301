import { findCrs, type Projection } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import { samplePixels, type PixelBox } from '../../geo/detection/sample-pixels.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { reachAround } from '../../geo/shapes/reach.ts';
import type { Shape } from '../../geo/shapes/shape.ts';

/** Where the pixels of a raster lie. */
export interface SampledLattice {
  readonly id: string;
  /** Without rotation, from pixel corners to units of `crs`. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  readonly crs: string;
}

/** Pixels drawn around a shape. */
interface SampledPlaces {
  /** Column and row of each, one after the other. */
  readonly positions: Int32Array;
  /** The windows that hold them. */
  readonly windows: readonly SampleWindow[];
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

/** Most pixels that are looked at around one facility. */
const MOST_PIXELS = 1024;
/** Most pixels on each side of a window: a few blocks of the public embeddings, 17 MB once decoded. */
const WINDOW = 512;

/** Draws pixels of a lattice whose centres lie within the radius of a shape; where there are none, the pixel it lies on. */
export function samplePlaces(lattice: SampledLattice, shape: Shape, radiusM: number): SampledPlaces {
  const projection = projectionOf(lattice);
  const [a, , c, , e, f] = lattice.transform;
  const place = new Float64Array(2);
  const isNear = (column: number, row: number): boolean => {
    projection.toLonLat(a * (column + 0.5) + c, e * (row + 0.5) + f, place, 0);
    return distanceToShapeM(shape, place[0], place[1], radiusM) <= radiusM;
  };
  const { positions, stratum } = samplePixels(boxAround(lattice, projection, shape, radiusM), MOST_PIXELS, isNear);
  if (positions.length > 0) return { positions, windows: windowsOf(positions), isComplete: stratum === 1 };
  // A radius smaller than a pixel may hold no centre: the pixel that holds the place stands for the circle.
  return { ...pixelsAt(lattice, Float64Array.of(...shape.inside)), isComplete: true };
}

/** Longitude and latitude of the centres of pixels. */
export function centresOf(lattice: SampledLattice, positions: Int32Array): Float64Array {
  const projection = projectionOf(lattice);
  const [a, , c, , e, f] = lattice.transform;
  const lonLats = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i += 2)
    projection.toLonLat(a * (positions[i] + 0.5) + c, e * (positions[i + 1] + 0.5) + f, lonLats, i);
  return lonLats;
}

/** The pixels of a lattice that hold places, in their order; some may lie outside the raster. */
export function pixelsAt(lattice: SampledLattice, lonLats: Float64Array): Omit<SampledPlaces, 'isComplete'> {
  const projection = projectionOf(lattice);
  const [a, , c, , e, f] = lattice.transform;
  const positions = new Int32Array(lonLats.length);
  const place = new Float64Array(2);
  for (let i = 0; i < positions.length; i += 2) {
    projection.toXY(lonLats[i], lonLats[i + 1], place, 0);
    positions[i] = Math.floor((place[0] - c) / a);
    positions[i + 1] = Math.floor((place[1] - f) / e);
  }
  return { positions, windows: windowsOf(positions) };
}

function projectionOf({ id, crs: name, transform: [, b, , d] }: SampledLattice): Projection {
  const crs = findCrs(name);
  if ('refused' in crs) throw new Error(`${id}: ${crs.refused}`);
  if (b !== 0 || d !== 0) throw new Error(`${id}: wanted rows along the axes of ${name}, got a rotated raster`);
  return openProjection(crs);
}

/** The pixels that hold everything within the radius of a shape. */
function boxAround(lattice: SampledLattice, projection: Projection, shape: Shape, radiusM: number): PixelBox {
  const [west, south, east, north] = shape.bbox;
  const { latitudes, longitudes } = reachAround(south, north, radiusM);
  const lons = [west - longitudes, (west + east) / 2, east + longitudes];
  const lats = [south - latitudes, (south + north) / 2, north + latitudes];
  const corner = new Float64Array(2);
  const [a, , c, , e, f] = lattice.transform;
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

/** A rectangle of pixels that holds some of those drawn. */
export interface SampleWindow extends PixelBox {
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
