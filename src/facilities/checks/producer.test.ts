import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, pointAt, rate, riau } from '../../../test/facility-sources.ts';

describe('producer', () => {
  const match = { registry: 'Open Register', recordId: 'R1', name: 'PT Sawit', nameSimilarity: 1, distanceM: 0 };
  const scored = (nameSimilarity: number, distanceM: number | null) =>
    rate(pointAt(101.4478, 0.5071, { Company_Name: 'PT SAWIT' }), {
      producer: () => answer({ ...match, nameSimilarity, distanceM }),
    });
  const table = [
    [1, 0, 1, true],
    [1, 1_000, 1, true],
    [1, 25_000, 0.7, false],
    [1, 99_000, 0.7, false],
    [0.9, 13_000, 0.78, false],
    [0.93, 13_000, 0.8, true],
    [1, null, 0.7, false],
    [0, 0, 0.3, false],
  ] as const;
  for (const [similarity, distance, score, confirmed] of table) {
    it(`scores a name ${similarity} alike, ${distance} m away, ${score}`, () => {
      const result = scored(similarity, distance);
      assert.deepEqual([result.producer_confirmation_score, result.producer_confirmed], [score, confirmed]);
      assert.match(result.producer_confirmation_comment, /Open Register has "PT Sawit" \(R1\)/);
    });
  }

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
