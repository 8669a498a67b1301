import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { negotiate } from './negotiate.ts';

const OFFERED = ['application/geo+json', 'application/x-ndjson', 'text/csv'];

describe('negotiate', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'application/geo+json'],
    ['', 'application/geo+json'],
    ['*/*', 'application/geo+json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv;header=present', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson;q=0.9', 'application/x-ndjson'],
    ['text/csv, */*;q=0.1', 'text/csv'],
    ['application/geo+json;q=0, */*', 'application/x-ndjson'],
    ['application/*;q=0.2, text/csv;q=0.1', 'application/geo+json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/geo+json'],
    ['text/csv;q=0.001', 'text/csv'],
    ['text/csv, */*', 'text/csv'],
    ['*/*, text/csv;q=0.9', 'application/geo+json'],
    ['nonsense, text/csv', 'text/csv'],
  ];
  for (const [accept, wanted] of cases)
    it(`answers ${wanted} for ${accept ?? 'no header'}`, () => assert.equal(negotiate(accept, OFFERED), wanted));

  it('throws not_acceptable that lists what there is', () => {
    for (const accept of ['image/png', 'text/csv;q=0', '*/*;q=0', 'nonsense', '*/csv'])
      assert.throws(() => negotiate(accept, OFFERED), {
        code: 'not_acceptable',
        message: /application\/geo\+json, application\/x-ndjson, text\/csv/,
      });
  });

  it('answers one of the offer or throws a problem, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc
            .array(fc.constantFrom('*', '/', ',', ';', 'q=', '0.5', 'text', 'csv', ' ', 'x'))
            .map((parts) => parts.join('')),
        ),
        (accept) => {
          try {
            return OFFERED.includes(negotiate(accept, OFFERED));
          } catch (error) {
            return (error as { code?: string }).code === 'not_acceptable';
          }
        },
      ),
    );
  });
});
