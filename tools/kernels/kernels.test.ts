import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { asModule, compiledPath, KERNELS } from './compile-kernels.ts';

// Compiling them takes seconds of processor time: `compile-kernels.test.ts` does so in `npm run test:all`.
for (const kernel of KERNELS)
  test(`${kernel.name}.wasm.ts was made of its source (else: node tools/kernels/compile-kernels.ts)`, () => {
    const text = readFileSync(compiledPath(kernel), 'utf8');
    const code = [...text.matchAll(/^ {2}'(.*)',$/gm)].map(([, line]) => line).join('');
    assert.equal(text, asModule(kernel, Buffer.from(code, 'base64')));
  });
