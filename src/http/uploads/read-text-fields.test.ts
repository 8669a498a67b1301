import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { Type } from 'typebox';
import { Problem } from '../../errors.ts';
import { PRINTABLE } from '../problems/describe-schema.ts';
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
    for (const text of ['0x10', 'NaN', 'Infinity', '1,5', '5 000', '1e999', 'null', 'true', '٣', '1_000', '--1'])
      assert.match(refusal({ name: 'x', radius: text }).message, /^radius: wanted a number from 1 to 50000, got /);
    for (const text of ['1.5', '0', '101', '-1', '1e9'])
      assert.match(refusal({ name: 'x', limit: text }).message, /^limit: wanted a whole number from 1 to 100, got /);
    for (const text of ['2', '-1', '1.0', 'maybe', 'yes no', 'null', 'wahr', 'constructor'])
      assert.match(refusal({ name: 'x', check: text }).message, /^check: wanted true or false, got /);
  });

  it('reads booleans in the spellings of usual clients, in any case', () => {
    for (const text of ['true', 'True', 'TRUE', '1', 'yes', 'YES', 'on', 'On', 't', 'T', ' true '])
      assert.equal(read({ name: 'x', check: text }).check, true, text);
    for (const text of ['false', 'False', 'FALSE', '0', 'no', 'No', 'off', 'OFF', 'f', 'F'])
      assert.equal(read({ name: 'x', check: text }).check, false, text);
  });

  it('reads the words of a list in any case', () => {
    assert.equal(read({ name: 'x', status: 'B' }).status, 'b');
    assert.match(refusal({ name: 'x', status: 'ab' }).message, /^status: wanted one of "a", "b", got "ab"/);
  });

  it('takes an empty text for one that is not given', () => {
    for (const empty of ['', ' '])
      assert.deepEqual(read({ name: 'x', radius: empty, limit: empty, check: empty, status: empty }), {
        name: 'x',
        radius: 5000,
        check: true,
      });
    assert.match(refusal({ name: '' }).message, /The query parameter name is missing; wanted a text/);
  });

  it('passes over what browsers, caches and campaigns add', () => {
    assert.deepEqual(
      read({ name: 'x', _: '1732300000', _cb: ['1', '2'], utm_source: 'mail', UTM_Medium: 'x' }).name,
      'x',
    );
    assert.match(refusal({ name: 'x', utmost: '1' }).message, /There is no query parameter "utmost"/);
  });

  it('never shows a regular expression', () => {
    const Patterns = Type.Object({
      day: Type.Optional(Type.String({ format: 'date' })),
      label: Type.Optional(Type.String({ pattern: PRINTABLE, maxLength: 200 })),
      after: Type.Optional(Type.String({ pattern: '^\\d{1,3}\\.\\d{1,9}$', examples: ['0.99'] })),
    });
    const refused = (fields: Record<string, string>) => {
      try {
        return readTextFields(Patterns, fields, 'query') && '';
      } catch (error) {
        return (error as Problem).message;
      }
    };
    assert.equal(refused({ day: '2021-02-30' }), 'day: wanted a day of the calendar as YYYY-MM-DD, got "2021-02-30".');
    assert.match(refused({ label: '\u0000' }), /wanted a text of at most 200 characters without control characters/);
    assert.equal(refused({ after: 'x' }), 'after: wanted a text such as 0.99, got "x".');
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
