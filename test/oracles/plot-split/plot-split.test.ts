import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { FlatPolygon } from '../../../src/geo/partition/cut-polygons.ts';
import { openGeos } from '../../../src/geo/partition/open-geos.ts';
import { windowOfGrid } from '../../../src/geo/segmentation/code-window.ts';
import { poolCells } from '../../../src/geo/segmentation/pool-cells.ts';
import { segmentCells } from '../../../src/geo/segmentation/region/segment-cells.ts';
import { seededRandom } from '../../../src/geo/seeded-random.ts';
import { coverPixels } from '../../../src/geo/zonal/cover-pixels.ts';
import { findKinds } from '../../../src/plots/split/find-kinds.ts';
import { splitPlot } from '../../../src/plots/split/split-plot.ts';
import { runs } from '../../property-runs.ts';
import { needsSharedData } from '../../shared-data.ts';
import { inDegrees, randomRing, rasterOfGrid } from '../../split-cases.ts';
import { readRaster } from '../segmentation/read-raster.ts';

interface OracleCase {
  /** In cells of the raster. */
  readonly outline: readonly (readonly [number, number])[];
  readonly pieces: number;
  readonly halves: readonly [distance: number, ashmanD: number] | null;
  readonly kinds: readonly { readonly ha: number; readonly distance: number | null; readonly ashmanD: number | null }[];
}

const { signal } = new AbortController();
const PYTHON = '/usr/bin/python3';
const hasShapely = spawnSync(PYTHON, ['-c', 'import shapely']).status === 0;

describe('kinds of ground on a real raster', needsSharedData('aef/wisconsin_west.tif'), () => {
  it('are those of numpy, scipy and scikit-image', async () => {
    const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, 'plot-split.json'), 'utf8')) as {
      cases: readonly OracleCase[];
    };
    const grid = readRaster('wisconsin_west')!;
    const raster = rasterOfGrid(grid);
    const window = (x0: number, y0: number, width: number, height: number) =>
      raster.window(x0, y0, width, height, signal);
    assert.equal(cases.length, 40);
    for (const [number, { outline, pieces, halves, kinds }] of cases.entries()) {
      const ring = Float64Array.from([...outline, outline[0]!].flat());
      const area = boxAround(outline);
      const shares = new Float64Array(area.width * area.height);
      coverPixels([[ring]], { x0: area.column, y0: area.row, width: area.width, height: area.height }, shares);
      const weights = shares.map((share) => (share > 1e-7 ? share * 0.04 : 0));
      const wanted = Uint8Array.from(weights, (weight) => (weight > 0 ? 1 : 0));
      const { labels, unproven } = await segmentCells({ phase: { x: 0, y: 0 }, window }, area, wanted);
      assert.ok(!unproven.includes(1), `plot ${number}: the oracle cut the whole raster`);
      const codes = windowOfGrid(grid, 2 * area.column, 2 * area.row, 2 * area.width, 2 * area.height);
      const found = findKinds({ ...poolCells(codes), weights, labels });
      assert.equal(found.pieces, pieces, `plot ${number}`);
      assertNear(found.halves?.distance, halves?.[0], 1e-4, `plot ${number}: halves`);
      assertNear(found.halves?.ashmanD, halves?.[1], 1e-2, `plot ${number}: halves`);
      assert.equal(found.kinds.length, kinds.length, `plot ${number}`);
      for (const [i, kind] of kinds.entries()) {
        const own = found.kinds[i]!;
        assertNear(own.sums.weight, kind.ha, 1e-6, `plot ${number}: hectares`);
        assertNear(own.nearestDistance ?? undefined, kind.distance ?? undefined, 1e-4, `plot ${number}: distance`);
        assertNear(own.ashmanD ?? undefined, kind.ashmanD ?? undefined, 1e-2, `plot ${number}: Ashman's D`);
      }
    }
  });

  it(
    'are drawn as parts that shapely finds to make up the plot',
    { skip: !hasShapely && process.env['CI'] !== 'true' && 'needs shapely' },
    async () => {
      const raster = rasterOfGrid({ ...readRaster('wisconsin_west')!, transform: [10, 0, 354_030, 0, -10, 4_911_010] });
      const geos = await openGeos();
      const random = seededRandom(77);
      const cases: { readonly plot: readonly unknown[]; readonly parts: readonly unknown[] }[] = [];
      for (let run = 0; run < runs(300, 30); run++) {
        const ha = [3, 12, 40, 120][run % 4]!;
        const middle = [355_500 + random() * 2_600, 4_909_300 - random() * 6_300] as const;
        const radius = Math.sqrt((ha * 10_000) / Math.PI);
        const ring = randomRing(random, middle, radius, 5 + Math.floor(random() * 9));
        // Every fifth has a hole.
        const hole = run % 5 === 0 ? [randomRing(random, middle, radius / 5, 5).toReversed()] : [];
        const plot = [inDegrees('EPSG:32616', ring, ...hole)];
        const split = await splitPlot(plot, raster, geos, signal);
        if (split!.parts !== null)
          cases.push({ plot: plot.map(positions), parts: split!.parts.map(({ polygon }) => positions(polygon)) });
      }
      assert.ok(cases.length > 12, `only ${cases.length} were split`);
      const input = JSON.stringify(cases);
      const printed = execFileSync(PYTHON, [join(import.meta.dirname, 'check-parts.py')], { input, encoding: 'utf8' });
      const findings = JSON.parse(printed) as readonly Readonly<Record<string, unknown>>[];
      assert.equal(findings.length, cases.length);
      for (const { valid, missed, overlap, sum, moved } of findings) {
        assert.equal(valid, true);
        for (const share of [missed, overlap, sum] as readonly number[]) assert.ok(Math.abs(share) < 1e-9, `${share}`);
        assert.equal(moved, 0);
      }
    },
  );
});

function boxAround(outline: OracleCase['outline']) {
  const [columns, rows] = [outline.map(([x]) => x), outline.map(([, y]) => y)];
  const [column, row] = [Math.floor(Math.min(...columns)), Math.floor(Math.min(...rows))];
  return { column, row, width: Math.ceil(Math.max(...columns)) - column, height: Math.ceil(Math.max(...rows)) - row };
}

function positions(polygon: FlatPolygon): number[][][] {
  return polygon.map((ring) => Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i]!, ring[2 * i + 1]!]));
}

/** Vectors are whole numbers here and floating point there: figures agree to what that rounds away. */
function assertNear(found: number | undefined, wanted: number | undefined, tolerance: number, what: string): void {
  if (wanted === undefined) return assert.equal(found, undefined, what);
  assert.ok(
    Math.abs(found! - wanted) <= tolerance * Math.max(1, Math.abs(wanted)),
    `${what}: ${found}, wanted ${wanted}`,
  );
}
