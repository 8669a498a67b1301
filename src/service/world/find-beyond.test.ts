import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer } from '../../../test/facility-sources.ts';
import { Problem } from '../../errors.ts';
import type { Answer, BuildingsNearby, FacilitySources, Nearby } from '../../facilities/sources.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { findBeyondLast } from './find-beyond.ts';

type Questions = Parameters<typeof findBeyondLast>[0];
type NearestPort = FacilitySources['nearestPort'];

const { signal } = new AbortController();
const place = pointShape(123.8, 13.18);
const port = (id: string): Answer<Nearby | null> => answer({ distanceM: 6_000, name: null, kind: 'harbour' }, id);
const none = (id: string): Answer<Nearby | null> => answer(null, id);
const unasked = (): never => assert.fail('was asked');
const silent: Questions = {
  nearestRoad: () => null,
  nearestWater: () => null,
  nearestPort: () => null,
  buildings: () => null,
  businesses: () => null,
};
const busy = new Problem('dependency_unavailable', 'Overpass is busy');
const broken = (): never => {
  throw busy;
};

function ask(nearestPort: NearestPort, beyond: NearestPort, reported: string[] = []) {
  const sources = findBeyondLast({ ...silent, nearestPort }, { nearestPort: beyond }, (what) => reported.push(what));
  return sources.nearestPort(place, 50_000, signal);
}

describe('what packs find beyond their ground', () => {
  for (const [how, wrap] of [
    ['at once', <T>(value: T): T | Promise<T> => value],
    ['later', <T>(value: T): T | Promise<T> => Promise.resolve(value)],
  ] as const) {
    it(`does not replace what another source finds (${how})`, async () => {
      assert.equal((await ask(() => wrap(port('sea-ports')), unasked))?.dataset.id, 'sea-ports');
    });

    it(`answers where the others are silent or find nothing (${how})`, async () => {
      for (const before of [null, none('sea-ports')])
        assert.equal(
          (
            await ask(
              () => wrap(before),
              () => wrap(port('pack')),
            )
          )?.dataset.id,
          'pack',
        );
    });

    it(`leaves the answer as it was where it finds nothing (${how})`, async () => {
      for (const before of [null, none('sea-ports')])
        assert.deepEqual(
          await ask(
            () => wrap(before),
            () => wrap(null),
          ),
          before,
        );
    });
  }

  it('answers for a source that failed, and the receipt says so', async () => {
    for (const failing of [broken, () => Promise.reject(busy)]) {
      const reported: string[] = [];
      const found = await ask(failing, () => port('pack'), reported);
      assert.equal(found?.dataset.note, 'Overpass is busy, so another dataset answered.');
      assert.deepEqual(reported, ['nearestPort']);
    }
  });

  it('lets a failure stand where it finds nothing', async () => {
    for (const failing of [broken, () => Promise.reject(busy)])
      await assert.rejects(async () => ask(failing, () => null), busy);
  });

  it('is logged where it fails, and the answer before it stands', async () => {
    for (const failing of [broken, () => Promise.reject(busy)]) {
      const reported: string[] = [];
      assert.deepEqual(await ask(() => none('sea-ports'), failing, reported), none('sea-ports'));
      assert.deepEqual(reported, ['nearestPort']);
    }
  });

  it('counts for buildings only where they are sizeable or in industrial use', async () => {
    const built = (largestM2: number, industrial = false): Answer<BuildingsNearby> =>
      answer({ count: 2, largestM2, togetherM2: largestM2, industrial }, 'pack');
    const buildings = async (beyond: Answer<BuildingsNearby>) =>
      findBeyondLast(silent, { buildings: () => beyond }, unasked).buildings(place, 100, signal);
    assert.equal(await buildings(built(50)), null);
    assert.equal((await buildings(built(1_200)))?.dataset.id, 'pack');
    assert.equal((await buildings(built(0, true)))?.dataset.id, 'pack');
  });

  it('hands on the commodity of businesses', async () => {
    const asked: unknown[] = [];
    const beyond: Pick<FacilitySources, 'businesses'> = {
      businesses: (...values) => {
        asked.push(...values);
        return answer({ count: 1, nearest: null }, 'pack');
      },
    };
    const found = await findBeyondLast(silent, beyond, unasked).businesses('palm', place, 2_000, signal);
    assert.equal(found?.value.count, 1);
    assert.deepEqual(asked, ['palm', place, 2_000, signal]);
  });
});
