import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { type Crs, findCrs } from '../../../src/geo/crs/find-crs.ts';
import { parseWkb } from '../../../src/geo/shapes/wkb.ts';
import { coverPixels, type PixelPolygon } from '../../../src/geo/zonal/cover-pixels.ts';
import { pixelAreas } from '../../../src/geo/zonal/pixel-polygon.ts';
import { fileSource } from '../../../src/readers/io/file-source.ts';
import { openTiff } from '../../../src/readers/formats/tiff/open-tiff.ts';
import { readTiffWindow } from '../../../src/readers/formats/tiff/read-window.ts';
import { needsSharedData, SHARED_DATA } from '../../shared-data.ts';

type Hectares = Readonly<Record<string, number>>;
const ORACLE = join(import.meta.dirname, 'neiba.json');
const FOLDER = join(SHARED_DATA, 'rasters');

describe('areas by class under a real polygon', needsSharedData('rasters'), () => {
  const wanted = JSON.parse(readFileSync(ORACLE, 'utf8')) as Readonly<Record<string, { hectares: Hectares }>>;
  for (const kind of ['lossyear', 'treecover2000']) {
    it(`agree with GEOS and the exact areas of cells to one in a million (${kind})`, async () => {
      const got = await byClass(join(FOLDER, `Hansen_GFC-2023-v1.11_${kind}_20N_080W.tif`));
      const { hectares } = wanted[kind]!;
      assert.deepEqual([...got.keys()].map(String).toSorted(), Object.keys(hectares).toSorted());
      for (const [value, area] of got) {
        const expected = hectares[value]!;
        assert.ok(Math.abs(area - expected) <= 1e-6 * expected + 1e-9, `class ${value}: ${area}, GEOS ${expected}`);
      }
    });
  }
});

async function byClass(path: string): Promise<Map<number, number>> {
  const { signal } = new AbortController();
  await using source = fileSource(path);
  const image = await openTiff(source, signal);
  const { width, height } = image;
  const window = { x0: 0, y0: 0, width, height };
  const values = await readTiffWindow(source, image, 0, 0, width, height, { signal });
  const shares = new Float64Array(width * height);
  coverPixels(toPixels(readPolygons(), image.transform!), window, shares);
  const areas = pixelAreas({ transform: image.transform!, crs: findCrs(image.crs!) as Crs }, window);
  const sums = new Map<number, number>();
  for (const [i, share] of shares.entries())
    if (share > 0) sums.set(values[i]!, (sums.get(values[i]!) ?? 0) + (share * areas[Math.floor(i / width)]!) / 10_000);
  return sums;
}

function toPixels(
  polygons: readonly (readonly Float64Array[])[],
  [a, , c, , e, f]: readonly [number, number, number, number, number, number],
): PixelPolygon[] {
  return polygons.map((rings) =>
    rings.map((ring) => ring.map((value, i) => (i % 2 === 0 ? (value - c) / a : (value - f) / e))),
  );
}

function readPolygons(): Float64Array[][] {
  const database = new DatabaseSync(join(FOLDER, 'sierra_de_neiba_478140.gpkg'), { readOnly: true });
  const [row] = database.prepare('SELECT geom FROM sierra_de_neiba_478140').all();
  database.close();
  const blob = row!['geom'] as Uint8Array;
  // The header of a GeoPackage geometry: 8 bytes and, as its flags say here, a box of four doubles.
  const { geometry } = parseWkb(blob.subarray(8 + 32));
  assert.equal(geometry?.type, 'MultiPolygon');
  return geometry.coordinates.map((rings) =>
    rings.map((ring) => Float64Array.from(ring.flatMap(([x = 0, y = 0]) => [x, y]))),
  );
}
