import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSharedMemory, openInterleaveKernel } from './interleave-kernel.ts';

test('rows of planes become pixels, wherever they lie and however many they are', () => {
  const memory = createSharedMemory(200_000);
  const bytes = new Uint8Array(memory.buffer);
  const kernel = openInterleaveKernel(memory);
  const OUT = 100_000;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(200), fc.nat(100), (pixels, pad, from) => {
      for (let i = 0; i < OUT; i++) bytes[i] = (i * 2_654_435_761) >>> 24;
      const stride = pixels + pad;
      kernel.interleaveRow(from, stride, pixels, OUT);
      for (let x = 0; x < pixels; x++)
        for (let band = 0; band < 64; band++)
          if (bytes[OUT + x * 64 + band] !== bytes[from + band * stride + x]) assert.fail(`pixel ${x}, band ${band}`);
    }),
  );
});

test('one code that is not -128 is data', () => {
  const memory = createSharedMemory(65_536);
  const bytes = new Uint8Array(memory.buffer).fill(128);
  const kernel = openInterleaveKernel(memory);
  assert.equal(kernel.holdsData(64, 1024), 0);
  for (const at of [64, 65, 1087]) {
    bytes[at] = 0;
    assert.equal(kernel.holdsData(64, 1024), 1);
    bytes[at] = 128;
  }
  bytes[63] = bytes[1088] = 0;
  assert.equal(kernel.holdsData(64, 1024), 0);
});
