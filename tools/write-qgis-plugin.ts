import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

const ROOT = resolve(import.meta.dirname, '..');
const PLUGIN = join(ROOT, 'clients/qgis/firstmile');
const EPOCH = new Date('2020-01-01T00:00:00Z');

/** Writes the plugin for QGIS as the ZIP file that its plugin manager installs; the names in it, in order. The same sources give the same bytes. */
export async function writeQgisPlugin(path: string): Promise<readonly string[]> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const files = (await readdir(PLUGIN, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const zip = new yazl.ZipFile();
  const names: string[] = [];
  const add = (name: string, bytes: Buffer): void => {
    zip.addBuffer(bytes, `firstmile/${name}`, { mtime: EPOCH, mode: 0o100644 });
    names.push(`firstmile/${name}`);
  };
  for (const name of files.toSorted()) {
    const bytes = await readFile(join(PLUGIN, name));
    add(
      name,
      name === 'metadata.txt' ? Buffer.from(String(bytes).replace(/^version=.*$/m, `version=${version}`)) : bytes,
    );
  }
  add('LICENSE', await readFile(join(ROOT, 'LICENSE')));
  zip.end();
  await mkdir(dirname(path), { recursive: true });
  await pipeline(zip.outputStream, createWriteStream(path));
  return names;
}

if (process.argv[1] === import.meta.filename) {
  const path = resolve(process.argv[2] ?? join(ROOT, 'dist/firstmile-qgis.zip'));
  // Not awaited, so that tests can load this at once.
  void writeQgisPlugin(path).then(() => console.log(path));
}
