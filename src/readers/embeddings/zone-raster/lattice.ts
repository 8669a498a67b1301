import { TiffError } from '../../formats/tiff/tiff-image.ts';

/** A north-up lattice of pixels: `x = a * column + c`, `y = e * row + f` from pixel corners to units of `crs`. */
export interface RasterLattice {
  /** `EPSG:4326` or a UTM zone on WGS84. */
  readonly crs: string;
  /** Pixels in a row. */
  readonly width: number;
  readonly height: number;
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
}

/** Pixels of a lattice, the upper left one inclusive, the lower right one exclusive. */
export interface PixelRect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** West, south, east, north in units of a CRS. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

/** Pixels a corner may be off its lattice: what rounding in other software makes of a whole number. */
const TOLERANCE = 1e-3;

/**
 * The lattice of a whole UTM zone in AEF's pixels of 10 m: eastings 0 to 1,000 km, and 200 km of northings more than a
 * hemisphere has, because files reach over the equator. It does not depend on which files there are, so that a pixel
 * keeps its column and row when files are added, and holds every file of the zone with room to spare.
 */
export function zoneLattice(epsg: number): RasterLattice {
  return { crs: `EPSG:${epsg}`, width: 100_000, height: 1_040_000, transform: [10, 0, 0, 0, -10, 10_200_000] };
}

/** The pixels that lie inside bounds, those cut by them included. */
export function pixelsOf({ transform }: RasterLattice, [west, south, east, north]: Bounds): PixelRect {
  const [a, , c, , e, f] = transform;
  return {
    left: Math.floor((west - c) / a + TOLERANCE),
    top: Math.floor((north - f) / e + TOLERANCE),
    right: Math.ceil((east - c) / a - TOLERANCE),
    bottom: Math.ceil((south - f) / e - TOLERANCE),
  };
}

/**
 * The pixels of `lattice` that a file has. Throws a `TiffError` for a file whose pixels are not those of the lattice:
 * another CRS, another size, or corners between those of the lattice.
 */
export function placeOn(lattice: RasterLattice, file: RasterLattice, place: string): PixelRect {
  const corner = cornerOn(lattice, file);
  if (corner !== null) return { ...corner, right: corner.left + file.width, bottom: corner.top + file.height };
  const [a, , c, , e, f] = lattice.transform;
  const [fileA, , fileC, , fileE, fileF] = file.transform;
  throw new TiffError(
    'unsupported',
    place,
    `wanted pixels of ${a} x ${-e} in ${lattice.crs} on the lattice through ${c}, ${f}, ` +
      `got pixels of ${fileA} x ${-fileE} in ${file.crs} from ${fileC}, ${fileF}`,
  );
}

/** Where the upper left corner of `other` lies on `lattice`, when all corners of its pixels lie on it, else null. */
export function cornerOn(lattice: RasterLattice, other: RasterLattice): { left: number; top: number } | null {
  const [a, , c, , e, f] = lattice.transform;
  const [otherA, , otherC, , otherE, otherF] = other.transform;
  // Adding 0 makes 0 of -0.
  const left = Math.round((otherC - c) / a) + 0;
  const top = Math.round((otherF - f) / e) + 0;
  // What the far corner is off by counts too: pixels of nearly the same size drift apart.
  const drift = Math.abs(otherA / a - 1) * other.width + Math.abs(otherE / e - 1) * other.height;
  const offset = Math.abs((otherC - c) / a - left) + Math.abs((otherF - f) / e - top);
  return lattice.crs === other.crs && drift + offset <= TOLERANCE ? { left, top } : null;
}

/** Whether a rectangle has pixels and lies in the lattice. */
export function isInside({ width, height }: RasterLattice, { left, top, right, bottom }: PixelRect): boolean {
  return left >= 0 && top >= 0 && right <= width && bottom <= height && left < right && top < bottom;
}

/** The pixels two rectangles share, or null when there are none. */
export function intersection(a: PixelRect, b: PixelRect): PixelRect | null {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  const right = Math.min(a.right, b.right);
  const bottom = Math.min(a.bottom, b.bottom);
  return left < right && top < bottom ? { left, top, right, bottom } : null;
}

/** Whether the pixel in column `x`, row `y` lies in the rectangle; a fraction counts to its pixel. */
export function holdsPixel({ left, top, right, bottom }: PixelRect, x: number, y: number): boolean {
  return x >= left && x < right && y >= top && y < bottom;
}
