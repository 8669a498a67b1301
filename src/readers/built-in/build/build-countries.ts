import { join } from 'node:path';
import * as countryCoder from '@rapideditor/country-coder';
import { EdgeSetBuilder } from '../../../geo/edges/build-edge-set.ts';
import { EdgeHolders } from '../../../geo/edges/edge-holders.ts';
import { type EdgeSetMeta, openEdgeSet, type StoredEdgeSet } from '../../../geo/edges/edge-set.ts';
import { GrowingArray } from '../../../geo/edges/growing-array.ts';
import { createPack, type Pack } from '../../packs/pack-file.ts';
import { alpha2Of } from '../country-code.ts';
import { installedPackage } from './source-packages.ts';
import { namedArrays } from '../pack-arrays.ts';
import { GEO_MAPS_SCALE, scanGeoMaps } from './scan-geo-maps.ts';

/** What a countries pack says of its edge sets. The lists give the alpha-2 code of every owner. */
export interface CountriesMeta {
  readonly land: EdgeSetMeta;
  readonly landCodes: readonly string[];
  /** Land that lies wholly inside another country's outline, which the source does not cut out. Owners as in `land`. */
  readonly enclaves: EdgeSetMeta;
  readonly waters: EdgeSetMeta;
  readonly watersCodes: readonly string[];
  /** Territories and the countries they belong to, whose outlines may hold them too. */
  readonly sovereigns: Readonly<Record<string, string>>;
}

/** What is read of country-coder's features; the package types them by one that is not installed. */
interface BorderFeature {
  readonly geometry: { readonly coordinates: readonly (readonly (readonly (readonly [number, number])[])[])[] } | null;
  readonly properties: {
    readonly iso1A2?: string;
    readonly isoStatus?: string;
    readonly country?: string;
    readonly groups: readonly string[];
  };
}

/** Units in a degree of the borders that take in waters, which come with five decimals. */
const WATERS_SCALE = 100_000;
/**
 * Packs the land of the countries (OpenStreetMap, 250 m) and, for places it leaves out, their generalised borders, which take in waters, at
 * places hundreds of kilometres beyond the territorial sea.
 * Holes in a country's land are inland waters throughout; they are left out, so that a lake belongs to the country round it.
 */
export function buildCountries(key: string): Pack {
  const land = packLand(join(installedPackage('@geo-maps/countries-land-250m').folder, 'map.geo.json'));
  const waters = packWaters();
  const meta = {
    land: land.set.meta,
    landCodes: land.codes,
    enclaves: land.enclaves.meta,
    waters: waters.set.meta,
    watersCodes: waters.codes,
    sovereigns: waters.sovereigns,
  } satisfies CountriesMeta;
  const arrays = {
    ...namedArrays('land', land.set),
    ...namedArrays('enclaves', land.enclaves),
    ...namedArrays('waters', waters.set),
  };
  return createPack('countries', key, arrays, meta);
}

function packLand(path: string): { set: StoredEdgeSet; enclaves: StoredEdgeSet; codes: string[] } {
  const builder = new EdgeSetBuilder({ scale: GEO_MAPS_SCALE });
  const codes: string[] = [];
  const rings = new HeldRings();
  let nextIsCode = false;
  scanGeoMaps(path, {
    ring(coordinates, count, index) {
      if (index > 0) return;
      rings.add(coordinates, count, codes.length);
      builder.addRing(coordinates, count, codes.length, false);
    },
    text(value) {
      if (nextIsCode) codes.push(codeOf(value));
      nextIsCode = value === 'A3';
    },
  });
  const set = builder.finish();
  return { set, enclaves: packEnclaves(set, rings), codes };
}

function packEnclaves(land: StoredEdgeSet, rings: HeldRings): StoredEdgeSet {
  const builder = new EdgeSetBuilder({ scale: GEO_MAPS_SCALE, cellsPerDegree: 2 });
  const holders = new EdgeHolders(openEdgeSet(land));
  const held = new Int32Array(16);
  rings.forEach((coordinates, count, owner) => {
    const first = holders.allAt(coordinates[0] / GEO_MAPS_SCALE, coordinates[1] / GEO_MAPS_SCALE, held);
    const others = [...held.subarray(0, first)].filter((other) => other !== owner);
    if (others.some((other) => holdsAll(holders, other, coordinates, count)))
      builder.addRing(coordinates, count, owner, false);
  });
  return builder.finish();
}

/** Never true of two drawings of the same ring: its topmost vertex counts as outside. */
function holdsAll(holders: EdgeHolders, owner: number, coordinates: Int32Array, count: number): boolean {
  for (let i = 0; i < count; i++) {
    if (!holders.holds(coordinates[i * 2] / GEO_MAPS_SCALE, coordinates[i * 2 + 1] / GEO_MAPS_SCALE, owner))
      return false;
  }
  return true;
}

function codeOf(alpha3: string): string {
  const code = alpha2Of(alpha3);
  if (code === null) throw new Error(`Wanted an ISO 3166-1 alpha-3 code, got "${alpha3}"`);
  return code;
}

/** Rings put aside until all have been seen. */
class HeldRings {
  readonly #coordinates = new GrowingArray(Int32Array);
  readonly #index = new GrowingArray(Int32Array);

  add(coordinates: Int32Array, count: number, owner: number): void {
    this.#coordinates.reserve(count * 2);
    this.#coordinates.values.set(coordinates.subarray(0, count * 2), this.#coordinates.length);
    this.#coordinates.length += count * 2;
    this.#index.push(count);
    this.#index.push(owner);
  }

  forEach(visit: (coordinates: Int32Array, count: number, owner: number) => void): void {
    let from = 0;
    for (let i = 0; i < this.#index.length; i += 2) {
      const count = this.#index.values[i];
      visit(this.#coordinates.values.subarray(from, from + count * 2), count, this.#index.values[i + 1]);
      from += count * 2;
    }
  }
}

function packWaters(): { set: StoredEdgeSet; codes: string[]; sovereigns: Record<string, string> } {
  const builder = new EdgeSetBuilder({ scale: WATERS_SCALE, cellsPerDegree: 2 });
  const codes: string[] = [];
  const sovereigns: Record<string, string> = {};
  const features = countryCoder.borders.features as unknown as readonly BorderFeature[];
  const official = new Set(features.filter(isOfficial).map(({ properties }) => properties.iso1A2));
  for (const { geometry, properties } of features) {
    if (official.has(properties.iso1A2) && properties.iso1A2 !== undefined && properties.country !== undefined) {
      sovereigns[properties.iso1A2] = properties.country;
    }
    if (geometry === null) continue;
    const code = [properties.iso1A2, ...properties.groups, properties.country].find((candidate) =>
      official.has(candidate),
    );
    if (code === undefined) continue;
    const owner = codes.includes(code) ? codes.indexOf(code) : codes.push(code) - 1;
    for (const polygon of geometry.coordinates) {
      polygon.forEach((ring, index) => {
        builder.addRing(
          Int32Array.from(ring.flat(), (degrees) => Math.round(degrees * WATERS_SCALE)),
          ring.length,
          owner,
          index > 0,
        );
      });
    }
  }
  return { set: builder.finish(), codes, sovereigns };
}

/** Whether a feature is one with a code of its own, not a union or a reserved code for part of a country. */
function isOfficial({ properties }: BorderFeature): boolean {
  const { iso1A2, isoStatus } = properties;
  return (
    iso1A2 !== undefined && (isoStatus === 'official' || isoStatus === 'usrAssn') && !['EU', 'UN'].includes(iso1A2)
  );
}
