import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Geometry, Polygon } from '../../geo/geometry.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { StagedLocation } from '../locate-row.ts';
import { createBatchIndex, type BatchIndex } from './batch-index.ts';
import { checkPlot, type PlotCheck } from './check-plot.ts';
import { createComparedPlots, createPartIndex } from './compared-plots.ts';
import { openOverlay, type Overlay } from './geos.ts';
import { PLOT_RULES } from './plot-options.ts';

let overlay: Overlay;
before(async () => {
  overlay = await openOverlay();
});
const PLOTS = [0, 1, 2, 3].map((at) => squareAt(101 + at));

describe('plots of a batch that is too large to be compared', () => {
  it('pass no check that would need all of them, before and after the limit', () => {
    const index = createBatchIndex(overlay, { ...PLOT_RULES, comparedPlots: 2 });
    for (const [at, geometry] of PLOTS.entries()) add(index, at, geometry);
    assert.deepEqual(index.end, { from: 2, plots: 2 });
    for (const at of PLOTS.keys()) {
      const { duplicates, overlaps } = checksOf(index, at);
      assert.deepEqual([duplicates?.status, overlaps?.status], ['unknown', 'unknown'], `plot ${at}`);
      assert.equal(duplicates?.detail, 'The batch is too large to compare all of its plots.');
      assert.match(JSON.stringify(duplicates?.messages), /plot\.not_compared/);
    }
    assert.match(warningsOf(index, 2).join(), /not checked from this row on: .* more than 2 plots/);
    assert.doesNotMatch(warningsOf(index, 3).join(), /not checked/);
  });

  it('are still found to be the same as another, or to overlap one', () => {
    const index = createBatchIndex(overlay, { ...PLOT_RULES, comparedPlots: 2 });
    const halfway = squareAt(101 + 0.005);
    for (const [at, geometry] of [PLOTS[0]!, PLOTS[0]!, halfway, PLOTS[2]!].entries()) add(index, at, geometry);
    assert.equal(checksOf(index, 0).overlaps?.status, 'warn');
    assert.equal(checksOf(index, 1).duplicates?.status, 'warn');
    assert.deepEqual(checksOf(index, 3).overlaps?.status, 'unknown');
  });

  it('are known as such in the parts of a collection', () => {
    const compared = createComparedPlots({ ...PLOT_RULES, collectionPlots: 3 });
    for (const [at, geometry] of PLOTS.entries()) {
      compared.addId(at, at + 1, `id ${at}`);
      assert.equal(compared.addPlot(plotOf(at, geometry)), at < 3);
    }
    const part = { first: 2, count: 2 };
    const surroundings = { ...compared.surroundings(part), plots: [] };
    assert.deepEqual(surroundings.notCompared, [3]);
    const index = createPartIndex(part, surroundings, compared.batch(), overlay);
    for (const at of [2, 3]) index.addPlot(plotOf(at, PLOTS[at]!));
    assert.deepEqual(index.end, { from: 3, plots: 3 });
    for (const at of [2, 3]) assert.equal(checksOf(index, at).duplicates?.status, 'unknown');
    assert.equal(index.earlierGroundOf(3), null);
  });

  it('have no nearest facility where there are too many facilities', () => {
    const index = createBatchIndex(overlay, { ...PLOT_RULES, comparedFacilities: 1 });
    add(index, 0, PLOTS[0]!);
    index.addFacility([101, 1], 9);
    assert.equal(checksOf(index, 0).facility_distance?.status, 'pass');
    index.addFacility([101.5, 1], 10);
    assert.deepEqual(
      [checksOf(index, 0).facility_distance?.status, checksOf(index, 0).facility_distance?.detail],
      ['unknown', 'The batch has too many facilities to compare the plot with all of them.'],
    );
  });
});

it('a plot passes when all of its batch was compared', () => {
  const index = createBatchIndex(overlay);
  for (const [at, geometry] of PLOTS.entries()) add(index, at, geometry);
  const { duplicates, overlaps } = checksOf(index, 3);
  assert.deepEqual([duplicates?.status, overlaps?.status], ['pass', 'pass']);
});

describe('a plot that is a collection of geometries', () => {
  const [square] = PLOTS as [Geometry];
  const point = (lon: number, lat: number): Geometry => ({ type: 'Point', coordinates: [lon, lat] });
  const bowtie: Geometry = {
    type: 'Polygon',
    coordinates: [
      [
        [102.123456, 1],
        [102.2, 1.1],
        [102.2, 1],
        [102.123456, 1.1],
        [102.123456, 1],
      ],
    ],
  };
  const outcome = (...geometries: Geometry[]) => {
    const index = createBatchIndex(overlay);
    return checksOf(index, 0, { type: 'GeometryCollection', geometries });
  };

  it('does not pass where a part of it was left out, or has no ground', () => {
    for (const other of [bowtie, point(101.02, 1)]) {
      const { geometry } = outcome(square, other);
      assert.deepEqual(
        [geometry?.status, geometry?.detail],
        ['warn', 'Parts of the geometry were left out and not looked at.'],
      );
      assert.match(JSON.stringify(geometry?.messages), /plot\.parts_ignored/);
    }
  });

  it('passes with a point that holds its label, and with its outline drawn once more', () => {
    const outline = (square as Polygon).coordinates[0]!;
    for (const other of [
      point(101.005, 1.005),
      point(101, 1),
      { type: 'LineString', coordinates: outline } as Geometry,
    ])
      assert.equal(outcome(square, other).geometry?.status, 'pass');
  });

  it('has the decimals of its members', () => {
    assert.equal(
      outcome(point(101.5, 1)).precision?.detail,
      'Decimals of the coordinates: 1; the regulation requires 6.',
    );
    assert.equal(outcome(point(101.5, 1), point(101.123456, 1)).precision?.status, 'pass');
  });
});

function squareAt(west: number): Geometry {
  const ring = [
    [west, 1],
    [west + 0.01, 1],
    [west + 0.01, 1.01],
    [west, 1.01],
    [west, 1],
  ] as [number, number][];
  return { type: 'Polygon', coordinates: [ring] };
}

function plotOf(index: number, geometry: Geometry) {
  const { shape } = toShape(geometry);
  assert.ok(shape !== null);
  return { index, row: index + 1, geometry, shape, statedHa: null };
}

function add(index: ReturnType<typeof createBatchIndex>, at: number, geometry: Geometry): void {
  index.addId(at, at + 1, `id ${at}`);
  index.addPlot(plotOf(at, geometry));
}

function checked(batch: BatchIndex, at: number, geometry: Geometry | undefined = PLOTS[at]) {
  const properties = {
    source_row: at + 1,
    geometry_source: 'input',
    area_ha: null,
    commodity_type: null,
    warnings: [],
  };
  const location = { location: { properties }, statedCountry: null, foundCountry: null } as unknown as StagedLocation;
  const nothing = { position: null, commodity: null, deforestation: null };
  return checkPlot(location, geometry, at, batch, nothing);
}

function checksOf(batch: BatchIndex, at: number, geometry?: Geometry): Partial<Record<PlotCheck['check'], PlotCheck>> {
  return Object.fromEntries(checked(batch, at, geometry).checks.map((check) => [check.check, check]));
}

function warningsOf(batch: BatchIndex, at: number): readonly string[] {
  return checked(batch, at).properties.warnings.map(({ message }) => message);
}
