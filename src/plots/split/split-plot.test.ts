import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { runs } from '../../../test/property-runs.ts';
import { needsSharedData } from '../../../test/shared-data.ts';
import { inDegrees, randomRing, rasterOfGrid, syntheticGrid } from '../../../test/split-cases.ts';
import type { FlatPolygon } from '../../geo/partition/cut-polygons.ts';
import { openGeos, type Geos } from '../../geo/partition/open-geos.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { describeSplit } from './describe-split.ts';
import { NO_DATA } from './find-kinds.ts';
import { splitPlot, type PlotRaster, type PlotSplit } from './split-plot.ts';
import { isClearlyApart, SPLIT_RULES } from './split-rules.ts';

const { signal } = new AbortController();
let geos: Geos;
before(async () => {
  geos = await openGeos();
});

async function split(polygons: readonly FlatPolygon[], raster: PlotRaster): Promise<PlotSplit> {
  const found = await splitPlot(polygons, raster, geos, signal);
  assert.ok(found);
  return found;
}

/** A rectangle of cells of a synthetic grid, in degrees. */
function cells(left: number, top: number, right: number, bottom: number): FlatPolygon {
  const [x, y] = [(column: number) => 500_000 + 20 * column, (row: number) => 9_600_000 - 20 * row];
  return inDegrees('EPSG:32720', [
    [x(left), y(bottom)],
    [x(right), y(bottom)],
    [x(right), y(top)],
    [x(left), y(top)],
  ]);
}

describe('a plot of synthetic embeddings', () => {
  const halves = rasterOfGrid(syntheticGrid(80, 60, (column) => (column < 40 ? 1 : 2)));

  it('is split where two textures meet', async () => {
    const found = await split([cells(30, 20, 50, 40)], halves);
    assert.equal(found.parts?.length, 2);
    for (const { area } of found.parts) assert.ok(Math.abs(area / 80_000 - 1) < 0.01, `got ${area} m2`);
    const { result, reason, grounds } = describeSplit(found, false);
    assert.equal(result, 'split');
    assert.match(reason, /^Two kinds of ground: A 8\.0 ha \(50 %\), B 8\.0 ha \(50 %\)\. .*clearly apart\.$/);
    assert.deepEqual(
      grounds.map(({ own_share: share }) => share),
      [1, 1],
    );
  });

  it('is one thing where it has one texture', async () => {
    const found = await split([cells(5, 5, 35, 35)], halves);
    assert.equal(found.parts, null);
    const { result, reason } = describeSplit(found, false);
    assert.equal(result, 'one_kind');
    assert.match(reason, /^One kind of ground: /);
  });

  it('is one thing where the second texture is too small for a part, by area or by share', async () => {
    const corner = await split([cells(20, 20, 41, 40)], halves);
    assert.equal(describeSplit(corner, false).result, 'small_parts');
    assert.equal(corner.kinds.length, 2);
    const tiny = await split([cells(36, 20, 42, 25)], halves);
    assert.equal(tiny.parts, null, '0.4 ha of 1.2 ha is less than half a hectare');
  });

  it('says of ground without data that it is unknown, and never gives it to a neighbour', async () => {
    const raster = rasterOfGrid(syntheticGrid(80, 60, (column) => (column < 30 ? 1 : column < 50 ? 2 : null)));
    const three = await split([cells(20, 20, 60, 40)], raster);
    assert.ok(Math.abs(three.unknownHa / 8 - 1) < 0.001);
    const unknown = three.parts?.filter(({ part }) => part === NO_DATA) ?? [];
    assert.equal(unknown.length, 1);
    assert.ok(Math.abs(unknown[0]!.area / 80_000 - 1) < 0.01);
    assert.equal(unknown[0]!.treeProbability, null);
    const one = await split([cells(32, 20, 60, 40)], raster);
    assert.equal(one.parts, null);
    assert.equal(describeSplit(one, false).result, 'partly_unknown');
    const none = await split([cells(55, 20, 60, 40)], raster);
    assert.equal(describeSplit(none, false).result, 'no_data');
    assert.ok(Math.abs(none.unknownHa / none.areaHa - 1) < 1e-9);
  });

  it('reports a hole without data that is too small for a part in the part that holds it', async () => {
    const isHole = (column: number, row: number): boolean => column >= 44 && column < 46 && row >= 28 && row < 30;
    const raster = rasterOfGrid(
      syntheticGrid(80, 60, (column, row) => (isHole(column, row) ? null : column < 40 ? 1 : 2)),
    );
    const found = await split([cells(30, 20, 50, 40)], raster);
    assert.equal(found.parts?.length, 2);
    assert.ok(Math.abs(found.unknownHa - 0.16) < 0.001);
    assert.deepEqual(found.parts.map(({ unknownHa }) => Math.round(unknownHa * 100) / 100).toSorted(), [0, 0.16]);
  });

  it('keeps an island as a part of its own and a hole of the part around it', async () => {
    const isIsland = (column: number, row: number): boolean => Math.hypot(column - 40, row - 30) < 6;
    const raster = rasterOfGrid(syntheticGrid(80, 60, (column, row) => (isIsland(column, row) ? 2 : 1)));
    const { parts } = await split([cells(25, 15, 55, 45)], raster);
    assert.deepEqual(
      parts?.map(({ polygon }) => polygon.length),
      [2, 1],
    );
  });

  it('counts ground of one kind at both ends of a plot as one kind in two parts', async () => {
    const raster = rasterOfGrid(syntheticGrid(80, 60, (column) => (column < 30 || column >= 50 ? 1 : 2)));
    const { kinds, parts } = await split([cells(15, 20, 65, 40)], raster);
    assert.equal(kinds.length, 2);
    assert.deepEqual(
      parts?.map(({ part }) => part),
      [0, 0, 1],
    );
  });

  it('respects holes and several polygons of a plot', async () => {
    const withHole = [
      ...cells(30, 20, 50, 40),
      ...cells(35, 25, 38, 28).map((ring) => Float64Array.from(ring)),
    ] satisfies FlatPolygon;
    const apart = cells(5, 5, 15, 15);
    const { parts, areaHa } = await split([withHole, apart], halves);
    const drawn = parts!.reduce((sum, { area }) => sum + area, 0);
    assert.ok(Math.abs(drawn / 10_000 / areaHa - 1) < 1e-9);
    assert.equal(parts!.filter(({ polygon }) => polygon.length === 2).length, 1);
  });
});

