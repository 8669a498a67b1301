import { rename, rm, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';

const COPIES = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) } as const;

const FOLDER = resolve(import.meta.dirname, '../../dist/console');

/** Builds the page, its compressed copies and, unless they are there, the pieces of its base map. */
export async function buildConsole(): Promise<void> {
  // Not imported: the types are made by the service and the map by the readers of built-in data, of which the page knows nothing.
  await import(new URL('../../tools/api-types/write-api-types.ts', import.meta.url).href);
  const { writeBaseMap } = (await import(new URL('../../tools/base-map/write-base-map.ts', import.meta.url).href)) as {
    writeBaseMap: (folder: string) => Promise<void>;
  };
  await writeBaseMap(join(FOLDER, 'map'));
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
