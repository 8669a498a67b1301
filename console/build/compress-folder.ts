import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const COPIES = { '.br': promisify(brotliCompress), '.gz': promisify(gzip) } as const;

/** Writes compressed copies beside the texts of a folder, for browsers with TLS (Brotli) and without (gzip). */
export async function compressFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.(js|mjs|css|svg|json)$/.test(name)) continue;
    const text = await readFile(join(folder, name));
    for (const [suffix, compress] of Object.entries(COPIES))
      await writeFile(join(folder, `${name}${suffix}`), await compress(text));
  }
}
