import { utmZoneOfEpsg } from '../../../geo/crs/utm.ts';

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
