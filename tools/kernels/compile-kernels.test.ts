import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compiledPath, compileKernel, COMPILER, KERNELS } from './compile-kernels.ts';

for (const kernel of KERNELS) {
  test(`${kernel.name}.wasm.ts is what its source compiles to`, async (t) => {
    if (!existsSync(COMPILER) && process.env['CI'] !== 'true') return t.skip('assemblyscript is not installed');
    assert.equal(readFileSync(compiledPath(kernel), 'utf8'), await compileKernel(kernel));
  });
}
