import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const SEGMENTATION: string = join(import.meta.dirname, '../../../src/geo/segmentation');
export const COMPILER: string = join(import.meta.dirname, '../../../node_modules/assemblyscript/bin/asc.js');
export const KERNELS = ['edge-kernel', 'cut-kernel'] as const;

/**
 * Compiles a kernel's AssemblyScript (`NAME.as`) and gives the text of `NAME.wasm.ts`. Run directly, the script writes
 * those files: `node test/oracles/segmentation/compile-kernels.ts`.
 */
export async function compileKernel(name: string, compiler: string = COMPILER): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
  try {
    // The compiler reads files named .ts only; in the repository the name keeps AssemblyScript apart from TypeScript.
    await copyFile(join(SEGMENTATION, `${name}.as`), join(folder, 'kernel.ts'));
    const features = ['--enable', 'simd', '--enable', 'relaxed-simd'];
    const options = ['--runtime', 'stub', '-O3', '--noAssert', '--outFile', 'kernel.wasm'];
    await promisify(execFile)(process.execPath, [compiler, 'kernel.ts', ...features, ...options], { cwd: folder });
    return asModule(name, await readFile(join(folder, 'kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function asModule(name: string, wasm: Buffer): string {
  const lines = wasm.toString('base64').match(/.{1,100}/g) ?? [];
  const constant = `${name.replace('-', '_').toUpperCase()}_WASM`;
  return [
    `/** The compiled \`${name}.as\`, base64. Made by \`test/oracles/segmentation/compile-kernels.ts\`; not edited. */`,
    `export const ${constant}: string = [`,
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}

if (import.meta.main) {
  for (const name of KERNELS) {
    await writeFile(join(SEGMENTATION, `${name}.wasm.ts`), await compileKernel(name, process.argv[2]));
  }
}
