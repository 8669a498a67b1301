import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { answer, evidenceOf, pointAt, rate, riau } from '../../../test/facility-sources.ts';

const STATUS = { confirmed: 'present', found_elsewhere: 'absent', name_differs: 'absent', place_unknown: 'unknown' };

describe('producer', () => {
  const match = { registry: 'Open Register', recordId: 'R1', name: 'PT Sawit', nameSimilarity: 1, distanceM: 0 };
  const scored = (nameSimilarity: number, distanceM: number | null) =>
    rate(pointAt(101.4478, 0.5071, { Company_Name: 'PT SAWIT' }), {
      producer: () => answer({ ...match, nameSimilarity, distanceM }),
    });
  const table = [
    [1, 0, 1, 'confirmed'],
    [1, 1_000, 1, 'confirmed'],
    [1, 3_000, 0.85, 'confirmed'],
    [1, 3_650, 0.8, 'confirmed'],
    [1, 4_200, 0.76, 'found_elsewhere'],
    [1, 5_000, 0.7, 'found_elsewhere'],
    [1, 99_000, 0.7, 'found_elsewhere'],
    [0.72, 500, 0.8, 'confirmed'],
    [0.72, 13_000, 0.5, 'found_elsewhere'],
    [0.6, 500, 0.72, 'name_differs'],
    [0.6, 13_000, 0.42, 'name_differs'],
    [1, null, 0.7, 'place_unknown'],
    [0.6, null, 0.42, 'name_differs'],
    [0, 0, 0.3, 'name_differs'],
  ] as const;
  for (const [similarity, distance, score, state] of table) {
    it(`scores a name ${similarity} alike, ${distance} m away, ${score} and calls it ${state}`, () => {
      const result = scored(similarity, distance);
      assert.deepEqual([result.producer_confirmation_score, result.producer_confirmed], [score, state === 'confirmed']);
      assert.match(result.producer_confirmation_comment, /Open Register has "PT Sawit" \(R1\)/);
      const { producer_state, status, distance_m } = evidenceOf(result, 'producer_confirmation') ?? {};
      assert.deepEqual([producer_state, distance_m ?? null], [state, distance]);
      assert.equal(status, STATUS[state]);
    });
  }

  it('never is confirmed without a place nearby, whatever the name', () => {
    const distance = fc.option(fc.double({ min: 5_000, max: 2e7, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), distance, (similarity, distanceM) => {
        assert.equal(scored(similarity, distanceM).producer_confirmed, false);
      }),
    );
  });

  it('says that a name found elsewhere is not confirmed here, and how far away it is', () => {
    assert.match(
      scored(1, 13_000).producer_confirmation_comment,
      /^Found elsewhere, so not confirmed here: .*, 13 km away; score 0\.70\.$/,
    );
    assert.match(
      scored(1, null).producer_confirmation_comment,
      /^Not confirmed, because the place of the record is unknown: .*, of unknown place; score 0\.70\.$/,
    );
  });

  it('says when there is no name, no record or no registry', () => {
    assert.match(rate(riau).producer_confirmation_comment, /has no name to look up/);
    assert.match(
      rate(pointAt(101.4478, 0.5071, { supplier: 'X' })).producer_confirmation_comment,
      /No registry record resembles "X"/,
    );
    assert.match(
      rate(pointAt(101.4478, 0.5071, { NAME: 'X' }), { producer: () => null }).producer_confirmation_comment,
      /No producer registry dataset covers/,
    );
  });

  it('prefers facility_name, then name, company_name and supplier', () => {
    assert.equal(
      rate(
        pointAt(1.1234, 1.1234, { supplier: 'S', Company: 'x', 'Company Name': 'C', name: ' ', 'Facility-Name': 'F' }),
      ).facility_name,
      'F',
    );
    assert.equal(rate(pointAt(1.1234, 1.1234, { supplier: 'S', 'Company Name': 'C', name: ' ' })).facility_name, 'C');
  });
});
