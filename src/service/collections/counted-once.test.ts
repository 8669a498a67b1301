import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import initGeos from 'geos-wasm';
import { geojsonToGeosGeom, geosGeomToGeojson } from 'geos-wasm/helpers';
import { countPlots } from '../../collections/counted-ground.ts';
import type { Geometry, Polygon } from '../../geo/geometry.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { createBatchIndex, type BatchIndex } from '../../locations/plots/batch-index.ts';
import { openOverlay, type Overlay } from '../../locations/plots/geos.ts';
import { PLOT_RULES } from '../../locations/plots/plot-options.ts';
import { polygonHectares } from '../../locations/measure-geometry.ts';
import { runs } from '../../../test/property-runs.ts';

const RUNS = runs(300);
let geos: Awaited<ReturnType<typeof initGeos>>;
let overlay: Overlay;
before(async () => {
  [geos, overlay] = await Promise.all([initGeos(), openOverlay()]);
});

/** The union by GEOS itself, which nothing here uses. */
function unionHectares(polygons: readonly Polygon[]): number {
  if (polygons.length === 0) return 0;
  const collection = { type: 'GeometryCollection', geometries: polygons };
  const all = geojsonToGeosGeom(collection as Parameters<typeof geojsonToGeosGeom>[0], geos);
  const union = geos.GEOSUnaryUnion(all);
  const hectares = polygonHectares(geosGeomToGeojson(union, geos) as unknown as Geometry);
  for (const geometry of [all, union]) geos.GEOSGeom_destroy(geometry);
  return hectares;
}

interface Plot {
  readonly geometry: Geometry;
  readonly statedHa?: number | null;
}

type Compared = Pick<BatchIndex, 'earlierGroundOf'>;

function indexOf(
  plots: readonly Plot[],
  by: Overlay = overlay,
  onAdded: (number: number, index: Compared) => void = () => {},
) {
  const index = createBatchIndex(by);
  for (const [i, { geometry, statedHa = null }] of plots.entries()) {
    const { shape } = toShape(geometry);
    assert.ok(shape !== null, `plot ${i} can be compared`);
    index.addPlot({ index: i, row: i + 1, geometry, shape, statedHa });
    onAdded(i, index);
  }
  return index;
}

/** The same of an index that is queried for each plot when it has been added, as a batch without validation does. */
function indexSoFar(plots: readonly Plot[]): Compared {
  const earlier: ReturnType<BatchIndex['earlierGroundOf']>[] = [];
  indexOf(plots, overlay, (number, index) => earlier.push(index.earlierGroundOf(number)));
  return { earlierGroundOf: (number) => earlier[number]! };
}

/** Hectares of the plots that are chosen, with their common ground counted once. */
function countedHectares(plots: readonly Plot[], index: Compared, chosen = plots.map(() => true)): number {
  const counted = countPlots();
  let sum = 0;
  for (const [number, { geometry, statedHa }] of plots.entries()) {
    if (!chosen[number]) continue;
    const earlier = index.earlierGroundOf(number);
    assert.ok(earlier !== null, `plot ${number} was compared`);
    const { before } = counted.add('c', { number, earlier }, 1);
    sum += (statedHa ?? polygonHectares(geometry)) * (1 - (before?.[0] ?? 0));
  }
  return sum;
}

const polygon = (ring: readonly (readonly [number, number])[]): Polygon => ({
  type: 'Polygon',
  coordinates: [[...ring, ring[0]!]],
});

/** Degrees: half a kilometre of ground on which some dozen plots cannot but meet. */
const SPAN = 0.005;
const degree = fc.integer({ min: 0, max: 5_000 }).map((step) => step / 1e6);
const side = fc.integer({ min: 300, max: 3_000 }).map((step) => step / 1e6);

const rectangle = fc
  .tuple(degree, degree, side, side)
  .map(([x, y, width, height]) =>
    box(-1.5 + Number(x.toFixed(6)), 6 + y, -1.5 + Number((x + width).toFixed(6)), 6 + y + height),
  );

function box(west: number, south: number, east: number, north: number): Polygon {
  return polygon([
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]);
}

/** A ring around a centre whose corners lie at any distance: it may have bays, and never crosses itself. */
const irregular = fc
  .tuple(degree, degree, fc.array(fc.integer({ min: 100, max: 1_500 }), { minLength: 5, maxLength: 14 }))
  .map(([x, y, radii]) =>
    polygon(
      radii.map((radius, i): [number, number] => {
        const angle = (2 * Math.PI * i) / radii.length;
        return [
          Number((-1.5 + x + (radius / 1e6) * Math.cos(angle)).toFixed(6)),
          Number((6 + y + (radius / 1e6) * Math.sin(angle)).toFixed(6)),
        ];
      }),
    ),
  );

