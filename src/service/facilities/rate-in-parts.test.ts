import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answer, noData, options, sources } from '../../../test/facility-sources.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { FEATURE_FORMATS, featureText, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { createFacilityService, FEATURE_BYTES } from './facilities.ts';
import { HelperEnded, PARTS_OF_HELPER } from '../files/work-in-order.ts';
import { MOST_PARTS, PART_BYTES, rateInParts } from './rate-in-parts.ts';
import { ratePart, type RatedPart } from './rate-part.ts';
import { openRatingHelper, type RatingHelper } from './rating-helper.ts';

const CONFIG = { facilitiesInFlight: 4, maxFeatures: 10_000 };
const FORMATS = Object.keys(FEATURE_FORMATS) as FeatureFormat[];
/** More parts than may wait. */
const COUNT = 1_700;

/** Answers that differ from place to place, one in three of them late, some not at all. */
const world: FacilitySources = sources({
  nearestRoad: ({ inside: [lon] }) =>
    lon > 102 ? null : answer({ distanceM: Math.round(lon * 10), name: null, kind: 'road' }),
  density: ({ inside: [lon] }) => {
    if (lon > 103) throw new Error('made to fail');
    return answer({ dense: lon > 101.5, detail: '' }, lon > 101.2 ? 'first' : 'second');
  },
  nearestWater: async ({ inside: [, lat] }) => answer({ distanceM: Math.round(lat * 1e5), name: null, kind: 'river' }),
});
const citation = (id: string, version: string) => ({
  id,
  version,
  synthetic: false,
  licence: `L ${id}`,
  attribution: id,
});
const facilities = createFacilityService({ sources: world, citation }, CONFIG, FEATURE_BYTES.atOnce);

/** Points, outlines, and everything that is no usable feature; one is too long for a part. */
function mixedFile(): Uint8Array {
  const random = seededRandom(11);
  const features = Array.from({ length: COUNT }, (_, id): unknown => {
    const [lon, lat] = [100 + 4 * random(), random()];
    const properties = { facility_name: `Mühle ${id}`, commodity_type: id % 7 === 0 ? 'banana' : 'palm', n: id };
    if (id % 11 === 0) return { type: 'Feature', id, geometry: { type: 'Point', coordinates: [lon, 95] }, properties };
    if (id % 13 === 0) return null;
    if (id % 17 === 0) return { type: 'Point', coordinates: [lon, lat] };
    if (id % 19 === 0) return { type: 'Feature', geometry: null };
    if (id === 333)
      return {
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates: [lon, lat] },
        properties: { long: 'x'.repeat(PART_BYTES) },
      };
    const ring = [
      [lon, lat],
      [lon + 0.001, lat],
      [lon, lat + 0.001],
      [lon, lat],
    ];
    const geometry =
      id % 2 === 0 ? { type: 'Point', coordinates: [lon, lat] } : { type: 'Polygon', coordinates: [ring] };
    return { type: 'Feature', id: `f${id}`, geometry, properties };
  });
  return Buffer.from(JSON.stringify({ features, type: 'FeatureCollection' }));
}

const FILE = mixedFile();
const ASKED = options({ checkWater: true });

