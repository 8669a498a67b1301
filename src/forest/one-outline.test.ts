import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { generateGrid, gridSource, type GridSource } from '../../test/forest-raster.ts';
import { readRaster } from '../../test/oracles/segmentation/read-raster.ts';
import { needsSharedData } from '../../test/shared-data.ts';
import { type Crs, findCrs } from '../geo/crs/find-crs.ts';
import { openProjection } from '../geo/crs/open-projection.ts';
import { seededRandom } from '../geo/seeded-random.ts';
import type { Grid } from '../geo/segmentation/grid.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import type { FoundPatch } from './answer.ts';
import { findPatch, type PatchStages } from './find-patch.ts';
import type { Patch } from './patch.ts';
import { createSharedWork } from './shared-work.ts';
import type { PatchLabels, PatchSources } from './sources.ts';

const WGS84 = findCrs('EPSG:4326') as Crs;
const UTM = findCrs('EPSG:32616') as Crs;
const REDRAWN = 'outline_redrawn';

describe('every point of a segment', () => {
  let geos: Awaited<ReturnType<typeof initGeosJs>>;
  before(async () => {
    geos = await initGeosJs();
  });

  const winding = generateGrid({
    columns: 60,
    rows: 60,
    cover: (column, row) => (Math.hypot(column - 30, row - 30) < 14 + 6 * Math.sin(column / 3) ? 0 : 'open'),
    corner: [354_030, 4_911_010],
    crs: 'EPSG:32616',
  });
  it('gets one outline, or a warning that its own was drawn again: a winding stand', () =>
    lookEverywhere(gridSource(winding), [[60, 60]]));
  it(
    'gets one outline, or a warning that its own was drawn again: a real raster',
    needsSharedData('aef/wisconsin_west.tif'),
    () => {
      const source = gridSource(readRaster('wisconsin_west') as Grid);
      const random = seededRandom(15);
      const seeds = Array.from({ length: 30 }, () => [120 + random() * 300, 250 + random() * 400] as const);
      return lookEverywhere(source, seeds, 4);
    },
  );

  async function lookEverywhere(source: GridSource, seeds: readonly (readonly [number, number])[], wanted = 1) {
    let [segments, redrawn] = [0, 0];
    for (const [x, y] of seeds) {
      const stages = await stagesAt(source, source.placeOf(x, y));
      const { segment, cut } = stages;
      if (segment === null || cut === null || segment.truncatedAt !== null || !cut.found.proven) continue;
      const points = pointsOf(source, stages);
      const shared = createSharedWork();
      for (const sources of [
        { labels: [], embeddings: [source] },
        { labels: [labelsOf(segment)], embeddings: [] },
      ] satisfies PatchSources[])
        for (const crs of [WGS84, UTM]) {
          const patches = [];
          for (const point of points) patches.push(await look(point, sources, crs, shared));
          redrawn += assertOne(patches, points, crs);
        }
      if (++segments === wanted) break;
    }
    assert.equal(segments, wanted);
    assert.ok(redrawn > 0, 'no point lay in a corner that smoothing cuts off');
  }

  /** All patches are one outline but those that say otherwise; how many do. */
  function assertOne(patches: readonly Patch[], points: readonly LonLat[], crs: Crs): number {
    const isRedrawn = ({ properties }: Patch): boolean => properties.warnings.some(({ code }) => code === REDRAWN);
    assert.equal(new Set(patches.map(({ properties }) => properties.segment_id)).size, 1);
    const common = patches.filter((patch) => !isRedrawn(patch));
    assert.ok(common.length > patches.length / 2);
    for (const { geometry, properties } of common) {
      assert.deepEqual(geometry, common[0].geometry);
      assert.equal(properties.area_ha, common[0].properties.area_ha);
    }
    for (const [i, patch] of patches.entries()) {
      assert.ok(Math.abs(patch.properties.area_change_pct ?? 9) <= 1);
      if (!isRedrawn(patch) && patch !== common[0] && i % 10 > 0) continue;
      const shape = geojsonToGeosGeom(patch.geometry as never, geos);
      assert.equal(geos.GEOSisValid(shape), 1, 'GEOS finds it invalid');
    }
    for (const [i, patch] of patches.entries()) {
      const shape = geojsonToGeosGeom(patch.geometry as never, geos);
      const place = geojsonToGeosGeom({ type: 'Point', coordinates: [...placeIn(crs, points[i])] }, geos);
      assert.equal(geos.GEOSContains(shape, place), 1, `the point ${points[i].join(', ')} is outside`);
      geos.GEOSGeom_destroy(shape);
      geos.GEOSGeom_destroy(place);
    }
    return patches.length - common.length;
  }
});

function placeIn(crs: Crs, [lon, lat]: LonLat): readonly [number, number] {
  if (crs.code === 4326) return [lon, lat];
  const out = new Float64Array(2);
  openProjection(crs).toXY(lon, lat, out, 0);
  return [out[0], out[1]];
}

function look(point: LonLat, sources: PatchSources, crs: Crs, shared = createSharedWork()): Promise<Patch> {
  return findPatch(point, sources, { crs, shared, timeoutMs: 60_000, signal: new AbortController().signal });
}

async function stagesAt(source: GridSource, point: LonLat): Promise<PatchStages> {
  let stages: PatchStages = { cut: null, segment: null, outline: null };
  await findPatch(
    point,
    { labels: [], embeddings: [source] },
    {
      crs: WGS84,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      inspect: (seen) => (stages = seen),
    },
  );
  return stages;
}

/** The middles of cells all over a segment, and the middles and corners of the pixels of the cells on its edge. */
function pointsOf(source: GridSource, { cut }: PatchStages): LonLat[] {
  assert.ok(cut !== null);
  const { found, phase } = cut;
  const random = seededRandom(4);
  const has = (column: number, row: number): boolean =>
    column >= 0 &&
    row >= 0 &&
    column < found.width &&
    row < found.height &&
    found.mask[row * found.width + column] === 1;
  const edge: LonLat[] = [];
  const all: LonLat[] = [];
  for (let row = 0; row < found.height; row++)
    for (let column = 0; column < found.width; column++) {
      if (!has(column, row)) continue;
      const at = (x: number, y: number): LonLat =>
        source.placeOf(2 * (found.column + column) + phase.x + x, 2 * (found.row + row) + phase.y + y);
      all.push(at(1, 1));
      if (has(column - 1, row) && has(column + 1, row) && has(column, row - 1) && has(column, row + 1)) continue;
      for (const x of [0.001, 0.5, 1.999]) for (const y of [0.001, 1.5, 1.999]) edge.push(at(x, y));
    }
  const some = (points: LonLat[], count: number): LonLat[] =>
    points.length <= count ? points : Array.from({ length: count }, () => points[Math.floor(random() * points.length)]);
  return [...some(all, 30), ...some(edge, 60)];
}

/** A store of labels that holds one segment. */
function labelsOf({ corners, lattice, algorithm, origin }: FoundPatch): PatchLabels {
  return {
    dataset: origin.dataset,
    at: async () => ({
      status: 'forest',
      year: origin.year,
      algorithm,
      lattice,
      segment: async () => ({ corners }),
    }),
  };
}
