import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateGrid, gridSource, type GridSource } from '../../test/forest-raster.ts';
import { readRaster } from '../../test/oracles/segmentation/read-raster.ts';
import { seededRandom } from '../geo/seeded-random.ts';
import { needsSharedData } from '../../test/shared-data.ts';
import { type Crs, findCrs } from '../geo/crs/find-crs.ts';
import type { Grid } from '../geo/segmentation/grid.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import { findPatch, type FindPatchOptions } from './find-patch.ts';
import type { Patch } from './patch.ts';
import { createSharedWork } from './shared-work.ts';

const options: FindPatchOptions = {
  crs: findCrs('EPSG:4326') as Crs,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
};

/** The patches of points looked up one after the other, and how often a window was read for them. */
async function lookAll(source: GridSource, points: readonly LonLat[], shared: FindPatchOptions['shared']) {
  const before = source.reads();
  const patches: Patch[] = [];
  for (const point of points)
    patches.push(
      await findPatch(point, { labels: [], embeddings: [source] }, { ...options, ...(shared && { shared }) }),
    );
  return { patches, reads: source.reads() - before };
}

/** Places in a square of the raster, in pixels. */
function randomPoints(
  source: GridSource,
  count: number,
  [left, top, side]: readonly [number, number, number],
): LonLat[] {
  const random = seededRandom(3);
  return Array.from({ length: count }, () => source.placeOf(left + random() * side, top + random() * side));
}

describe('points of one request that lie in one segment', () => {
  it(
    'get on a real raster what each gets alone, and less is read',
    needsSharedData('aef/wisconsin_west.tif'),
    async () => {
      const grid = readRaster('wisconsin_west') as Grid;
      const source = gridSource(grid);
      const points = randomPoints(source, 150, [150, 300, 140]);
      const alone = await lookAll(source, points, undefined);
      const together = await lookAll(source, points, createSharedWork());
      assert.deepEqual(together.patches, alone.patches);
      assert.ok(together.reads < 0.7 * alone.reads, `${together.reads} reads, ${alone.reads} alone`);
      const ids = new Set(alone.patches.map(({ properties }) => properties.segment_id));
      assert.ok(ids.size > 15 && ids.size < 75, `${ids.size} segments`);
    },
  );

  it('are cut each for itself where the segment is too large to be proven from all of them', async () => {
    const size = { columns: 1_100, rows: 40, corner: [354_030, 4_911_010], crs: 'EPSG:32616' } as const;
    // One stand, wider than the largest window, with a marker wherever the window lies.
    const source = gridSource(generateGrid({ ...size, cover: () => 0 }));
    const points = [100, 600, 1_100, 1_600, 2_100].map((x) => source.placeOf(x + 0.5, 40.5));
    const alone = await lookAll(source, points, undefined);
    const together = await lookAll(source, points, createSharedWork());
    assert.deepEqual(together.patches, alone.patches);
    assert.ok(alone.patches.some(({ properties }) => properties.warnings[0]?.code === 'segment_truncated'));
  });

  it('next to the antimeridian keep to the side of each', async () => {
    const size = { columns: 200, rows: 40, corner: [765_200, 4_100_000], crs: 'EPSG:32660' } as const;
    const source = gridSource(generateGrid({ ...size, cover: (column) => (column > 150 ? 'open' : 0) }));
    const points = [20, 60, 120, 180, 240, 280].map((x) => source.placeOf(x + 0.5, 30.5));
    assert.ok(points.some(([lon]) => lon > 179.9) && points.some(([lon]) => lon < -179.9), String(points));
    const alone = await lookAll(source, points, undefined);
    const together = await lookAll(source, points, createSharedWork());
    assert.deepEqual(together.patches, alone.patches);
    assert.ok(alone.patches.every(({ geometry }) => geometry !== null));
  });
});
