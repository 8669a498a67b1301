import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, options, riau, sources } from '../../../test/facility-sources.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import { createFacilityService } from './facilities.ts';

const CONFIG = { facilitiesInFlight: 4, maxFeatures: 10 };
const citation = (id: string, version: string) => ({ id, version, synthetic: false, licence: 'L', attribution: id });
const never = new AbortController().signal;

const serviceOver = (data: { sources: FacilitySources; refresh?: () => Promise<void> }) =>
  createFacilityService({ citation, ...data }, CONFIG, 1_000);

test('rates one place as a file with that place is rated, whatever it is', async () => {
  const failing = sources({
    nearestRoad: () => {
      throw new Error('made to fail');
    },
  });
  const late = sources({ nearestRoad: async () => answer({ distanceM: 5, name: null, kind: 'road' }) });
  const inputs = [
    riau,
    { type: 'Feature', geometry: null, properties: { a: 1 } },
    { type: 'Point', coordinates: [1, 95] },
  ];
  for (const world of [sources(), failing, late])
    for (const input of inputs) {
      const service = serviceOver({ sources: world });
      const one = await service.validateOne(input, options(), never);
      const file = service.validateItems([{ feature: input }], options(), never);
      assert.deepEqual([one.feature], await Array.fromAsync(file.features));
      assert.deepEqual(one.aggregate(), file.aggregate());
    }
});

test('looks at what is installed once for questions of the same moment, and again when a look failed', async () => {
  let looks = 0;
  let fails = true;
  const refresh = async (): Promise<void> => {
    looks++;
    if (fails) throw new Error('made to fail');
  };
  const service = serviceOver({ sources: sources(), refresh });
  for (let i = 1; i <= 2; i++) {
    await assert.rejects(service.validateOne(riau, options(), never), { message: 'made to fail' });
    assert.equal(looks, i);
  }
  fails = false;
  const begun = performance.now();
  for (let i = 0; i < 20; i++) await service.validateOne(riau, options(), never);
  // On a busy machine this takes longer than one look is believed.
  assert.ok(looks - 2 <= 1 + (performance.now() - begun) / 50, `${looks - 2} looks`);
});

test('ends with the reason of the signal when the client leaves before a source answers', async () => {
  const abort = new AbortController();
  const asked = Promise.withResolvers<void>();
  const hanging = sources({
    nearestRoad: () => {
      asked.resolve();
      return new Promise(() => {});
    },
  });
  const rated = serviceOver({ sources: hanging }).validateOne(riau, options({ checkTimeoutMs: 60_000 }), abort.signal);
  await asked.promise;
  abort.abort(new Error('the client left'));
  await assert.rejects(rated, { message: 'the client left' });
});
