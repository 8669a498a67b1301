import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dequantise, SQUARES } from './grid.ts';

test('a code means sign(q) * (q / 127.5)^2', () => {
  assert.equal(dequantise(0), 0);
  assert.equal(dequantise(127), (127 / 127.5) ** 2);
  assert.equal(dequantise(-51), -((51 / 127.5) ** 2));
});

test('no data is not a number', () => {
  assert.equal(dequantise(-128), Number.NaN);
});

test('every code but no data comes back when its value is quantised', () => {
  for (let code = -127; code <= 127; code++) {
    const value = dequantise(code);
    assert.equal(Math.round(Math.sign(value) * Math.sqrt(Math.abs(value)) * 127.5) + 0, code);
  }
});

test('squares are values in units of 1 / 127.5^2, and nothing for no data', () => {
  for (let code = -127; code <= 127; code++) {
    assert.ok(Math.abs(SQUARES[code & 255] / 127.5 ** 2 - dequantise(code)) < 1e-15);
  }
  assert.equal(SQUARES[128], 0);
});
