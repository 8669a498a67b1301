import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, pointAt, rate, riau } from '../../../test/facility-sources.ts';

describe('the comment of a language model', () => {
  const said = (reply: unknown) => rate(riau, { comment: () => answer(reply as string, 'model') }).aggregation_comment;

  it('is used, cleaned and marked as such', () => {
    assert.equal(
      said('A mill\n\u0007 beside a road. '),
      'Written by a language model from the indicators: A mill beside a road. Evidence: verified, with 100 % of what is scored assessed.',
    );
    const long = said('Word after word. '.repeat(100));
    assert.ok(long.length < 800 && long.includes('word. Evidence: '));
  });

  it('is left for the composed one when it is empty, marked up or failed', () => {
    for (const reply of ['', '  ', 42, '<b>x</b>', 'see https://example.test', 'x'.repeat(5_000)])
      assert.match(said(reply), /^Composed from the indicators:/);
    assert.match(rate(riau, { comment: () => assert.fail('down') }).aggregation_comment, /^Composed/);
  });

  it('gets yes or no, names and distances, never a graduated value', () => {
    let facts: unknown = null;
    rate(pointAt(101.4478, 0.5071, { name: 'Mill' }), {
      comment: (told) => {
        facts = told;
        return null;
      },
    });
    const { indicators, ...rest } = facts as { indicators: readonly { indicator: string; present: number }[] };
    assert.deepEqual(rest, { facilityName: 'Mill', commodity: 'palm', country: 'Indonesia' });
    assert.deepEqual(
      indicators.find(({ indicator }) => indicator === 'building_presence'),
      { indicator: 'building_presence', present: 1, known: true },
    );
    assert.deepEqual(
      indicators.find(({ indicator }) => indicator === 'road_access'),
      { indicator: 'road_access', present: 1, known: true, name: 'Jalan Raya', distanceM: 412 },
    );
  });
});
