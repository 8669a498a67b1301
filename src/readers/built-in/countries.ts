import type { CountryRef, Whereabouts } from '../../facilities/sources.ts';
import { EdgeHolders } from '../../geo/edges/edge-holders.ts';
import { OwnersNear } from '../../geo/edges/owners-near.ts';
import type { LonLat } from '../../geo/shape.ts';
import type { Pack } from '../pack-file.ts';
import type { CountriesMeta } from './build-countries.ts';
import { countryName } from './country-code.ts';
import { packedEdgeSet } from './packed-edge-set.ts';

/** Metres within which a land border is worth a mention. */
const NEIGHBOUR_WITHIN_M = 5_000;
/** The land outlines are cut off at the edge of the Web Mercator map; everything south of it is land. */
const LAND_SOUTH_END = -85;

/** Answers which country a point lies in. Not to be used by two threads at once; each opens its own over the same pack. */
export interface Countries {
  /** The alpha-2 code of the country whose land, inland waters included, holds the point, or null. */
  landAt(lon: number, lat: number): string | null;
  /** The same with territorial waters: exact on land, from a coarser border at sea and on lakes shared by countries. */
  codeAt(lon: number, lat: number): string | null;
  /** `inlandWater` says whether a point on nobody's land lies in a lake or river. */
  whereabouts(at: LonLat, inlandWater: (lon: number, lat: number) => boolean): Whereabouts;
}

export function openCountries(pack: Pack): Countries {
  const meta = pack.header.meta as CountriesMeta;
  const land = packedEdgeSet(pack, 'land', meta.land);
  const landHolders = new EdgeHolders(land);
  const watersHolders = new EdgeHolders(packedEdgeSet(pack, 'waters', meta.waters));
  const enclaves = new EdgeHolders(packedEdgeSet(pack, 'enclaves', meta.enclaves));
  const held = new Int32Array(16);
  const near = new OwnersNear(land);
  const refs = new Map([...meta.landCodes, ...meta.watersCodes].map((iso2) => [iso2, { iso2, name: countryName(iso2) }] as const));

  const landAt = (lon: number, lat: number): string | null => {
    const count = landHolders.allAt(lon, Math.max(lat, LAND_SOUTH_END), held);
    if (count === 0) return null;
    return count === 1 ? meta.landCodes[held[0]] : pick(lon, lat, [...held.subarray(0, count)]);
  };
  /** Outlines overlap round enclaves, over territories (drawn with their sovereign too) and where states disagree: then the first in the source. */
  const pick = (lon: number, lat: number, owners: readonly number[]): string => {
    const enclave = enclaves.firstAt(lon, lat);
    if (owners.includes(enclave)) return meta.landCodes[enclave];
    const codes = owners.map((owner) => meta.landCodes[owner]);
    return codes.find((code) => codes.includes(meta.sovereigns[code])) ?? codes[0];
  };
  const codeAt = (lon: number, lat: number): string | null => landAt(lon, lat) ?? meta.watersCodes[watersHolders.firstAt(lon, lat)] ?? null;
  const neighboursOf = (lon: number, lat: number, home: string | null): Whereabouts['neighbours'] => {
    const found = near.find(lon, lat, NEIGHBOUR_WITHIN_M, home === null ? -1 : meta.landCodes.indexOf(home));
    return found.map(({ owner, distanceM }) => ({ ...(refs.get(meta.landCodes[owner]) as CountryRef), distanceM }));
  };
  return {
    landAt,
    codeAt,
    whereabouts([lon, lat], inlandWater) {
      const onLand = landAt(lon, lat);
      const code = onLand ?? meta.watersCodes[watersHolders.firstAt(lon, lat)] ?? null;
      return {
        country: code === null ? null : (refs.get(code) ?? null),
        onLand: onLand !== null || inlandWater(lon, lat),
        neighbours: neighboursOf(lon, lat, code),
      };
    },
  };
}