describe('random plots on a real raster', needsSharedData('aef/wisconsin_west.tif'), () => {
  let raster: PlotRaster;
  before(() => {
    raster = rasterOfGrid({ ...readRaster('wisconsin_west')!, transform: [10, 0, 354_030, 0, -10, 4_911_010] });
  });

  function plotAt(random: () => number, ha: number): FlatPolygon {
    const middle = [355_500 + random() * 2_600, 4_909_300 - random() * 6_300] as const;
    const ring = randomRing(random, middle, Math.sqrt((ha * 10_000) / Math.PI), 5 + Math.floor(random() * 9));
    return inDegrees('EPSG:32616', ring);
  }

  it('are made up of their parts, whose kinds are clearly apart', async () => {
    const random = seededRandom(11);
    let drawn = 0;
    for (let run = 0; run < runs(200, 20); run++) {
      const plot = plotAt(random, [3, 12, 40, 120][run % 4]!);
      const { parts, kinds, areaHa, kindHa, unknownHa } = await split([plot], raster);
      assert.ok(Math.abs((kindHa.reduce((sum, ha) => sum + ha, 0) + unknownHa) / areaHa - 1) < 1e-9);
      for (const { nearestDistance, ashmanD } of kinds.length > 1 ? kinds : [])
        assert.ok(isClearlyApart({ distance: nearestDistance!, ashmanD: ashmanD! }));
      if (parts === null) {
        assert.ok(kinds.filter(({ isMajor }) => isMajor).length < 2, 'two large kinds and no drawing');
        continue;
      }
      drawn++;
      const sum = parts.reduce((total, { area }) => total + area, 0);
      // In degrees the parts make up the plot exactly. An edge with one more vertex is two geodesics, which lie centimetres from the one.
      assert.ok(Math.abs(sum / 10_000 / areaHa - 1) < 1e-4, `geodesic areas: ${sum / 10_000} of ${areaHa} ha`);
      for (const { area } of parts) assert.ok(area >= SPLIT_RULES.leastHa * 10_000);
      assertKeepsOutline(
        plot,
        parts.map(({ polygon }) => polygon),
      );
    }
    assert.ok(drawn >= 5, `only ${drawn} were split`);
  });

  it('have the same split wherever their rings begin and whichever way they run', async () => {
    const random = seededRandom(12);
    for (let run = 0; run < runs(50, 4); run++) {
      const [ring] = plotAt(random, 30);
      const corners = Array.from(
        { length: ring!.length / 2 - 1 },
        (_, i) => [ring![2 * i]!, ring![2 * i + 1]!] as const,
      );
      const turned = [...corners.slice(2), ...corners.slice(0, 2)].toReversed();
      const other = Float64Array.from([...turned, turned[0]!].flat());
      const [a, b] = [await split([[ring!]], raster), await split([[other]], raster)];
      assert.equal(a.parts?.length, b.parts?.length);
      for (const [i, { area, part }] of (a.parts ?? []).entries()) {
        assert.equal(part, b.parts![i]!.part);
        assert.ok(Math.abs(area / b.parts![i]!.area - 1) < 1e-9);
      }
    }
  });

  it('have the same split whatever else of the raster is there', async () => {
    const grid = readRaster('wisconsin_west')!;
    // The raster without its first 200 columns and 120 rows, as a dataset whose files begin elsewhere.
    const [dx, dy] = [40, 60];
    const cut: PlotRaster = {
      ...raster,
      transform: [10, 0, 354_030 + 10 * dx, 0, -10, 4_911_010 - 10 * dy],
      window: (x0, y0, width, height) => raster.window(x0 + dx, y0 + dy, width, height, signal),
    };
    assert.ok(grid.width > 500);
    const random = seededRandom(13);
    for (let run = 0; run < runs(50, 4); run++) {
      const plot = plotAt(random, 30);
      const [a, b] = [await split([plot], raster), await split([plot], cut)];
      assert.deepEqual(
        a.kindHa.map((ha) => ha.toFixed(6)),
        b.kindHa.map((ha) => ha.toFixed(6)),
      );
      assert.deepEqual(
        a.parts?.map(({ area }) => area.toFixed(2)),
        b.parts?.map(({ area }) => area.toFixed(2)),
      );
    }
  });

  it('across the border of a forest become forest and field, and inside a forest stay one', async () => {
    const across = await split([box(354_500, 4_910_500, 400, 400)], raster);
    const { result, confidence } = describeSplit(across, false);
    assert.equal(result, 'split');
    assert.equal(confidence, 'high');
    const trees = across.parts!.map(({ treeProbability }) => treeProbability!);
    assert.ok(Math.max(...trees) > 0.85 && Math.min(...trees) < 0.4, `trees: ${trees.join(', ')}`);
    const inside = await split([box(355_700, 4_909_300, 400, 400)], raster);
    assert.equal(describeSplit(inside, false).result, 'one_kind');
    assert.ok(inside.treeProbability[0]! > 0.9);
  });
});

function box(x: number, y: number, width: number, height: number): FlatPolygon {
  return inDegrees('EPSG:32616', [
    [x, y - height],
    [x + width, y - height],
    [x + width, y],
    [x, y],
  ]);
}

/** Every vertex of the plot is a vertex of a part, and no two parts lie on one side of an edge. */
function assertKeepsOutline(plot: FlatPolygon, parts: readonly FlatPolygon[]): void {
  const vertices = new Set<string>();
  const edges = new Set<string>();
  for (const ring of parts.flat())
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [ax, ay, bx, by] = ring.subarray(i, i + 4);
      vertices.add(`${ax} ${ay}`);
      // Exteriors run counter-clockwise and holes clockwise: a common border is run along once each way, no edge twice.
      assert.ok(!edges.has(`${ax} ${ay} ${bx} ${by}`), 'two parts on one side of an edge');
      edges.add(`${ax} ${ay} ${bx} ${by}`);
    }
  for (const ring of plot)
    for (let i = 0; i < ring.length; i += 2) assert.ok(vertices.has(`${ring[i]} ${ring[i + 1]}`), 'a corner has moved');
}
