import { type BenchRow, saveResult } from './results.ts';
import { costOf, Costs, ROUNDS } from './rounds.ts';
import { validateBatch, type FacilityInput } from '../src/facilities/validate-batch.ts';
import { validateFacility } from '../src/facilities/validate-facility.ts';
import type { FacilityOptions } from '../src/facilities/options.ts';
import type { Answer, FacilitySources } from '../src/facilities/sources.ts';

/**
 * What a facility costs in addition to its data: geometry, checks, score, warnings, comment and receipt, with sources that
 * answer at once from memory. Nobody else does the same; what cannot be left out is making JSON of its results.
 */
const COUNT = 20_000;

const dataset = { id: 'bench', version: '1', synthetic: false };
const answer = <T>(value: T): Answer<T> => ({ dataset, value });
const country = answer({ country: { iso2: 'ID', name: 'Indonesia' }, onLand: true, neighbours: [] });
const nearby = { distanceM: 412.3, name: 'Jalan Raya', kind: 'secondary road' };

const covered: FacilitySources = {
  whereabouts: () => country,
  countryCode: () => 'ID',
  commodityShare: () => answer({ share: 0.31, detail: '1,024 pixels sampled, standard error 1.4 %.' }),
  plantationShare: () => null,
  nearestRoad: () => answer(nearby),
  nearestWater: () => answer(nearby),
  nearestPort: () => answer(nearby),
  buildings: () => answer({ count: 3, largestM2: 1_820, togetherM2: 2_280, industrial: false }),
  businesses: () => answer({ count: 3, nearest: nearby }),
  density: () => answer({ dense: false, detail: 'No large settlement nearby.' }),
  producer: () => answer(null),
};

const builtInOnly: FacilitySources = {
  ...covered,
  commodityShare: () => null,
  nearestRoad: () => null,
  buildings: () => null,
  businesses: () => null,
  producer: () => null,
};

const options: FacilityOptions = {
  commodity: 'palm',
  commodityText: 'palm',
  commodityRadiusM: 5_000,
  checkWater: true,
  checkPort: true,
  checkRoad: true,
  checkTimeoutMs: 10_000,
};

const points = Array.from({ length: COUNT }, (_, i) => feature(i, { type: 'Point', coordinates: lonLat(i) }));
const squares = Array.from({ length: COUNT }, (_, i) =>
  feature(i, { type: 'Polygon', coordinates: [square(lonLat(i))] }),
);
const { signal } = new AbortController();

const works: Readonly<Record<string, () => unknown>> = {
  'point, every source answers': () => each(points, covered),
  'point, built-in data only': () => each(points, builtInOnly),
  'polygon of 5 vertices, every source answers': () => each(squares, covered),
  'point, through validateBatch': async () => {
    for await (const _ of validateBatch(stream(points), { facility: options, inFlight: 32 }, covered, signal));
  },
};
/** Few: what is kept would be looked through again by each collection of garbage. */
const results = points.slice(0, 100).map((item) => validateFacility(item, options, covered, signal));
const costs = new Costs();
for (let round = 0; round <= ROUNDS; round++) {
  costs.begin();
  for (const [name, work] of Object.entries(works)) costs.add(name, (await costOf(work))[0]);
  const [cost] = await costOf(() => {
    for (let i = 0; i < COUNT; i++) JSON.stringify(results[i % results.length]);
  });
  costs.add('JSON', cost);
}
const micros = (name: string): string => `${(costs.median(name, COUNT).cpuMs * 1_000).toFixed(1)} µs of processor`;
const rows = Object.keys(works).map((name): BenchRow => ({
  what: `${name}, all checks, without the look-ups`,
  ours: micros(name),
  limit: `\`JSON.stringify\` of such a result, ${micros('JSON')}`,
}));
console.dir(rows, { depth: null });
saveResult('facility-domain', rows);

function each(features: readonly unknown[], sources: FacilitySources): void {
  for (const item of features) validateFacility(item, options, sources, signal);
}

async function* stream(features: readonly unknown[]): AsyncGenerator<FacilityInput> {
  for (const feature of features) yield { feature };
}

function feature(i: number, geometry: object): unknown {
  return {
    type: 'Feature',
    id: i,
    geometry,
    properties: {
      Mill_Name: `MILL ${i}`,
      name: `Mill ${i}`,
      Country: 'Indonesia',
      UML_ID: `PO${i}`,
      Group_Name: 'GROUP',
      Province: 'Riau',
    },
  };
}

function lonLat(i: number): readonly [number, number] {
  return [100.1234 + (i % 200) * 0.0101, 0.5071 + Math.floor(i / 200) * 0.0101];
}

function square([lon, lat]: readonly [number, number]): number[][] {
  return [
    [lon, lat],
    [lon + 0.01, lat],
    [lon + 0.01, lat + 0.01],
    [lon, lat + 0.01],
    [lon, lat],
  ];
}