async function* pieces(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array, void> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function alone(format: FeatureFormat, bytes: Uint8Array = FILE): Promise<string> {
  const run = facilities.validateBytes(pieces(bytes), ASKED, new AbortController().signal);
  return (await Array.fromAsync(featureText(format, { ...run, columns: facilities.columns }))).join('');
}

async function together(
  format: FeatureFormat,
  helpers: readonly Pick<RatingHelper, 'rate'>[],
  bytes: Uint8Array = FILE,
): Promise<string> {
  const job = { options: ASKED, format };
  const { signal } = new AbortController();
  const parts = await Array.fromAsync(
    rateInParts({ facilities, citation, bytes: pieces(bytes), job, helpers, signal }),
  );
  return Buffer.concat(parts).toString();
}

/** Rates in this thread after `delay`, like a thread of its own; ends with part number `endsAt`. */
function helper(delay: (part: number) => Promise<unknown>, endsAt = Infinity) {
  const state = { given: 0, atWork: 0, most: 0 };
  const rate: RatingHelper['rate'] = async (part, job) => {
    const number = ++state.given;
    state.most = Math.max(state.most, ++state.atWork);
    await delay(number);
    state.atWork--;
    if (number >= endsAt) throw new HelperEnded('made to end');
    const signal = new AbortController().signal;
    return structuredClone(await ratePart(facilities, structuredClone(part), job, signal));
  };
  return { state, rate, isOpen: true, close: async () => {} };
}

const turns = (count: number) => async () => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

describe('a file that several threads rate', () => {
  for (const format of FORMATS)
    test(`has the bytes of one thread as ${format}, whoever is faster`, async () => {
      const helpers = [helper(turns(3)), helper((part) => turns((part * 7) % 11)())];
      assert.equal(await together(format, helpers), await alone(format));
      assert.ok(helpers.every(({ state }) => state.given > 1));
      assert.ok(helpers.every(({ state }) => state.most <= PARTS_OF_HELPER));
    });

  test('is answered whole where it holds nothing', async () => {
    const empty = Buffer.from('{"type":"FeatureCollection","features":[]}');
    for (const format of FORMATS)
      assert.equal(await together(format, [helper(turns(1))], empty), await alone(format, empty));
  });

  test('has the same bytes when every helper ends half-way', async () => {
    const helpers = [helper(turns(2), 2), helper(turns(1), 3)];
    assert.equal(await together('geojson', helpers), await alone('geojson'));
    // A helper that has ended is given nothing more than what it had been given before that was known.
    assert.ok(helpers.every(({ state }) => state.given <= 2 + PARTS_OF_HELPER));
  });

  test('is cut no faster than its answer is read', async () => {
    const idle = helper(turns(1));
    const { signal } = new AbortController();
    const job = { options: ASKED, format: 'ndjson' as const };
    const answers = rateInParts({ facilities, citation, bytes: pieces(FILE), job, helpers: [idle], signal });
    await answers.next();
    await turns(300)();
    const { given } = idle.state;
    assert.ok(given <= MOST_PARTS, `${given} parts`);
    await answers.return({} as never);
    assert.equal(idle.state.given, given);
  });

  test('ends with the reason of the signal', async () => {
    const abort = new AbortController();
    const job = { options: ASKED, format: 'ndjson' as const };
    const slow = helper(turns(5));
    const answers = rateInParts({
      facilities,
      citation,
      bytes: pieces(FILE),
      job,
      helpers: [slow],
      signal: abort.signal,
    });
    await answers.next();
    abort.abort(new Error('the client left'));
    await assert.rejects(Array.fromAsync(answers), { message: 'the client left' });
  });

  test('fails with what broke in a helper, and not with half an answer', async () => {
    const broken = { rate: () => Promise.reject(new Error('a fault')) };
    await assert.rejects(together('csv', [broken]), { message: 'a fault' });
  });
});

describe('a thread that rates parts', () => {
  const JOB = { options: ASKED, format: 'ndjson' } as const;
  const ENTRY = new URL('../../../test/rating-thread.fixture.ts', import.meta.url);
  const part = (text: string) => {
    const bytes = new Uint8Array(Buffer.from(text));
    return { bytes, ends: [bytes.length], index: 0, layout: 'sequence' as const };
  };
  const textOf = ({ text }: RatedPart): string => Buffer.from(text).toString();

  test('answers each part, and fails all it was given when it crashes', async () => {
    const thread = openRatingHelper(ENTRY, {} as never, 64);
    const both = await Promise.all([thread.rate(part('one'), JOB), thread.rate(part('two'), JOB)]);
    assert.deepEqual(both.map(textOf), ['ONE', 'TWO']);
    const left = await Promise.allSettled([thread.rate(part('wait'), JOB), thread.rate(part('crash'), JOB)]);
    assert.ok(left.every((one) => one.status === 'rejected' && one.reason instanceof HelperEnded));
    await assert.rejects(thread.rate(part('late'), JOB), HelperEnded);
    await thread.close();
  });

  test('fails with the fault of a part, and goes on with the next', async () => {
    const thread = openRatingHelper(ENTRY, {} as never, 64);
    await assert.rejects(thread.rate(part('fail'), JOB), (error) => !(error instanceof HelperEnded));
    assert.equal(textOf(await thread.rate(part('next'), JOB)), 'NEXT');
    await thread.close();
    await assert.rejects(thread.rate(part('late'), JOB), HelperEnded);
  });

  test('ends alone when its memory is full', async () => {
    const thread = openRatingHelper(ENTRY, {} as never, 32);
    await assert.rejects(thread.rate(part('fill'), JOB), HelperEnded);
  });
});

test('parts that are counted apart have the summary of the whole', async () => {
  const few = createFacilityService({ sources: noData(), citation: () => null }, CONFIG, FEATURE_BYTES.atOnce);
  const cited = createFacilityService({ sources: world, citation }, CONFIG, FEATURE_BYTES.atOnce);
  for (const service of [few, cited]) {
    const job = { options: ASKED, format: 'ndjson' as const };
    const { signal } = new AbortController();
    const work = { facilities: service, citation: () => null, bytes: pieces(FILE), job, helpers: [], signal };
    const answers = rateInParts(work);
    let last = await answers.next();
    while (last.done !== true) last = await answers.next();
    const run = service.validateBytes(pieces(FILE), ASKED, signal);
    for await (const _ of run.features) continue;
    assert.deepEqual(last.value, run.aggregate());
  }
});
