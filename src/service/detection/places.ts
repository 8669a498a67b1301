import { findCrs, type Projection } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import { samplePixels, type PixelBox } from '../../geo/detection/sample-pixels.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../../geo/ellipsoid.ts';
import { isWithinM } from '../../geo/shapes/distance-to-shape.ts';
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
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

/** Most pixels that are looked at around one facility. */
const MOST_PIXELS = 1024;
/** Most pixels on each side of a window: a few blocks of the public embeddings, 17 MB once decoded. */
const WINDOW = 512;

/**
 * Draws pixels of a lattice whose centres lie within the radius of a shape; where there are none, the pixel it lies on.
 * Which ones is decided by where they lie in the CRS, not in the file: two files of one grid give the same.
 */
export function samplePlaces(lattice: SampledLattice, shape: Shape, radiusM: number): SampledPlaces {
  const projection = projectionOf(lattice);
  const [a, , c, , e, f] = lattice.transform;
  const isNear = nearTest(lattice, projection, shape, radiusM);
  const [x0, y0] = [Math.round(c / a), Math.round(f / e)];
  const { left, top, right, bottom } = boxAround(lattice, projection, shape, radiusM);
  const box = { left: left + x0, top: top + y0, right: right + x0, bottom: bottom + y0 };
  const { positions, isComplete } = samplePixels(box, MOST_PIXELS, (x, y) => isNear(x - x0, y - y0));
  for (let i = 0; i < positions.length; i += 2) {
    positions[i] -= x0;
    positions[i + 1] -= y0;
  }
  if (positions.length > 0) return { positions, isComplete };
  // A radius smaller than a pixel may hold no centre: the pixel that holds the place stands for the circle.
  return { positions: pixelsAt(lattice, Float64Array.of(...shape.inside)), isComplete: true };
}

/** Whether the centre of a pixel lies within the radius of a shape. */
type NearTest = (column: number, row: number) => boolean;

/**
 * The test by `isWithinM`. Around a single point nearly all pixels are decided on the plane that touches the raster there,
 * which takes a twentieth of the time: only those on the limit, by the error of that plane, are projected.
 */
function nearTest(
  { transform: [a, , c, , e, f] }: SampledLattice,
  projection: Projection,
  shape: Shape,
  radiusM: number,
): NearTest {
  const place = new Float64Array(2);
  const isNear: NearTest = (column, row) => {
    projection.toLonLat(a * (column + 0.5) + c, e * (row + 0.5) + f, place, 0);
    return isWithinM(shape, place[0], place[1], radiusM);
  };
  const isPoint = shape.points.length === 2 && shape.lines.length === 0 && shape.polygons.length === 0;
  if (!isPoint || Math.abs(shape.inside[1]) > FLAT_LATITUDE || radiusM > FLAT_RADIUS_M) return isNear;
  const [lon, lat] = shape.inside;
  projection.toXY(lon, lat, place, 0);
  const [x, y] = place;
  /** Metres east and north of the point, of a place in the CRS, in the flat metric. */
  const metresAt = (dx: number, dy: number): readonly [number, number] => {
    projection.toLonLat(x + dx, y + dy, place, 0);
    const middle = (lat + place[1]) / 2;
    return [(place[0] - lon) * metresPerDegreeEast(middle), (place[1] - lat) * metresPerDegreeNorth(middle)];
  };
  const unit = 1 / Math.hypot(...metresAt(1, 0));
  const reach = radiusM * unit;
  const [[ax, ay], [bx, by]] = [metresAt(reach, 0), metresAt(-reach, 0)];
  const [[cx, cy], [dx, dy]] = [metresAt(0, reach), metresAt(0, -reach)];
  const [eastX, northX] = [(ax - bx) / (2 * reach), (ay - by) / (2 * reach)];
  const [eastY, northY] = [(cx - dx) / (2 * reach), (cy - dy) / (2 * reach)];
  const flat = (u: number, v: number): number => Math.hypot(eastX * u + eastY * v, northX * u + northY * v);
  let error = 0;
  for (let i = 0; i < 16; i++) {
    const [u, v] = [reach * Math.cos((i * Math.PI) / 8), reach * Math.sin((i * Math.PI) / 8)];
    error = Math.max(error, Math.abs(flat(u, v) - Math.hypot(...metresAt(u, v))));
  }
  // Over the antimeridian, or beyond the reach of the projection, the plane says nothing.
  if (!(error < radiusM)) return isNear;
  const doubt = 2 * error + radiusM * 1e-4 + 0.01;
  const [inside2, outside2] = [Math.max(0, radiusM - doubt) ** 2, (radiusM + doubt) ** 2];
  const [left, top] = [(x - c) / a - 0.5, (y - f) / e - 0.5];
  const [eastColumn, northColumn, eastRow, northRow] = [eastX * a, northX * a, eastY * e, northY * e];
  return (column, row) => {
    const [u, v] = [column - left, row - top];
    const [east, north] = [eastColumn * u + eastRow * v, northColumn * u + northRow * v];
    const flat2 = east * east + north * north;
    return flat2 < inside2 || (flat2 <= outside2 && isNear(column, row));
  };
}

/** Degrees of latitude and metres up to which a plane is close enough to the ground to decide most pixels. */
const FLAT_LATITUDE = 75;
const FLAT_RADIUS_M = 20_000;

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
export function pixelsAt(lattice: SampledLattice, lonLats: Float64Array): Int32Array {
  const projection = projectionOf(lattice);
  const [a, , c, , e, f] = lattice.transform;
  const positions = new Int32Array(lonLats.length);
  const place = new Float64Array(2);
  for (let i = 0; i < positions.length; i += 2) {
    projection.toXY(lonLats[i], lonLats[i + 1], place, 0);
    positions[i] = Math.floor((place[0] - c) / a);
    positions[i + 1] = Math.floor((place[1] - f) / e);
  }
  return positions;
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

/** Pixels by windows that lie on multiples of their side, each no larger than it has to be. */
export function windowsOf(positions: Int32Array): SampleWindow[] {
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
