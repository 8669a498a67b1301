import type { CountryRef, Whereabouts } from '../../facilities/sources.ts';
import { EdgeHolders } from '../../geo/edges/edge-holders.ts';
import { OwnersNear } from '../../geo/edges/owners-near.ts';
import { createHits, searchTree } from '../../geo/packed-tree.ts';
import { windowsAround } from '../../geo/shapes/reach.ts';
import type { Bbox, LonLat } from '../../geo/shapes/shape.ts';
import type { Pack } from '../packs/pack-file.ts';
import type { CountriesMeta } from './build/build-countries.ts';
import { countryName } from './country-code.ts';
import { packedEdgeSet } from './pack-arrays.ts';

/** Metres within which a land border is worth a mention. */
const NEIGHBOUR_WITHIN_M = 5_000;
/** The land outlines are cut off at the edge of the Web Mercator map; everything south of it is land. */
const LAND_SOUTH_END = -85;

/** Answers which country a point lies in. Not to be used by two threads at once; each opens its own over the same pack. */
export interface Countries {
  /** The alpha-2 code of the country whose land, inland waters included, holds the point, or null. */
  landAt(lon: number, lat: number): string | null;
  /** The same with waters: exact on land, at sea and on lakes shared by countries from a coarse border that may lie far beyond the territorial sea. */
  codeAt(lon: number, lat: number): string | null;
  /** `inlandWater` says whether a point on nobody's land lies in a lake or river. */
  whereabouts(at: LonLat, inlandWater: (lon: number, lat: number) => boolean): Whereabouts;
  /** What holds for every place of a box in degrees; null unless all of it is land of one country and far from every border. */
  inside(box: Bbox): Whereabouts | null;
}

export function openCountries(pack: Pack): Countries {
  const meta = pack.header.meta as CountriesMeta;
  const landSet = packedEdgeSet(pack, 'land', meta.land);
  const enclaveSet = packedEdgeSet(pack, 'enclaves', meta.enclaves);
  const land = new EdgeHolders(landSet);
  const enclaves = new EdgeHolders(enclaveSet);
  const waters = new EdgeHolders(packedEdgeSet(pack, 'waters', meta.waters));
  const near = new OwnersNear(landSet);
  const nearEnclave = new OwnersNear(enclaveSet);
  const refs = new Map(
    [...meta.landCodes, ...meta.watersCodes].map((iso2) => [iso2, { iso2, name: countryName(iso2) }] as const),
  );
  const held = new Int32Array(16);
  const hits = createHits();

  /** How many outlines hold the point; they are in `held`. They overlap round enclaves, over territories and where states disagree. */
  const holdersAt = (lon: number, lat: number): number => land.allAt(lon, Math.max(lat, LAND_SOUTH_END), held);
  const pick = (lon: number, lat: number, count: number): number => {
    if (count < 2) return count === 0 ? -1 : held[0];
    const owners = [...held.subarray(0, count)];
    const enclave = enclaves.firstAt(lon, lat);
    if (owners.includes(enclave)) return enclave;
    const codes = owners.map((owner) => meta.landCodes[owner]);
    return owners.find((_, i) => codes.includes(meta.sovereigns[codes[i]])) ?? owners[0];
  };
  const fromWaters = (lon: number, lat: number): string | null => meta.watersCodes[waters.firstAt(lon, lat)] ?? null;
  const landAt = (lon: number, lat: number): string | null =>
    meta.landCodes[pick(lon, lat, holdersAt(lon, lat))] ?? null;

  /** Countries round an enclave, which the source draws without a border there. */
  const around = (
    lon: number,
    lat: number,
    home: number,
    others: readonly number[],
  ): { owner: number; distanceM: number }[] => {
    const border = nearEnclave.find(lon, lat, NEIGHBOUR_WITHIN_M, -1).find(({ owner }) => owner === home);
    if (border === undefined) return [];
    const round = others.filter((owner) => meta.sovereigns[meta.landCodes[home]] !== meta.landCodes[owner]);
    return round.map((owner) => ({ owner, distanceM: border.distanceM }));
  };
  const neighboursOf = (lon: number, lat: number, home: number, count: number): Whereabouts['neighbours'] => {
    let found = near.find(lon, lat, NEIGHBOUR_WITHIN_M, home);
    if (count > 1) {
      const others = [...held.subarray(0, count)].filter((owner) => owner !== home);
      found = [...around(lon, lat, home, others), ...found.filter(({ owner }) => !others.includes(owner))];
    }
    return found.map(({ owner, distanceM }) => ({ ...(refs.get(meta.landCodes[owner]) as CountryRef), distanceM }));
  };

  const isFarFromEdges = (box: Bbox): boolean => {
    const { scale, tree } = landSet;
    hits.count = 0;
    for (const [west, south, east, north] of windowsAround(box, NEIGHBOUR_WITHIN_M))
      searchTree(tree, west * scale, south * scale, east * scale, north * scale, hits);
    return hits.count === 0;
  };

  return {
    landAt,
    codeAt: (lon, lat) => landAt(lon, lat) ?? fromWaters(lon, lat),
    whereabouts([lon, lat], inlandWater) {
      const count = holdersAt(lon, lat);
      const owner = pick(lon, lat, count);
      const code = owner < 0 ? fromWaters(lon, lat) : meta.landCodes[owner];
      return {
        country: code === null ? null : (refs.get(code) ?? null),
        onLand: owner >= 0 || inlandWater(lon, lat),
        neighbours: neighboursOf(lon, lat, owner < 0 && code !== null ? meta.landCodes.indexOf(code) : owner, count),
      };
    },
    inside(box) {
      const [west, south, east, north] = box;
      // Without an edge in it, whatever holds its middle holds all of it.
      if (south < LAND_SOUTH_END || !isFarFromEdges(box)) return null;
      if (holdersAt((west + east) / 2, (south + north) / 2) !== 1) return null;
      const country = refs.get(meta.landCodes[held[0]]) ?? null;
      return { country, onLand: true, neighbours: [] };
    },
  };
}
