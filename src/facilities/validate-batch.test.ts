import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { answer, options, pointAt, sources } from '../../test/facility-sources.ts';
import type { ValidatedFacility } from './result.ts';
import type { FacilitySources } from './sources.ts';
import { validateBatch, type FacilityInput } from './validate-batch.ts';

const never = new AbortController().signal;

async function* stream(features: Iterable<unknown>): AsyncGenerator<FacilityInput> {
  for (const feature of features) yield { feature };
}

async function collect(results: AsyncIterable<ValidatedFacility>): Promise<ValidatedFacility[]> {
  return await Array.fromAsync(results);
}

function numbered(count: number): unknown[] {
  return Array.from({ length: count }, (_, id) => ({ ...pointAt(100.1234 + id * 0.0001, 0.1234), id }));
}

/** Sources whose road answers after a wait of its own, counting how many are queried at once. */
function waiting(waitMs: (call: number) => number): { sources: FacilitySources; most: () => number } {
  let [calls, now, most] = [0, 0, 0];
  const world = sources({
    nearestRoad: async () => {
      most = Math.max(most, ++now);
      await setTimeout(waitMs(calls++));
      now--;
      return answer(null);
    },
  });
  return { sources: world, most: () => most };
}

describe('validateBatch', () => {
  it('gives N results for N features in their order, whatever they are and whenever sources answer', async () => {
    const feature = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.constant('Feature'), geometry: fc.anything(), properties: fc.anything() }),
      fc.constant(pointAt(100.1234, 1.1234)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(feature, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        async (features, inFlight) => {
          const tagged = features.map((value, i) =>
            typeof value === 'object' && value !== null ? { ...value, id: i } : value,
          );
          const world = waiting((call) => (call * 7) % 5).sources;
          const results = await collect(validateBatch(stream(tagged), { facility: options(), inFlight }, world, never));
          assert.equal(results.length, features.length);
          for (const [i, result] of results.entries()) {
            const input = tagged[i];
            assert.equal(
              result.id,
              typeof input === 'object' && input !== null && !Array.isArray(input) ? i : undefined,
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('never has more facilities in flight than it may', async () => {
    const world = waiting(() => 2);
    await collect(validateBatch(stream(numbered(40)), { facility: options(), inFlight: 4 }, world.sources, never));
    assert.equal(world.most(), 4);
  });

  it('reads no further ahead than it may while nobody fetches results', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<FacilityInput> {
      for (const feature of numbered(100)) {
        read++;
        yield { feature };
      }
    }
    const results = validateBatch(counted(), { facility: options(), inFlight: 5 }, waiting(() => 1).sources, never);
    await results.next();
    await setTimeout(20);
    assert.ok(read <= 6, `read ${read}`);
    await results.return();
  });

  it('hands out a result that is ready while the input is slow', async () => {
    async function* slow(): AsyncGenerator<FacilityInput> {
      yield { feature: pointAt(100.1234, 1.1234) };
      await new Promise(() => undefined);
    }
    const results = validateBatch(slow(), { facility: options(), inFlight: 5 }, waiting(() => 1).sources, never);
    assert.equal((await results.next()).done, false);
  });

  it('lets a facility that breaks fail alone', async () => {
    const world = sources({ whereabouts: () => answer(null as never) });
    const [broken, invalid] = await collect(
      validateBatch(
        stream([{ ...pointAt(1.1234, 1.1234, { name: 'A' }), id: 'x' }, null]),
        { facility: options(), inFlight: 2 },
        world,
        never,
      ),
    );
    assert.deepEqual(
      [broken?.id, broken?.properties.confidence_level, broken?.properties['name']],
      ['x', 'invalid', 'A'],
    );
    assert.match(broken?.properties.confidence_comment ?? '', /internal error/);
    assert.match(invalid?.properties.confidence_comment ?? '', /The feature is null/);
  });

  it('gives what is no feature its place and the reason its reader found', async () => {
    const value = { type: 'Point', coordinates: [1, 2] };
    async function* items(): AsyncGenerator<FacilityInput> {
      yield { fault: { detail: 'wanted "type": "Feature", got a bare Point' }, value };
      yield { fault: { detail: 'wanted a Feature, got a number' }, value: 7 };
    }
    const results = await collect(validateBatch(items(), { facility: options(), inFlight: 2 }, sources(), never));
    assert.deepEqual(
      results.map(({ geometry, properties }) => [geometry, properties.confidence_comment]),
      [
        [value, 'Wanted "type": "Feature", got a bare Point.'],
        [null, 'Wanted a Feature, got a number.'],
      ],
    );
  });

  it('stops with the reason of the caller and closes the input', async () => {
    const abort = new AbortController();
    let closed = false;
    async function* endless(): AsyncGenerator<FacilityInput> {
      try {
        for (;;) yield { feature: pointAt(1.1234, 1.1234) };
      } finally {
        closed = true;
      }
    }
    const results = validateBatch(
      endless(),
      { facility: options(), inFlight: 3 },
      sources({ nearestRoad: () => new Promise(() => undefined) }),
      abort.signal,
    );
    const pending = results.next();
    await setImmediate();
    abort.abort(new Error('enough'));
    await assert.rejects(pending, /enough/);
    assert.ok(closed);
  });

  it('stops its checks when nobody reads on', async () => {
    const signals: AbortSignal[] = [];
    const world = sources({
      nearestRoad: (_shape, _within, signal) => {
        signals.push(signal);
        return signals.length === 1 ? Promise.resolve(answer(null)) : new Promise(() => undefined);
      },
    });
    const results = validateBatch(stream(numbered(9)), { facility: options(), inFlight: 3 }, world, never);
    await results.next();
    await results.return();
    assert.ok(signals.slice(1).every(({ aborted }) => aborted));
  });

  it('passes on what the input throws', async () => {
    async function* torn(): AsyncGenerator<FacilityInput> {
      yield { feature: pointAt(1.1234, 1.1234) };
      throw new Error('the file ends too soon');
    }
    await assert.rejects(
      () => collect(validateBatch(torn(), { facility: options(), inFlight: 3 }, sources(), never)),
      /ends too soon/,
    );
  });

  it('gives other events their turn after each slice of work', async () => {
    let time = 0;
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const now = () => (time += 1);
    await collect(
      validateBatch(stream(numbered(400)), { facility: options(), inFlight: 8, sliceMs: 10, now }, sources(), never),
    );
    clearInterval(timer);
    assert.ok(turns >= 5, `${turns} turns`);
  });
});
