import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { MAX_REVIEWED_ROWS } from '../../collections/review.ts';
import { runs } from '../../../test/property-runs.ts';
import { UsageError } from '../command.ts';
import { readRows } from './rows.ts';

describe('readRows', () => {
  it('reads numbers and ranges, each once, in their order', () => {
    assert.deepEqual(readRows('7, 0,2-4,3'), [7, 0, 2, 3, 4]);
  });

  it('refuses what is no list of numbers, and more rows than one review may be about', () => {
    for (const text of ['', 'a', '1,,2', '-1', '4-2', '1.5', '0-999999999', `0-${MAX_REVIEWED_ROWS}`, '1e3'])
      assert.throws(() => readRows(text), UsageError, text);
    assert.equal(readRows(`0-${MAX_REVIEWED_ROWS - 1}`).length, MAX_REVIEWED_ROWS);
  });

  it('gives back every list that is written as numbers with commas', () => {
    const lists = fc.uniqueArray(fc.integer({ min: 0, max: 999_999_999 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(lists, (rows) => assert.deepEqual(readRows(rows.join(',')), rows)),
      { numRuns: runs(200) },
    );
  });

  it('says of any other text that it is none, and never fails otherwise', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          assert.ok(readRows(text).every((row) => Number.isInteger(row) && row >= 0));
        } catch (error) {
          assert.ok(error instanceof UsageError);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
