import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseJson } from '../../geo/parse-json.ts';
import { jsonAttributes, parcelId } from './parcel-attributes.ts';

describe('the attributes of a parcel', () => {
  it('are what JSON can hold: dates in ISO 8601, long numbers as text, no bytes, no values that are none', () => {
    const day = new Date(Date.UTC(2026, 4, 1));
    const values = {
      text: 'a',
      none: null,
      small: 7n,
      long: 900719925474099312n,
      exact: parseJson('900719925474099312'),
      nan: Number.NaN,
      day,
      bad: new Date(Number.NaN),
      bytes: Uint8Array.of(1),
      absent: undefined,
      list: [1n, [day], Uint8Array.of(1)],
      nested: { deep: 2n, bytes: new ArrayBuffer(1) },
    };
    assert.deepEqual(jsonAttributes(values), {
      text: 'a',
      none: null,
      small: 7,
      long: '900719925474099312',
      exact: '900719925474099312',
      nan: null,
      day: '2026-05-01T00:00:00.000Z',
      bad: null,
      list: [1, ['2026-05-01T00:00:00.000Z'], null],
      nested: { deep: 2 },
    });
  });

  it('can always be written as JSON and read back the same', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withDate: true, withTypedArray: true })),
        (values) => {
          const attributes = jsonAttributes(values);
          const text = JSON.stringify(attributes);
          assert.equal(JSON.stringify(JSON.parse(text)), text);
          const texts = Object.entries(values).filter(([, value]) => typeof value === 'string');
          for (const [name, value] of texts) assert.equal(attributes[name], value);
          assert.ok(Object.keys(attributes).every((name) => Object.hasOwn(values, name)));
        },
      ),
    );
  });
});

describe('the identifier of a parcel', () => {
  it('is text, whatever it came as, and nothing where there is none', () => {
    assert.deepEqual([' 12 ', 12, 12n, parseJson('900719925474099312'), 0].map(parcelId), [
      '12',
      '12',
      '12',
      '900719925474099312',
      '0',
    ]);
    for (const value of ['', '  ', null, undefined, Number.NaN, {}, [1], true]) assert.equal(parcelId(value), null);
  });
});
