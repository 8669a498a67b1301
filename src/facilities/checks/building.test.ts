import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, footprints, rate, riau } from '../../../test/facility-sources.ts';

describe('buildings', () => {
  const table = [
    [[1_000], false, 'large', 0.23],
    [[10], true, 'large', 0.23],
    [[999.9], false, 'medium', 0.12],
    [[200], false, 'medium', 0.12],
    [[199, 199, 102], false, 'medium', 0.12],
    [[199, 199, 101], false, 'none', 0],
    [[], false, 'none', 0],
  ] as const;
  for (const [footprintsM2, industrial, buildingClass, value] of table) {
    it(`rates footprints ${JSON.stringify(footprintsM2)}${industrial ? ' in industrial use' : ''} ${buildingClass}`, () => {
      const result = rate(riau, { buildings: () => answer(footprints(footprintsM2, industrial)) });
      assert.deepEqual(
        [result.building_class, result.building_presence, result.confidence_score],
        [buildingClass, value, value === 0 ? 0.85 : 1],
      );
    });
  }
});
