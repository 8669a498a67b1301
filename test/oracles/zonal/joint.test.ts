import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { parseWkb } from '../../../src/geo/shapes/wkb.ts';
import { openPlotStatistics } from '../../../src/service/plots/statistics.ts';
import { rasterDataset, writeMadeUpTiff } from '../../made-up-rasters.ts';
import { needsSharedData, SHARED_DATA } from '../../shared-data.ts';

interface JointCase {
  readonly polygons: readonly (readonly (readonly (readonly [number, number])[])[])[];
  readonly origin: readonly [west: number, north: number];
  readonly losses: readonly (readonly number[])[];
  readonly forest: readonly (readonly number[])[];
  readonly wanted: {
    readonly forest: number;
    readonly known: number;
    readonly lost: readonly number[];
    readonly inside: readonly number[];
  };
}

type Hectares = Readonly<Record<string, number>>;

const PIXEL = 0.00025;
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'firstmile-joint-'));
after(() => rmSync(folder, { recursive: true }));
const CONFIG = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as T;
}

async function measure(forest: string, losses: string, options: { mask: object; losses: object }, geometry: unknown) {
  const measurer = openPlotStatistics(
    [
      rasterDataset({ id: 'mask', role: 'forest-mask', path: forest, options: { ...options.mask } }),
      rasterDataset({ id: 'losses', role: 'loss-year', path: losses, options: { ...options.losses } }),
    ],
    CONFIG,
  );
  const [one] = await measurer.measure([{ geometry, statedHa: null }], signal);
  await measurer.close();
  const [loss] = one!.losses;
  assert.ok(one!.baseline.status === 'measured' && loss?.status === 'measured');
  return { areaHa: one!.areaHa, baseline: one!.baseline, loss };
}

/** Statistics keep 6 decimals, which is the most they may be off. */
function assertNear(got: number | undefined, wanted: number, what: string): void {
  assert.ok(Math.abs((got ?? 0) - wanted) <= 1e-6 * wanted + 1e-6, `${what}: ${got}, GEOS ${wanted}`);
}

describe('two rasters under a plot', () => {
  it('agree with cutting every pixel by GEOS to one in a million, with parts, holes and grids of thirds', async () => {
    const cases = read<JointCase[]>('joint.json');
    assert.equal(cases.length, 16);
    for (const [i, { polygons, origin, losses, forest, wanted }] of cases.entries()) {
      const [west, north] = origin;
      const grid = { west, north, options: { tile: 16 } };
      const lossPath = writeMadeUpTiff(folder, `losses-${i}.tif`, {
        ...grid,
        width: 12,
        height: 12,
        pixel: PIXEL,
        at: (x, y) => losses[y]![x]!,
      });
      const maskPath = writeMadeUpTiff(folder, `mask-${i}.tif`, {
        ...grid,
        width: 36,
        height: 36,
        pixel: PIXEL / 3,
        nodata: 255,
        at: (x, y) => forest[y]![x]!,
      });
      const options = { mask: { classes: [1] }, losses: { lastYear: 2003 } };
      const { areaHa, baseline, loss } = await measure(maskPath, lossPath, options, {
        type: 'MultiPolygon',
        coordinates: polygons,
      });
      assertNear(baseline.forestHa, wanted.forest, `forest of case ${i}`);
      assert.ok(Math.abs(baseline.coveredShare - wanted.known / areaHa) < 1e-4);
      for (const [value, hectares] of wanted.lost.entries())
        if (value > 0) assertNear(loss.lossHa[2000 + value], hectares, `loss ${value} of case ${i}`);
      for (const [value, hectares] of wanted.inside.entries())
        if (value > 0)
          assertNear(loss.inBaselineHa?.[2000 + value], hectares, `loss ${value} inside forest of case ${i}`);
    }
  });

  it('agree on a real polygon and real rasters', needsSharedData('rasters'), async () => {
    const raster = (kind: string): string => join(SHARED_DATA, 'rasters', `Hansen_GFC-2023-v1.11_${kind}_20N_080W.tif`);
    const options = { mask: { threshold: 30 }, losses: { lastYear: 2023 } };
    const { baseline, loss } = await measure(raster('treecover2000'), raster('lossyear'), options, neiba());
    const wanted = read<Readonly<Record<string, { hectares: Hectares }>>>('neiba.json');
    const trees = Object.entries(wanted['treecover2000']!.hectares).filter(([cover]) => Number(cover) >= 30);
    const close = (got: number | undefined, hectares: number) =>
      assert.ok(Math.abs((got ?? 0) - hectares) <= 1e-3 * hectares, `${got}, GEOS ${hectares}`);
    close(
      baseline.forestHa,
      trees.reduce((sum, [, hectares]) => sum + hectares, 0),
    );
    for (const [value, hectares] of Object.entries(wanted['lossyear']!.hectares))
      if (value !== '0') close(loss.lossHa[2000 + Number(value)], hectares);
    for (const [value, hectares] of Object.entries(wanted['joint']!.hectares))
      if (value !== '0') close(loss.inBaselineHa?.[2000 + Number(value)], hectares);
  });
});

function neiba(): unknown {
  const database = new DatabaseSync(join(SHARED_DATA, 'rasters/sierra_de_neiba_478140.gpkg'), { readOnly: true });
  const [row] = database.prepare('SELECT geom FROM sierra_de_neiba_478140').all();
  database.close();
  // The header of a GeoPackage geometry: 8 bytes and, as its flags say here, a box of four doubles.
  return parseWkb((row!['geom'] as Uint8Array).subarray(40)).geometry;
}
