import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseJson } from '../geo/parse-json.ts';
import { recordText } from './record-text.ts';

describe('recordText', () => {
  it('writes what JSON.stringify writes', () => {
    const record = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('2015', '0', 'tonnes')),
      fc.option(fc.jsonValue(), { nil: undefined }),
    );
    fc.assert(fc.property(record, (value) => assert.equal(recordText(value), JSON.stringify(value))));
  });

  it('keeps numbers that a double cannot hold', () => {
    const text = '{"id":12345678901234567890,"at":{"2015":98765432109876543210}}';
    assert.equal(recordText(parseJson(text) as object), text);
  });
});
