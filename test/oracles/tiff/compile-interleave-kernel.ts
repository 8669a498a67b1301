import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const EMBEDDINGS = join(import.meta.dirname, '../../../src/readers/embeddings');

export const COMPILER: string = join(import.meta.dirname, '../../../node_modules/assemblyscript/bin/asc.js');
export const COMPILED: string = join(EMBEDDINGS, 'interleave-kernel.wasm.ts');

/**
 * Compiles `interleave-kernel.as` (AssemblyScript) and gives the text of `interleave-kernel.wasm.ts`. Run directly, the
 * script writes that file: `node test/oracles/tiff/compile-interleave-kernel.ts`.
 */
export async function compileInterleaveKernel(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
  try {
    // The compiler reads files named .ts only; in the repository the name keeps AssemblyScript apart from TypeScript.
    await copyFile(join(EMBEDDINGS, 'interleave-kernel.as'), join(folder, 'kernel.ts'));
    const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'];
    const features = ['--enable', 'simd', '--enable', 'threads'];
    const options = ['--runtime', 'stub', '-O3', '--noAssert', '--outFile', 'kernel.wasm'];
    await promisify(execFile)(process.execPath, [COMPILER, 'kernel.ts', ...memory, ...features, ...options], {
      cwd: folder,
    });
    return asModule(await readFile(join(folder, 'kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function asModule(wasm: Buffer): string {
  const lines = wasm.toString('base64').match(/.{1,100}/g) ?? [];
  return [
    '/** The compiled `interleave-kernel.as`, base64. Made by `test/oracles/tiff/compile-interleave-kernel.ts`; not edited. */',
    'export const INTERLEAVE_KERNEL_WASM: string = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}

if (import.meta.main) await writeFile(COMPILED, await compileInterleaveKernel());
