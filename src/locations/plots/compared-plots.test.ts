import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { Geometry } from '../../geo/geometry.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { runs } from '../../../test/property-runs.ts';
import { createBatchIndex, type BatchIndex, type BatchPlot } from './batch-index.ts';
import { createComparedPlots, createPartIndex, type ForeignPlot } from './compared-plots.ts';
import { openOverlay, type Overlay } from './geos.ts';
import { PLOT_RULES } from './plot-options.ts';

let overlay: Overlay;
before(async () => {
  overlay = await openOverlay();
});

/** Squares and points on a coarse lattice, so that many overlap, repeat each other, or share an id. */
const PLOT = fc.record({
  x: fc.integer({ min: 0, max: 12 }),
  y: fc.integer({ min: 0, max: 3 }),
  side: fc.integer({ min: 1, max: 3 }),
  isPoint: fc.boolean(),
  statedHa: fc.constantFrom(null, 1, 2, 3),
  id: fc.integer({ min: 0, max: 20 }),
});
type Made = typeof PLOT extends fc.Arbitrary<infer T> ? T : never;

function plotOf({ x, y, side, isPoint, statedHa }: Made, index: number): BatchPlot {
  const [west, south, size] = [10 + x / 1_000, 5 + y / 1_000, side / 1_000];
  const corners = [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ] as [number, number][];
  const geometry: Geometry = isPoint
    ? { type: 'Point', coordinates: [west, south] }
    : { type: 'Polygon', coordinates: [corners] };
  const { shape } = toShape(geometry);
  assert.ok(shape !== null);
  return { index, row: index + 1, geometry, shape, statedHa: isPoint ? statedHa : null };
}

/** What an index says of a plot that is in no other test of it. */
function answersOf(index: BatchIndex, number: number): unknown {
  return {
    duplicate: index.duplicateOf(number),
    overlaps: index.overlapsOf(number),
    earlier: index.earlierGroundOf(number),
    sameId: index.sameId(number),
    nearest: index.nearestFacility([10, 5]),
  };
}

/** What indexes of parts of so many plots say of each plot, by way of the JSON that their input is. */
function answersOfParts(made: readonly Made[], size: number, isGrowing: boolean): unknown[] {
  const plots = made.map(plotOf);
  const compared = createComparedPlots();
  for (const plot of plots) {
    compared.addId(plot.index, plot.row, made[plot.index]!.id);
    compared.addPlot(plot);
  }
  compared.addFacility([10.5, 5], 1);
  const answers: unknown[] = [];
  for (let first = 0; first < plots.length; first += size) {
    const own = plots.slice(first, first + size);
    const part = { first, count: own.length };
    const around = compared.around(part, isGrowing).map((number): ForeignPlot => {
      const { index, row, geometry, statedHa } = plots[number]!;
      return { index, row, geometry, statedHa };
    });
    const given = JSON.parse(JSON.stringify({ ...compared.surroundings(part), plots: around }));
    const index = createPartIndex(part, given, JSON.parse(JSON.stringify(compared.batch())), overlay);
    if (!isGrowing) for (const plot of own) index.addPlot(plot);
    if (!isGrowing) index.addLater();
    for (const plot of own) {
      if (isGrowing) index.addPlot(plot);
      answers.push(isGrowing ? index.earlierGroundOf(plot.index) : answersOf(index, plot.index));
    }
  }
  return answers;
}

function answersOfWhole(made: readonly Made[], isGrowing: boolean): unknown[] {
  const plots = made.map(plotOf);
  const index = createBatchIndex(overlay);
  index.addFacility([10.5, 5], 1);
  const growing = plots.map((plot) => {
    index.addId(plot.index, plot.row, made[plot.index]!.id);
    index.addPlot(plot);
    return isGrowing ? index.earlierGroundOf(plot.index) : null;
  });
  return isGrowing ? growing : plots.map(({ index: number }) => answersOf(index, number));
}

describe('an index of a part and of the plots around it', () => {
  for (const [name, isGrowing] of [
    ['all plots are known', false],
    ['each plot is compared with those before it', true],
  ] as const)
    it(`answers as that of the whole batch does where ${name}`, () => {
      fc.assert(
        fc.property(fc.array(PLOT, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), (made, size) => {
          assert.deepEqual(answersOfParts(made, size, isGrowing), answersOfWhole(made, isGrowing));
        }),
        { numRuns: runs(60) },
      );
    });

  it('says of more neighbours than are compared that there are too many', () => {
    const stack = Array.from({ length: PLOT_RULES.neighbours + 2 }, (_, i) => ({
      x: i / 1_000,
      y: 0,
      side: 3,
      isPoint: false,
      statedHa: null,
      id: i,
    }));
    const answers = answersOfParts(stack, 25, true);
    assert.deepEqual(answers, answersOfWhole(stack, true));
    assert.equal(answers.at(-1), null);
  });
});
