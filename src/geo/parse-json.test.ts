import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import * as fc from 'fast-check';
import { isExactNumber, parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it('keeps numbers that a double cannot hold', () => {
    for (const text of [
      '12345678901234567890',
      '-9007199254740993',
      '1e400',
      '[{"id":98765432109876543210,"n":[1e999]}]',
    ])
      assert.equal(JSON.stringify(parseJson(text)), text);
    assert.ok(isExactNumber(parseJson('12345678901234567890')));
  });

  it('gives plain numbers wherever they are exact or only rounded decimals', () => {
    assert.equal(parseJson('9007199254740992'), 9_007_199_254_740_992);
    assert.equal(parseJson('100000000000000000'), 1e17);
    assert.equal(parseJson('103.17472200000000312'), 103.174722);
    assert.equal(parseJson('1e-400'), 0);
  });

  it('agrees with JSON.parse on everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepEqual(parseJson(JSON.stringify(value)), JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  it('looks closer wherever a run of digits or an exponent is long, and nowhere else', () => {
    // What stands in numbers and around them, in any order, within a text.
    const piece = fc.constantFrom('1', '0', '9'.repeat(15), '9'.repeat(16), 'e', 'E', '+', '-', '.', 'Feature', ' ');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const isSuspect = /\d{16}|[eE]\+?\d{3}/.test(text);
        let isRead = false;
        const parse = mock.method(JSON, 'parse', (_text: string, revive?: unknown) => (isRead = revive !== undefined));
        try {
          parseJson(text);
        } finally {
          parse.mock.restore();
        }
        assert.equal(isRead, isSuspect);
      }),
    );
  });
});
