import { once } from 'node:events';
import { mkdir, rename, rm, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

/** One below the most, which takes 2.5 times as long for 2 % fewer bytes, at every installation. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
const COPIES = {
  '.br': (text: Buffer) => promisify(brotliCompress)(text, BROTLI),
  '.gz': promisify(gzip),
} as const;

const FOLDER = resolve(import.meta.dirname, '../../dist/console');

/** Builds the page, its compressed copies and, unless they are there, the pieces of its base map. */
export async function buildConsole(): Promise<void> {
  const settled = await Promise.allSettled([makeBaseMap(), buildPage()]);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}

// Map and types are not imported: they are made by the readers of built-in data and the service, of which the page knows nothing.

/** In a thread, since it takes twice as long as the page. */
async function makeBaseMap(): Promise<void> {
  const thread = new Worker(new URL('../../tools/base-map/base-map-thread.ts', import.meta.url), {
    workerData: join(FOLDER, 'map'),
  });
  await once(thread, 'exit');
}

async function buildPage(): Promise<void> {
  await import(new URL('../../tools/api-types/write-api-types.ts', import.meta.url).href);
  // Next to the old one, which stays until the new one is whole.
  const draft = join(FOLDER, '../console.making');
  await rm(draft, { recursive: true, force: true });
  await build({
    configFile: join(import.meta.dirname, '../vite.config.ts'),
    build: { outDir: draft, emptyOutDir: true },
    logLevel: 'warn',
  });
  await compressFolder(join(draft, 'assets'));
  await rm(join(FOLDER, 'assets'), { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const name of ['assets', 'index.html']) await rename(join(draft, name), join(FOLDER, name));
  await rm(draft, { recursive: true, force: true });
}

/** Writes compressed copies next to the texts of a folder, for browsers with TLS (Brotli) and without (gzip). */
async function compressFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.(js|mjs|css|svg|json)$/.test(name)) continue;
    const text = await readFile(join(folder, name));
    for (const [suffix, compress] of Object.entries(COPIES))
      await writeFile(join(folder, `${name}${suffix}`), await compress(text));
  }
}