const plot = fc.oneof(rectangle, irregular).filter((geometry) => toShape(geometry).shape !== null);
/** Plots of which every third, about, repeats one of those before it. */
const plots = fc
  .array(fc.tuple(plot, fc.option(fc.nat(), { freq: 2 })), { minLength: 1, maxLength: 14 })
  .map((drawn) => {
    const all: Polygon[] = [];
    for (const [geometry, repeats] of drawn)
      all.push(repeats === null || all.length === 0 ? geometry : all[repeats % all.length]!);
    return all.map((geometry) => ({ geometry }));
  });

const near = (found: number, wanted: number, share = 0.001): void =>
  assert.ok(Math.abs(found - wanted) <= wanted * share, `${found} ha, wanted ${wanted} ha`);

describe('ground that several plots share', () => {
  it('is counted once: all plots together have the area of their union', () => {
    let overlapped = 0;
    fc.assert(
      fc.property(plots, (all) => {
        const union = unionHectares(all.map(({ geometry }) => geometry));
        const sum = all.reduce((total, { geometry }) => total + polygonHectares(geometry), 0);
        if (sum > union * 1.1) overlapped++;
        near(countedHectares(all, indexOf(all)), union);
        near(countedHectares(all, indexSoFar(all)), union);
      }),
      { numRuns: RUNS },
    );
    assert.ok(overlapped > RUNS / 2, `only ${overlapped} of the batches have overlaps to speak of`);
  });

  it('goes back to the later plots when a filter leaves earlier ones out', () => {
    fc.assert(
      fc.property(plots, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), (all, chosen) => {
        const kept = all.filter((_, i) => chosen[i]).map(({ geometry }) => geometry);
        near(countedHectares(all, indexOf(all), chosen), unionHectares(kept), 0.002);
        near(countedHectares(all, indexSoFar(all), chosen), unionHectares(kept), 0.002);
      }),
      { numRuns: RUNS },
    );
  });

  it('is in the pieces that shapely cuts all outlines into', () => {
    const { batches } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../test/oracles/shared-ground.json'), 'utf8'),
    ) as {
      readonly batches: readonly {
        readonly plots: readonly (readonly [number, number][])[];
        readonly first: readonly number[];
        readonly earlier: readonly (readonly [share: number, ...plots: number[]][])[];
        readonly union_share: number;
      }[];
    };
    let pieces = 0;
    for (const { plots: rings, first, earlier, union_share: unionShare } of batches) {
      const all = rings.map((ring) => ({ geometry: polygon(ring) }));
      const index = indexOf(all);
      const byPlots = (list: readonly (readonly [number, ...number[]])[]) =>
        new Map(list.map(([share, ...others]) => [others.toSorted((x, y) => x - y).join(), share]));
      for (const [number, wanted] of earlier.entries()) {
        const found = index.earlierGroundOf(number)!;
        assert.equal(found.sameAs ?? number, first[number]);
        const [ours, theirs] = [byPlots(found.pieces), byPlots(wanted)];
        for (const others of new Set([...ours.keys(), ...theirs.keys()])) {
          pieces++;
          const difference = Math.abs((ours.get(others) ?? 0) - (theirs.get(others) ?? 0));
          assert.ok(difference < 5e-4, `plot ${number} on ${others}: off by ${difference}`);
        }
      }
      const sum = all.reduce((total, { geometry }) => total + polygonHectares(geometry), 0);
      near(countedHectares(all, index) / sum, unionShare);
    }
    assert.ok(pieces > 500, `only ${pieces} pieces`);
  });

  const [a, b, c] = [box(0, 0, 0.003, 0.001), box(0.001, 0, 0.004, 0.001), box(0.002, 0, 0.005, 0.001)];

  it('is laid out in pieces by the plots that lie there', () => {
    const index = indexOf([{ geometry: a }, { geometry: b }, { geometry: c }]);
    assert.deepEqual(index.earlierGroundOf(0), { sameAs: null, pieces: [] });
    const rounded = (number: number) =>
      index.earlierGroundOf(number)!.pieces.map(([share, ...others]) => [share.toFixed(3), ...others]);
    assert.deepEqual(rounded(1), [['0.667', 0]]);
    assert.deepEqual(rounded(2), [
      ['0.333', 0, 1],
      ['0.333', 1],
    ]);
  });

  it('of a plot that repeats another is all of it, and the first stands for both', () => {
    const index = indexOf([{ geometry: a }, { geometry: b }, { geometry: a }, { geometry: c }]);
    const { sameAs, pieces } = index.earlierGroundOf(2)!;
    assert.equal(sameAs, 0);
    assert.deepEqual(
      pieces.map(([share, ...others]) => [share.toFixed(3), ...others]),
      [
        ['0.333', 0],
        ['0.667', 0, 1],
      ],
    );
    assert.equal(countPlots().add('c', { number: 2, earlier: { sameAs, pieces } }, 1).before, null);
    const numbers = index.earlierGroundOf(3)!.pieces.flatMap(([, ...others]) => others);
    assert.ok(!numbers.includes(2), 'plot 2 is named by plot 0');
  });

  it('is the same whether the plots after it are there already or not, of very many as well', () => {
    // A grid of squares that overlap their neighbours, every seventh drawn twice.
    const grid = Array.from({ length: runs(1_500, 600) }, (_, i): Plot => {
      const [x, y] = [(i % 40) * 0.001, Math.floor(i / 40) * 0.001];
      return { geometry: box(x, y, x + 0.0012, y + 0.0012) };
    }).flatMap((one, i) => (i % 7 === 0 ? [one, one] : [one]));
    const [whole, soFar] = [indexOf(grid), indexSoFar(grid)];
    const named = grid.flatMap((_, number) => {
      const earlier = soFar.earlierGroundOf(number);
      assert.deepEqual(earlier, whole.earlierGroundOf(number), String(number));
      return earlier!.pieces;
    });
    assert.ok(named.length > 1.5 * grid.length, String(named.length));
  });

  it('of borders that only touch is none', () => {
    const index = indexOf([{ geometry: a }, { geometry: box(0.003, 0, 0.005, 0.001) }]);
    assert.deepEqual(index.earlierGroundOf(1), { sameAs: null, pieces: [] });
  });

  it('of points at one place is the largest circle, whichever of them are chosen', () => {
    const at = (statedHa: number | null): Plot => ({ geometry: { type: 'Point', coordinates: [1, 1] }, statedHa });
    const farms = [at(2), at(3), at(2), at(1), at(3.5), at(3)];
    const index = indexOf(farms);
    near(countedHectares(farms, index), 3.5, 1e-5);
    near(countedHectares(farms, index, [false, false, true, true, false, false]), 2, 1e-5);
    near(countedHectares(farms, index, [false, false, true, true, false, true]), 3, 1e-5);
    assert.deepEqual(index.earlierGroundOf(5)!.sameAs, 1);
    // A point without a stated area stands for 4 ha.
    assert.deepEqual(indexOf([at(null), at(4)]).earlierGroundOf(1), { sameAs: 0, pieces: [[1, 0]] });
  });

  it('is not known of a plot that GEOS gives up on, and of one that has no other near it is', () => {
    const broken: Overlay = { ...overlay, intersection: () => null };
    const index = indexOf([{ geometry: a }, { geometry: b }, { geometry: box(1, 1, 1.001, 1.001) }], broken);
    assert.equal(index.earlierGroundOf(1), null);
    assert.deepEqual(index.earlierGroundOf(2), { sameAs: null, pieces: [] });
    const noCut: Overlay = { ...overlay, difference: () => null };
    assert.equal(indexOf([{ geometry: a }, { geometry: b }, { geometry: c }], noCut).earlierGroundOf(2), null);
  });

  it('is not known of a plot with more neighbours than are compared', () => {
    const crowd = Array.from({ length: PLOT_RULES.neighbours + 2 }, (_, i) => ({
      geometry: box(0, 0, 0.001 + i / 1e6, 0.001),
    }));
    assert.equal(indexOf(crowd).earlierGroundOf(1), null);
    const points = Array.from({ length: PLOT_RULES.neighbours + 2 }, (_, i) => ({
      geometry: { type: 'Point', coordinates: [1, 1] } as const,
      statedHa: 1 + i / 10,
    }));
    assert.equal(indexOf(points).earlierGroundOf(1), null);
  });

  it('costs a bounded number of operations, however tangled the plots are', () => {
    let operations = 0;
    const counting: Overlay = {
      ...overlay,
      intersection: (x, y) => (operations++, overlay.intersection(x, y)),
      difference: (x, y) => (operations++, overlay.difference(x, y)),
    };
    // Strips that cross each other and a field on all of them: more pieces than are laid out.
    const strips = Array.from({ length: 24 }, (_, i) => {
      const at = (i >> 1) * 0.0004;
      return { geometry: i % 2 === 0 ? box(at, 0, at + 0.0002, SPAN) : box(0, at, SPAN, at + 0.0002) };
    });
    const all = [...strips, { geometry: box(0, 0, SPAN, SPAN) }];
    const index = indexOf(all, counting);
    assert.equal(index.earlierGroundOf(24), null);
    assert.ok(operations <= 24 + 2 * 256, `${operations} operations`);
  });
});
