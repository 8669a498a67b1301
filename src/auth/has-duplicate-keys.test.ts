import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { hasDuplicateKeys } from './has-duplicate-keys.ts';

describe('hasDuplicateKeys', () => {
  it('sees a member named twice, at any depth and however it is written', () => {
    for (const json of [
      '{"a":1,"a":2}',
      '{"x":{"a":1, "a" :2}}',
      '[1,{"b":[],"b":{}}]',
      String.raw`{"a":1,"\u0061":2}`,
      '{"":1,"":2}',
    ])
      assert.equal(hasDuplicateKeys(json), true, json);
  });

  it('does not mistake texts, siblings or children for a second member', () => {
    for (const json of [
      '{"a":"a","b":"a:"}',
      '[{"a":1},{"a":2}]',
      '{"a":{"a":{"a":1}}}',
      String.raw`{"a":"\"a\":","b":"}{"}`,
      '"a"',
      '["a","a"]',
    ])
      assert.equal(hasDuplicateKeys(json), false, json);
  });

  it('passes whatever JSON.stringify writes, and refuses it with one member repeated', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.boolean(), (value, indent) => {
        const json = JSON.stringify(value, null, indent ? 2 : 0);
        const again = `,${JSON.stringify(Object.keys(value)[0])}:0}`;
        return !hasDuplicateKeys(json) && hasDuplicateKeys(json.trimEnd().slice(0, -1) + again);
      }),
    );
  });
});
