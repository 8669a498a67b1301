import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SEGMENTATION = join(import.meta.dirname, '../../../src/geo/segmentation');
export const COMPILER: string = join(import.meta.dirname, '../../../node_modules/assemblyscript/bin/asc.js');

/**
 * Compiles `edge-kernel.as` and gives the text of `edge-kernel.wasm.ts`. Run directly, it writes that file:
 * `node test/oracles/segmentation/compile-edge-kernel.ts`.
 */
export async function compileEdgeKernel(compiler: string = COMPILER): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'edge-kernel-'));
  try {
    // The compiler reads files named .ts only; in the repository the name keeps AssemblyScript apart from TypeScript.
    await copyFile(join(SEGMENTATION, 'edge-kernel.as'), join(folder, 'edge-kernel.ts'));
    const options = [
      '--enable',
      'simd',
      '--enable',
      'relaxed-simd',
      '--runtime',
      'stub',
      '-O3',
      '--noAssert',
      '--outFile',
      'edge-kernel.wasm',
    ];
    await promisify(execFile)(process.execPath, [compiler, 'edge-kernel.ts', ...options], { cwd: folder });
    return asModule(await readFile(join(folder, 'edge-kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function asModule(wasm: Buffer): string {
  const lines = wasm.toString('base64').match(/.{1,100}/g) ?? [];
  return [
    '/** The compiled `edge-kernel.as`, base64. Made by `test/oracles/segmentation/compile-edge-kernel.ts`; not edited. */',
    'export const EDGE_KERNEL_WASM: string = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}

if (import.meta.main) {
  await writeFile(join(SEGMENTATION, 'edge-kernel.wasm.ts'), await compileEdgeKernel(process.argv[2]));
}
