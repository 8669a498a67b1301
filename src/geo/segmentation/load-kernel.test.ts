import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMPILER, compileKernel, KERNELS, SEGMENTATION } from '../../../test/oracles/segmentation/compile-kernels.ts';

for (const name of KERNELS) {
  test(`${name}.wasm.ts is what its source compiles to`, async (t) => {
    if (!existsSync(COMPILER) && process.env.CI !== 'true') return t.skip('assemblyscript is not installed');
    assert.equal(readFileSync(join(SEGMENTATION, `${name}.wasm.ts`), 'utf8'), await compileKernel(name));
  });
}
