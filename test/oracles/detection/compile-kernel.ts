import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = join(import.meta.dirname, '../../../src/geo/detection');
export const COMPILER: string = join(import.meta.dirname, '../../../node_modules/assemblyscript/bin/asc.js');
export const COMPILED: string = join(FOLDER, 'head-kernel.wasm.ts');

/**
 * Compiles `head-kernel.as` and gives the text of `head-kernel.wasm.ts`. Run directly, the script writes that file:
 * `node test/oracles/detection/compile-kernel.ts`.
 */
export async function compileHeadKernel(compiler: string = COMPILER): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
  try {
    // The compiler reads files named .ts only; in the repository the name keeps AssemblyScript apart from TypeScript.
    await copyFile(join(FOLDER, 'head-kernel.as'), join(folder, 'kernel.ts'));
    const options = ['--enable', 'simd', '--runtime', 'stub', '-O3', '--noAssert', '--outFile', 'kernel.wasm'];
    await promisify(execFile)(process.execPath, [compiler, 'kernel.ts', ...options], { cwd: folder });
    return asModule(await readFile(join(folder, 'kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function asModule(wasm: Buffer): string {
  const lines = wasm.toString('base64').match(/.{1,100}/g) ?? [];
  return [
    '/** The compiled `head-kernel.as`, base64. Made by `test/oracles/detection/compile-kernel.ts`; not edited. */',
    'export const HEAD_KERNEL_WASM: string = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}

if (import.meta.main) await writeFile(COMPILED, await compileHeadKernel(process.argv[2]));
