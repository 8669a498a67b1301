import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { columnNames, matchesAll } from './filter.ts';

const PROPERTIES = {
  name: 'Kofi, Ama & Sons',
  area_ha: 3,
  country: null,
  irrigated: true,
  source: { Region: 'Ashanti ', name: 'own name', grade: '007' },
};

function finds(name: string, ...values: string[]): boolean {
  return matchesAll(PROPERTIES, [{ name, values }]);
}

describe('matchesAll', () => {
  it('finds a country by its name and by its code, in records of before there was a code too', () => {
    const of = (properties: object, value: string) =>
      matchesAll({ ...properties, source: {} }, [{ name: 'country', values: [value] }]);
    const ghana = { country: 'Ghana', country_code: 'GH' };
    assert.deepEqual(
      [of(ghana, 'Ghana'), of(ghana, 'GH'), of(ghana, 'CI,GH'), of(ghana, 'CI')],
      [true, true, true, false],
    );
    assert.deepEqual([of({ country: 'GH' }, 'GH'), of({ country: null, country_code: null }, '')], [true, true]);
  });

  it('compares texts as they are written, spaces around them apart', () => {
    assert.deepEqual(
      [finds('Region', 'Ashanti'), finds('Region', 'ashanti'), finds('Region', 'Asha')],
      [true, false, false],
    );
  });

  it('compares numbers by value and texts of digits by their text', () => {
    assert.deepEqual([finds('area_ha', '3.0'), finds('area_ha', '3e0'), finds('area_ha', '')], [true, true, false]);
    assert.deepEqual([finds('grade', '7'), finds('grade', '007')], [false, true]);
  });

  it('takes a list with commas, and a value with a comma as a whole', () => {
    assert.ok(finds('Region', 'Volta, Ashanti'));
    assert.ok(finds('name', 'Kofi, Ama & Sons'));
    assert.ok(finds('area_ha', '1', '3'));
  });

  it('takes nothing for null', () => {
    assert.deepEqual([finds('country', ''), finds('country', 'null'), finds('irrigated', 'true')], [true, false, true]);
  });

  it('prefers the property of the answer, and source. for the column of the input', () => {
    assert.deepEqual([finds('name', 'own name'), finds('source.name', 'own name')], [false, true]);
  });

  it('wants every filter to hold', () => {
    const filters = (grade: string) => [
      { name: 'Region', values: ['Ashanti'] },
      { name: 'grade', values: [grade] },
    ];
    assert.deepEqual([matchesAll(PROPERTIES, filters('007')), matchesAll(PROPERTIES, filters('008'))], [true, false]);
    assert.equal(matchesAll(PROPERTIES, []), true);
  });

  it('finds no member of the language in a location', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'missing'])
      assert.equal(finds(name, ''), false, name);
  });

  it('finds every value by its own text, whatever it holds', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(value, (held) => {
        const text = held === null ? '' : Object.is(held, -0) ? '0' : String(held);
        assert.ok(matchesAll({ source: { column: held } }, [{ name: 'column', values: [text] }]));
      }),
    );
  });
});

describe('columnNames', () => {
  it('lists the properties and the columns of the input', () => {
    assert.deepEqual(columnNames(PROPERTIES), ['name', 'area_ha', 'country', 'irrigated', 'Region', 'grade']);
  });
});
