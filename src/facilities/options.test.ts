import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readInputProperties } from './options.ts';

it('finds name, country and commodity however their properties are spelt, also after thousands of other properties', () => {
  const properties = { 'Company Name': 'C', NAME: ' Mill ', 'iso-a2': 'ID', Country_Name: '', CROP: 1511 };
  const expected = { name: 'Mill', country: 'ID', commodity: '1511' };
  assert.deepEqual(readInputProperties(properties), expected);
  const others = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`column ${i}`, 'x']));
  assert.deepEqual(readInputProperties({ ...others, ...properties }), expected);
  assert.deepEqual(readInputProperties({ ['name'.repeat(20)]: 'x' }), { name: null, country: null, commodity: null });
});
