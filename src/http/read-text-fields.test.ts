import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Type } from 'typebox';
import { Problem } from '../errors.ts';
import { readTextFields } from './read-text-fields.ts';

const Schema = Type.Object(
  {
    radius: Type.Optional(Type.Number({ minimum: 1, maximum: 50_000, default: 5000 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    check: Type.Optional(Type.Boolean({ default: true })),
    status: Type.Optional(Type.Unsafe<'a' | 'b'>({ type: 'string', enum: ['a', 'b'] })),
    tag: Type.Optional(Type.Array(Type.Integer(), { maxItems: 3 })),
    name: Type.String({ minLength: 1, maxLength: 5 }),
  },
  { additionalProperties: false },
);

const read = (fields: Record<string, unknown>) => readTextFields(Schema, fields, 'query');

function refusal(fields: Record<string, unknown>): Problem {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(fields)}`);
}

describe('readTextFields', () => {
  it('reads numbers, booleans and lists, and fills in defaults', () => {
    assert.deepEqual(read({ name: 'x' }), { name: 'x', radius: 5000, check: true });
    assert.deepEqual(read({ name: 'x', radius: '1e3', limit: '7', check: 'false', tag: ['1', '2'], status: 'b' }), {
      name: 'x',
      radius: 1000,
      limit: 7,
      check: false,
      tag: [1, 2],
      status: 'b',
    });
    assert.deepEqual(read({ name: 'x', tag: '4' }).tag, [4]);
  });

  it('does not take for a number or boolean what only looks a little like one', () => {
    for (const text of [
      '',
      ' ',
      '0x10',
      'NaN',
      'Infinity',
      '1,5',
      '5 000',
      '1e999',
      'null',
      'true',
      '٣',
      '1_000',
      '--1',
    ])
      assert.match(refusal({ name: 'x', radius: text }).message, /^radius: wanted a number from 1 to 50000, got /);
    for (const text of ['1.5', '0', '101', '-1', '1e9'])
      assert.match(refusal({ name: 'x', limit: text }).message, /^limit: wanted a whole number from 1 to 100, got /);
    for (const text of ['', '1', '0', 'yes', 'TRUE', 'on'])
      assert.match(refusal({ name: 'x', check: text }).message, /^check: wanted true or false, got /);
  });

  it('names the nearest parameter for an unknown one, and lists all when none is near', () => {
    assert.match(refusal({ name: 'x', radios: '1' }).message, /no query parameter "radios"; did you mean radius\?/);
    assert.match(refusal({ name: 'x', Limit: '1' }).message, /did you mean limit\?/);
    assert.match(refusal({ name: 'x', colour: '1' }).message, /known are radius, limit, check, status, tag, name\./);
  });

  it('reports everything wrong at once, with a pointer each', () => {
    const { status, code, errors } = refusal({ radius: '0', limit: ['1', '2'], stat: 'a', status: 'c' });
    assert.equal(status, 422);
    assert.equal(code, 'invalid_parameter');
    assert.deepEqual(
      errors.map(({ pointer, code }) => [pointer, code]),
      [
        ['/query/radius', 'invalid'],
        ['/query/limit', 'repeated'],
        ['/query/stat', 'unknown'],
        ['/query/status', 'invalid'],
        ['/query/name', 'missing'],
      ],
    );
  });

  it('shortens what it repeats', () => {
    assert.ok(refusal({ name: 'x'.repeat(100_000) }).message.length < 300);
    assert.ok(refusal({ name: 'x', ['y'.repeat(100_000)]: '1' }).message.length < 400);
  });

  it('knows no parameter of the name of an inherited property', () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      assert.match(
        refusal(
          Object.fromEntries([
            ['name', 'x'],
            [name, '1'],
          ]),
        ).message,
        /There is no query parameter/,
      );
  });

  it('accepts or throws a problem, whatever it is given', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('1', 'true', 'a', '-0', '1e3'), fc.array(fc.string()));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.string(), fc.constantFrom('radius', 'limit', 'check', 'status', 'tag', 'name')),
          text,
        ),
        (fields) => {
          try {
            const value = read(fields);
            return value.name.length <= 5 && (value.radius ?? 1) >= 1;
          } catch (error) {
            return error instanceof Problem && error.status === 422 && error.errors.length > 0;
          }
        },
      ),
    );
  });
});
