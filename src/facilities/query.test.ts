import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codes, evidenceOf, never, noData, options, rate, riau, sources } from '../../test/facility-sources.ts';
import type { ValidatedFacility } from './result.ts';
import { validateFacility } from './validate-facility.ts';

describe('unknown is not absent', () => {
  it('says that nothing covers the place, and what the score could be', () => {
    const result = validateFacility(riau, options(), noData(), never) as ValidatedFacility;
    assert.equal(result.properties.confidence_score, 0.25);
    const road = evidenceOf(result.properties, 'road_access');
    assert.deepEqual([road?.status, road?.value, road?.penalty, road?.dataset], ['unknown', 0, 0.15, null]);
    assert.match(road?.detail ?? '', /^No road dataset covers everything within 1,000 m of this place\.$/);
    assert.deepEqual(codes(result.properties), ['missing_data']);
    assert.equal(
      result.properties.primary_warning,
      'Not assessed, because no dataset covers this place and the area searched around it: the commodity, businesses, buildings, roads, building density. That says nothing against the facility: with them the score could be anything from 0.15 to 1.00.',
    );
  });

  it('keeps the other indicators when a source throws, reveals no secret and reports the failure', () => {
    const failure = Object.assign(new Error('GET https://example.test/?key=SECRET failed'), { code: 'ECONNREFUSED' });
    const reported: unknown[] = [];
    const result = rate(riau, {
      nearestRoad: () => {
        throw failure;
      },
      reportFailure: (what, error) => void reported.push(what, error),
    });
    assert.deepEqual([result.confidence_score, result.poi_presence, codes(result)], [0.85, 1, ['source_failed']]);
    assert.match(
      evidenceOf(result, 'road_access')?.detail ?? '',
      /Could not look for roads: the source failed \(ECONNREFUSED\)\./,
    );
    assert.ok(!JSON.stringify(result).includes('SECRET'));
    assert.deepEqual(reported, ['road_access', failure]);
  });

  it('goes on without a source that misses its deadline and aborts it', async () => {
    let aborted: unknown = null;
    const result = await validateFacility(
      riau,
      options({ checkTimeoutMs: 20 }),
      sources({
        businesses: (_commodity, _shape, _within, itsSignal) =>
          new Promise(() => itsSignal.addEventListener('abort', () => (aborted = itsSignal.reason))),
      }),
      never,
    );
    assert.match(evidenceOf(result.properties, 'poi_presence')?.detail ?? '', /no answer within 20 ms/);
    assert.equal((aborted as DOMException).name, 'TimeoutError');
    assert.equal(result.properties.confidence_score, 0.8);
  });

  it('reports a source that fails because it was stopped once', async () => {
    const reported: string[] = [];
    const world = sources({
      nearestRoad: (_, __, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      reportFailure: (what) => void reported.push(what),
    });
    await validateFacility(riau, options({ checkTimeoutMs: 20 }), world, never);
    await new Promise(setImmediate);
    assert.deepEqual(reported, ['road_access']);
  });

  it('takes the same answers as promises, and queries all sources before any has answered', async () => {
    const queried: string[] = [];
    const over = Object.fromEntries(
      Object.entries(sources()).map(([name, query]) => [
        name,
        name === 'countryCode'
          ? query
          : (...args: unknown[]) => {
              queried.push(name);
              return Promise.resolve((query as (...values: unknown[]) => unknown)(...args));
            },
      ]),
    );
    const pending = validateFacility(riau, options(), sources(over), never);
    assert.deepEqual(queried, ['whereabouts', 'businesses', 'buildings', 'nearestRoad', 'density']);
    assert.deepEqual((await pending).properties, rate(riau));
  });

  it('rejects with the reason of the caller, who stops it', async () => {
    const abort = new AbortController();
    const pending = validateFacility(
      riau,
      options(),
      sources({ nearestRoad: () => new Promise(() => undefined) }),
      abort.signal,
    );
    abort.abort(new Error('enough'));
    await assert.rejects(async () => pending, /enough/);
    assert.throws(() => validateFacility(riau, options(), sources(), abort.signal), /enough/);
  });
});
