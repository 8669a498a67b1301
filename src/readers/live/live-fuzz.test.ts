import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { json, openLiveSite } from '../../../test/live-site.ts';
import { Problem } from '../../errors.ts';
import { producerWorth } from '../../facilities/producer-score.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { gleif, openCorporates, openSupplyHub } from '../producers/remote-registries.ts';
import { googlePlaces } from './google-places.ts';
import { overpassSources } from './overpass/overpass-source.ts';
import { createUpstream, createUpstreamState } from './upstream.ts';
import { runs } from '../../../test/property-runs.ts';

const site = openLiveSite();
const { signal } = new AbortController();
const here = toShape({ type: 'Point', coordinates: [103.17, 3.07] }).shape as Shape;
const upstreamOf = (name: string) =>
  createUpstream({
    name,
    deadlineMs: 5_000,
    state: createUpstreamState(4),
    cache: null,
    freshMs: 0,
    staleMs: 0,
    retries: { attempts: 1 },
    breaker: { failures: 1_000_000 },
  });

/** Values of the right names with anything in them, and now and then the right thing. */
const some = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: right }, fc.jsonValue());
const text = some(fc.constantFrom('Kilang Rompin', '', 'works', 'track'));
const number = some(fc.constantFrom(3.07, 103.17, 0, 1e9, -91));
const vertex = some(fc.record({ lat: number, lon: number }));
const geometry = some(fc.array(some(fc.oneof(vertex, fc.constant(null))), { maxLength: 6 }));
const tags = some(fc.dictionary(fc.constantFrom('highway', 'building', 'man_made', 'name', 'natural'), text));
const members = some(
  fc.array(some(fc.record({ role: some(fc.constantFrom('outer', 'inner')), geometry })), { maxLength: 4 }),
);
const element = some(
  fc.record({
    type: some(fc.constantFrom('node', 'way', 'relation')),
    id: number,
    lat: number,
    lon: number,
    tags,
    geometry,
    members,
  }),
);
const named = some(fc.record({ name: text }));

const ask = (find: (at: Shape) => unknown): Promise<unknown> => Promise.resolve().then(() => find(here));

/** Whether every number of an answer is one, and every distance is one on Earth. */
function isSound(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([name, part]) => isSound(part) && (name !== 'distanceM' || part === null || Number(part) <= 20_004_000),
  );
}

/** Holds when every answer is an answer or a failure in words for clients: nothing a service sends breaks a check. */
async function holds(body: fc.Arbitrary<unknown>, questions: () => readonly Promise<unknown>[]): Promise<void> {
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      site.handler = json(value);
      for (const settled of await Promise.allSettled(questions()))
        if (settled.status === 'rejected') assert.ok(settled.reason instanceof Problem, String(settled.reason));
        else assert.ok(isSound(settled.value), JSON.stringify(settled.value));
    }),
    { numRuns: runs(300) },
  );
}

describe('whatever a service sends', () => {
  it('Overpass breaks no check', async () => {
    const radii = { roadM: 1_000, buildingM: 100, businessM: 2_000 };
    const sources = overpassSources({ upstream: upstreamOf('Overpass'), url: `${site.base}/x`, timeoutS: 1, radii });
    await holds(some(fc.record({ elements: some(fc.array(element, { maxLength: 5 })) })), () => [
      ask((at) => sources.nearestRoad(at, 1_000, signal)),
      ask((at) => sources.buildings(at, 100, signal)),
      ask((at) => sources.businesses('palm', at, 2_000, signal)),
      ask((at) => sources.nearestWater(at, 5_000, signal)),
    ]);
  });

  it('Google Places breaks no check', async () => {
    const place = some(
      fc.record({
        id: text,
        displayName: some(fc.record({ text })),
        location: some(fc.record({ latitude: number, longitude: number })),
        types: some(fc.array(text)),
        primaryType: text,
        businessStatus: text,
      }),
    );
    const { businesses } = googlePlaces({ upstream: upstreamOf('Google Places'), key: 'k', url: site.base });
    const body = some(fc.record({ places: some(fc.array(place, { maxLength: 5 })) }));
    await holds(body, () => [ask((at) => businesses('coffee', at, 2_000, signal))]);
  });

  it('registries break no check', async () => {
    const options = {
      upstream: upstreamOf('Registry'),
      url: site.base,
      token: 't',
      rules: { worth: producerWorth, nearM: 25_000 },
    };
    const registries = [openSupplyHub(options), gleif(options), openCorporates(options)];
    const entity = some(
      fc.record({
        legalName: named,
        otherNames: some(fc.array(named)),
        legalAddress: some(fc.record({ country: text })),
      }),
    );
    const record = some(
      fc.record({
        id: text,
        os_id: text,
        name: text,
        coordinates: some(fc.record({ lat: number, lng: number })),
        attributes: some(fc.record({ entity })),
        company: some(
          fc.record({
            name: text,
            company_number: text,
            jurisdiction_code: text,
            previous_names: some(fc.array(named)),
          }),
        ),
      }),
    );
    const list = some(fc.array(record, { maxLength: 4 }));
    await holds(some(fc.record({ data: list, results: some(fc.record({ companies: list })) })), () =>
      registries.map((registry) => ask((at) => registry.find('Kilang Rompin', at, 'MY', signal))),
    );
  });
});
