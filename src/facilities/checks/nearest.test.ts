import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, codes, evidenceOf, footprints, rate, riau } from '../../../test/facility-sources.ts';

describe('optional checks', () => {
  it('do not look for water and ports unless requested, and never score them', () => {
    const plain = rate(riau);
    assert.deepEqual(
      [plain.water_access, plain.port_proximity, evidenceOf(plain, 'water_access')?.status],
      [0, 0, 'unknown'],
    );
    assert.match(evidenceOf(plain, 'water_access')?.detail ?? '', /did not include water/);
    const result = rate(riau, {}, { checkWater: true, checkPort: true });
    assert.deepEqual([result.water_access, result.port_proximity, result.confidence_score], [1, 1, 1]);
  });

  it('do not penalise a road that was not looked for', () => {
    const result = rate(riau, { nearestRoad: () => assert.fail('was queried') }, { checkRoad: false });
    assert.deepEqual(
      [result.road_access, result.confidence_score, evidenceOf(result, 'road_access')?.penalty, codes(result)],
      [0, 1, 0, []],
    );
  });

  it('count a road beyond the threshold as absent', () => {
    const at = (distanceM: number) =>
      rate(riau, { nearestRoad: () => answer({ distanceM, name: null, kind: 'track' }) }).road_access;
    assert.deepEqual([at(1_000), at(1_000.1)], [1, 0]);
  });

  it('take 0.10 for a dense urban area', () => {
    const result = rate(riau, { density: () => answer({ dense: true, detail: 'In Jakarta.', distanceM: 10.4 }) });
    assert.deepEqual([result.confidence_score, codes(result)], [0.9, ['dense_urban']]);
  });

  it('warn of a place without any infrastructure only when it was looked for', () => {
    const bare = {
      nearestRoad: () => answer(null),
      businesses: () => answer({ count: 0, nearest: null }),
      buildings: () => answer(footprints([])),
    };
    assert.deepEqual(codes(rate(riau, bare)), ['no_infrastructure']);
    assert.ok(!codes(rate(riau, { ...bare, buildings: () => null })).includes('no_infrastructure'));
  });
});
