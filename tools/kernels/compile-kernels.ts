import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
export const COMPILER: string = join(import.meta.dirname, 'node_modules/assemblyscript/bin/asc.js');
/** Which compiler that is. */
const LOCKED = join(import.meta.dirname, 'package-lock.json');
const OPTIONS = ['--runtime', 'stub', '-O3', '--noAssert', '--outFile', 'kernel.wasm'];

/** A kernel in AssemblyScript, `src/FOLDER/NAME.as`, and the features of WebAssembly it uses. */
export interface Kernel {
  readonly folder: string;
  readonly name: string;
  readonly flags: readonly string[];
}

const SIMD = ['--enable', 'simd'];
const RELAXED = [...SIMD, '--enable', 'relaxed-simd'];
const SHARED = ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'];

export const KERNELS: readonly Kernel[] = [
  { folder: 'geo/segmentation/kernels', name: 'edge-kernel', flags: RELAXED },
  { folder: 'geo/segmentation/kernels', name: 'cut-kernel', flags: RELAXED },
  { folder: 'geo/detection', name: 'head-kernel', flags: SIMD },
  {
    folder: 'readers/embeddings/mosaic',
    name: 'interleave-kernel',
    flags: [...SHARED, ...SIMD, '--enable', 'threads'],
  },
];

/** Where the compiled kernel is kept. */
export const compiledPath = ({ folder, name }: Kernel): string => join(ROOT, 'src', folder, `${name}.wasm.ts`);

/** Where its source is. */
const sourcePath = ({ folder, name }: Kernel): string => join(ROOT, 'src', folder, `${name}.as`);

/**
 * Compiles a kernel and gives the text of its module. Run directly, the script writes those of all kernels:
 * `node tools/kernels/compile-kernels.ts`.
 */
export async function compileKernel(kernel: Kernel, compiler: string = COMPILER): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
  try {
    // The compiler reads files named .ts only; in the repository the name keeps AssemblyScript apart from TypeScript.
    await copyFile(sourcePath(kernel), join(folder, 'kernel.ts'));
    const args = [compiler, 'kernel.ts', ...optionsOf(kernel)];
    await promisify(execFile)(process.execPath, args, { cwd: folder });
    return asModule(kernel, await readFile(join(folder, 'kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The module of a compiled kernel. */
export function asModule(kernel: Kernel, wasm: Buffer): string {
  const { name } = kernel;
  const lines = wasm.toString('base64').match(/.{1,100}/g) ?? [];
  return [
    '/**',
    ` * The compiled \`${name}.as\`, base64. Made by \`tools/kernels/compile-kernels.ts\`; not edited.`,
    ` * SHA-256 of source, compiler, options and result: ${checksum(kernel, wasm)}`,
    ' */',
    `export const ${name.replace('-', '_').toUpperCase()}_WASM: string = [`,
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}

/** Another one where the result is not of this source, this compiler and these options, or was edited. */
function checksum(kernel: Kernel, wasm: Buffer): string {
  const hash = createHash('sha256');
  for (const part of [readFileSync(sourcePath(kernel)), readFileSync(LOCKED), optionsOf(kernel).join(' '), wasm])
    hash.update(part).update('\0');
  return hash.digest('hex');
}

const optionsOf = ({ flags }: Kernel): readonly string[] => [...flags, ...OPTIONS];

async function writeKernels(): Promise<void> {
  for (const kernel of KERNELS) await writeFile(compiledPath(kernel), await compileKernel(kernel, process.argv[2]));
}

// Not awaited, so that tests can load this at once.
if (import.meta.main) void writeKernels();
