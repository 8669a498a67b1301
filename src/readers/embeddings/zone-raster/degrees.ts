import { latticeProjection } from '../../../geo/outline/lattice.ts';
import type { Bounds, PixelRect, RasterLattice } from './lattice.ts';
import { utmZoneOfEpsg } from '../../../geo/crs/utm.ts';

/** Points along each side of a box in degrees that are projected to find the pixels it may hold. */
const SIDE_STEPS = 16;

/** Column and row of a place in degrees on a lattice, with their fractions; it may lie outside. */
export function toPixel(lattice: RasterLattice, lon: number, lat: number): { readonly x: number; readonly y: number } {
  const out = new Float64Array(2);
  latticeProjection(lattice.crs).toXY(middleOf(lattice) + offsetOf(lattice, lon), lat, out, 0);
  const [a, , c, , e, f] = lattice.transform;
  return { x: (out[0] - c) / a, y: (out[1] - f) / e };
}

/**
 * A rectangle of pixels that holds every pixel of the lattice inside a box in degrees, and some around it; null when the
 * box is out of the lattice's reach. A box whose west is above its east runs over the antimeridian.
 */
export function pixelsOfDegrees(lattice: RasterLattice, [west, south, east, north]: Bounds): PixelRect | null {
  const reach = lattice.crs === 'EPSG:4326' ? 180 : ZONE_REACH;
  const half = (east >= west ? east - west : east - west + 360) / 2;
  const middle = offsetOf(lattice, west + half);
  // A box that comes back into reach on the other side holds all of it, near enough.
  const isAround = Math.abs(middle) + half > 360 - reach;
  const from = isAround ? -reach : Math.max(-reach, middle - half);
  const to = isAround ? reach : Math.min(reach, middle + half);
  if (!(from <= to)) return null;
  const rect = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let i = 0; i <= SIDE_STEPS; i++)
    for (let j = 0; j <= SIDE_STEPS; j++) {
      const lon = middleOf(lattice) + from + ((to - from) * i) / SIDE_STEPS;
      const { x, y } = toPixel(lattice, lon, south + ((north - south) * j) / SIDE_STEPS);
      rect.left = Math.min(rect.left, Math.floor(x));
      rect.top = Math.min(rect.top, Math.floor(y));
      rect.right = Math.max(rect.right, Math.floor(x) + 1);
      rect.bottom = Math.max(rect.bottom, Math.floor(y) + 1);
    }
  return rect;
}

/** The longitude from which longitudes are counted, so that a raster over the antimeridian stays in one piece. */
function middleOf({ crs, width, transform: [a, , c] }: RasterLattice): number {
  return crs === 'EPSG:4326' ? c + (a * width) / 2 : meridianOf(epsgOf(crs));
}

function offsetOf(lattice: RasterLattice, lon: number): number {
  if (lattice.crs !== 'EPSG:4326') return fromMeridian(lon, epsgOf(lattice.crs));
  const offset = lon - middleOf(lattice);
  return offset - 360 * Math.floor((offset + 180) / 360);
}

function epsgOf(crs: string): number {
  return Number(crs.slice('EPSG:'.length));
}

/** Degrees from the central meridian beyond which no file of a zone reaches, overlaps near the poles included. */
export const ZONE_REACH = 12;

/** A zone that could answer for a place. */
interface ZoneCandidate {
  /** EPSG code of its CRS. */
  readonly epsg: number;
  /** Whether the footprint in degrees of one of its files holds the place, where an index gives footprints. */
  readonly inFootprint: boolean;
}

/**
 * Which of the zones whose files hold a place answers for it: one whose footprint holds it, then the standard UTM zone of
 * the longitude and hemisphere, then the zone with the nearest central meridian, then the hemisphere of the place, then
 * the smaller code. Negative when `a` comes first. The exceptions of UTM in Norway and Svalbard need no rule: where the files follow them,
 * the standard zone has no footprint there.
 */
export function compareZones(lon: number, lat: number): (a: ZoneCandidate, b: ZoneCandidate) => number {
  const standard = standardZone(lon, lat);
  const keys = ({ epsg, inFootprint }: ZoneCandidate): number[] => [
    inFootprint ? 0 : 1,
    epsg === standard ? 0 : 1,
    distanceFrom(lon, epsg),
    utmZoneOfEpsg(epsg)?.north === lat >= 0 ? 0 : 1,
    epsg,
  ];
  return (a, b) => {
    const [keysA, keysB] = [keys(a), keys(b)];
    const at = keysA.findIndex((key, i) => key !== keysB[i]);
    return at < 0 ? 0 : keysA[at] - keysB[at];
  };
}

/** EPSG code of the zone of 6 degrees that holds a longitude; the equator belongs to the north, 180 to zone 1. */
export function standardZone(lon: number, lat: number): number {
  const zone = (((Math.floor((lon + 180) / 6) % 60) + 60) % 60) + 1;
  return (lat >= 0 ? 32_600 : 32_700) + zone;
}

/** Degrees to the central meridian; a CRS that is no UTM zone comes after every one that is. */
function distanceFrom(lon: number, epsg: number): number {
  return utmZoneOfEpsg(epsg) === null ? 360 : Math.abs(fromMeridian(lon, epsg));
}

/** Degrees east of a zone's central meridian, from -180 up to 180; NaN for a CRS that is no UTM zone. */
export function fromMeridian(lon: number, epsg: number): number {
  const offset = lon - meridianOf(epsg);
  return offset - 360 * Math.floor((offset + 180) / 360);
}

/** Central meridian of a zone in degrees; NaN for a CRS that is no UTM zone. */
export function meridianOf(epsg: number): number {
  return (utmZoneOfEpsg(epsg)?.zone ?? Number.NaN) * 6 - 183;
}
