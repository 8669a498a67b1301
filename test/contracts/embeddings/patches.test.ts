import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findPatch } from '../../../src/forest/find-patch.ts';
import type { PatchEmbeddings } from '../../../src/forest/sources.ts';
import { type Crs, findCrs } from '../../../src/geo/crs/find-crs.ts';
import type { LonLat } from '../../../src/geo/shapes/shape.ts';
import { openEmbeddings } from '../../../src/readers/embeddings/open-embeddings.ts';
import { AEF_LAYOUT } from '../../end-to-end/aef-site.ts';
import { generateGrid, gridSource } from '../../forest-raster.ts';
import { embeddingDataset, openDeps } from './deps.ts';
import { writeSite } from './layouts.ts';
import { cutGrid } from './region.ts';

/** A disc of forest that lies across the corner where four files meet, in the raster as a whole and in those files. */

const YEAR = 2024;
const WHOLE = generateGrid({
  columns: 128,
  rows: 128,
  cover: (column, row) => (Math.hypot(column - 63.5, row - 63.5) < 30 ? 0 : 'open'),
  corner: [354_030, 4_911_010],
  crs: 'EPSG:32616',
});
/** Pixels to where the files meet: in the middle of a cell, as in the real ones. */
const EDGE = 127;
const CENTIMETRE = 0.001;
const CRS = findCrs('EPSG:4326') as Crs;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-corner-'));
  const sides = [
    [0, EDGE],
    [EDGE, WHOLE.width - EDGE],
  ] as const;
  const cogs = sides.flatMap(([top, height]) =>
    sides.map(([left, width]) => ({
      asset: `at-${left}-${top}`,
      year: YEAR,
      grid: cutGrid(WHOLE, left, top, width, height),
    })),
  );
  await writeSite(folder, cogs);
});
after(() => rm(folder, { recursive: true }));

function look(point: LonLat, source: PatchEmbeddings) {
  const signal = new AbortController().signal;
  return findPatch(point, { labels: [], embeddings: [source] }, { crs: CRS, timeoutMs: 20_000, signal });
}

test('a point on the edge of files, at their corner and a centimetre off gets the patch of the whole raster', async () => {
  await using deps = await openDeps();
  const dataset = embeddingDataset({ kind: 'cog', path: join(folder, AEF_LAYOUT.base), options: { year: YEAR } });
  const [files] = openEmbeddings([dataset], deps);
  const whole = gridSource(WHOLE);
  const ids = new Set<string | null>();
  for (const x of [EDGE - 40, EDGE - CENTIMETRE, EDGE, EDGE + CENTIMETRE])
    for (const y of [EDGE + 40, EDGE - CENTIMETRE, EDGE, EDGE + CENTIMETRE]) {
      const point = whole.placeOf(x, y);
      const [wanted, got] = [await look(point, whole), await look(point, files)];
      assert.ok(wanted.geometry !== null);
      assert.deepEqual(got.geometry, wanted.geometry, `${x}, ${y}`);
      assert.equal(got.properties.segment_id, wanted.properties.segment_id);
      ids.add(got.properties.segment_id);
    }
  assert.equal(ids.size, 1);
  await files.close();
});
