import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { csvRow } from './csv-row.ts';
import { runs } from '../../../test/property-runs.ts';

describe('rows of CSV', () => {
  it('are read as they were written, formulas after a quotation mark', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[=+@\t\r-]["\n, ]*x$/));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (cells) => {
        const [row] = parse(csvRow([...cells, 'end']), { record_delimiter: '\r\n' }) as string[][];
        const wanted = cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell));
        assert.deepEqual(row, [...wanted, 'end']);
      }),
      { numRuns: runs(500), seed: 12 },
    );
    assert.equal(csvRow([1.5, null, undefined, false, '']), '1.5,,,false,\r\n');
  });
});
