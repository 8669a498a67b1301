import assert from 'node:assert/strict';
import type { Evidence } from '../src/facilities/evidence/evidence.ts';
import type { FacilityOptions } from '../src/facilities/options.ts';
import type { FacilityResult } from '../src/facilities/result.ts';
import type { Answer, BuildingsNearby, FacilitySources } from '../src/facilities/sources.ts';
import { validateFacility } from '../src/facilities/validate-facility.ts';

/** A signal nobody aborts. */
export const never = new AbortController().signal;

/** An answer of a dataset called `test`. */
export function answer<T>(value: T, id = 'test'): Answer<T> {
  return { dataset: { id, version: '1', synthetic: false }, value };
}

/** Buildings with footprints of so many square metres. */
export function footprints(areasM2: readonly number[], industrial = false): BuildingsNearby {
  const togetherM2 = areasM2.reduce((sum, area) => sum + area, 0);
  return { count: areasM2.length, largestM2: Math.max(0, ...areasM2), togetherM2, industrial };
}

/** A place on land in Indonesia with everything a facility can wish for; `over` replaces single sources. */
export function sources(over: Partial<FacilitySources> = {}): FacilitySources {
  const nearby = { distanceM: 412.4, name: 'Jalan Raya', kind: 'secondary road' };
  return {
    whereabouts: () => answer({ country: { iso2: 'ID', name: 'Indonesia' }, onLand: true, neighbours: [] }),
    countryCode: (text) => CODES[text.toLowerCase()] ?? null,
    commodityShare: () => answer({ share: 0.3, detail: 'Sampled.' }),
    plantationShare: () => answer({ share: 0.3, detail: 'Sampled.' }),
    nearestRoad: () => answer(nearby),
    nearestWater: () => answer({ distanceM: 900, name: null, kind: 'river' }),
    nearestPort: () => answer({ distanceM: 23_000, name: 'Dumai', kind: 'sea port' }),
    buildings: () => answer(footprints([1_800, 90])),
    businesses: () => answer({ count: 2, nearest: { distanceM: 640, name: 'PT Sawit', kind: 'mill' } }),
    density: () => answer({ dense: false, detail: 'No large settlement nearby.' }),
    producer: () => answer(null),
    ...over,
  };
}

/** Sources of which none covers the place, the country apart. */
export function noData(over: Partial<FacilitySources> = {}): FacilitySources {
  const nothing = () => null;
  return sources({
    commodityShare: nothing,
    plantationShare: nothing,
    nearestRoad: nothing,
    nearestWater: nothing,
    nearestPort: nothing,
    buildings: nothing,
    businesses: nothing,
    density: nothing,
    producer: nothing,
    ...over,
  });
}

export function options(over: Partial<FacilityOptions> = {}): FacilityOptions {
  return {
    commodity: 'palm',
    commodityText: 'palm',
    commodityRadiusM: 5_000,
    checkWater: false,
    checkPort: false,
    checkRoad: true,
    checkTimeoutMs: 1_000,
    ...over,
  };
}

export function pointAt(lon: number, lat: number, properties: Readonly<Record<string, unknown>> = {}) {
  return { type: 'Feature', geometry: { type: 'Point', coordinates: [lon, lat] }, properties };
}

/** A point in Indonesia where palm grows. */
export const riau = pointAt(101.4478, 0.5071);

export function inCountry(iso2: string, name: string, onLand = true): Partial<FacilitySources> {
  return { whereabouts: () => answer({ country: { iso2, name }, onLand, neighbours: [] }) };
}

/** The properties of the result of a facility, from `sources` and `options` with single ones replaced. */
export function rate(
  feature: unknown,
  over: Partial<FacilitySources> = {},
  chosen: Partial<FacilityOptions> = {},
): FacilityResult & Readonly<Record<string, unknown>> {
  const result = validateFacility(feature, options(chosen), sources(over), never);
  assert.ok(!(result instanceof Promise), 'sources that answer at once give a result at once');
  return result.properties;
}

export function codes(result: FacilityResult): string[] {
  return result.warnings.map(({ code }) => code);
}

export function evidenceOf(result: FacilityResult, indicator: string): Evidence | undefined {
  return result.evidence.find((entry) => entry.indicator === indicator);
}

const CODES: Readonly<Record<string, string>> = {
  'ivory coast': 'CI',
  "cote d'ivoire": 'CI',
  ci: 'CI',
  indonesia: 'ID',
  id: 'ID',
  malaysia: 'MY',
  germany: 'DE',
};
