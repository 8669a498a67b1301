import type { Geometry } from '../../geo/geometry.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import {
  type BatchIndex,
  type BatchPlot,
  circleOf,
  type ComparingEnd,
  createBatchIndex,
  keyOf,
} from './batch-index.ts';
import { createFirstByText } from './first-by-text.ts';
import type { Overlay } from './geos.ts';
import { createPlotBoxes } from './plot-boxes.ts';
import { PLOT_RULES } from './plot-options.ts';

/** A plot that is compared with those of a part, and is not one of them. */
export interface ForeignPlot {
  /** Number of the location in the batch, from 0. */
  readonly index: number;
  readonly row: number;
  readonly geometry: Geometry;
  readonly statedHa: number | null;
}

/** What a part has to know of the rest of its batch; small JSON but for `plots`. */
export interface PartSurroundings {
  /** In the order of the file. */
  readonly plots: readonly ForeignPlot[];
  /** Locations of the part whose id an earlier one has, and the row of the first that has it. */
  readonly sameIds: readonly (readonly [index: number, row: number])[];
  /** Plots of the part that are not compared, because there are too many before them. */
  readonly notCompared: readonly number[];
}

/** What every part has to know of the whole batch. */
export interface BatchSurroundings {
  readonly facilities: readonly (readonly [lon: number, lat: number, row: number])[];
  /** Where comparing ended; null when all are compared. */
  readonly end: ComparingEnd | null;
  /** Whether `facilities` are all of the batch. */
  readonly hasAllFacilities: boolean;
}

/** Which plots of a batch have to be compared with each other, held without their geometries. */
interface ComparedPlots {
  addId(index: number, row: number, id: string | number): void;
  addFacility(at: LonLat, row: number): void;
  /** Whether others may be compared with it; false where its outline is never wanted. */
  addPlot(plot: Pick<BatchPlot, 'index' | 'row' | 'shape' | 'statedHa'>): boolean;
  /**
   * Numbers of the plots outside of a part that its own are compared with, ascending; `earlierOnly`: of those before it. Call it
   * when all plots are added.
   */
  around(part: { readonly first: number; readonly count: number }, earlierOnly: boolean): readonly number[];
  /** The rest of what a part has to know. */
  surroundings(part: { readonly first: number; readonly count: number }): Omit<PartSurroundings, 'plots'>;
  batch(): BatchSurroundings;
}

/**
 * Follows the rules of {@link createBatchIndex}, so that an index of a part and of the plots around it answers as one of the whole batch
 * does: the same plots are left out, the same ones stand for others.
 */
export function createComparedPlots(
  most: Readonly<Record<'collectionPlots' | 'comparedFacilities', number>> = PLOT_RULES,
): ComparedPlots {
  const firstById = createFirstByText();
  const sameIds = new Map<number, number>();
  const facilities: [number, number, number][] = [];
  const firstByKey = createFirstByText();
  const duplicateOf = new Map<number, number>();
  /** Circles with an area of their own at the place of a point, by the number of the first plot there. */
  const circles = new Map<number, { readonly numbers: number[]; readonly hectares: number[] }>();
  const firstHectares = new Map<number, number>();
  /** Of outlines. */
  const boxes = createPlotBoxes();
  const left = createNumbers();
  let end: ComparingEnd | null = null;
  let hasAllFacilities = true;

  function addDuplicate(first: number, plot: Parameters<ComparedPlots['addPlot']>[0]): boolean {
    duplicateOf.set(plot.index, first);
    const circle = circleOf(plot);
    if (circle === null) return false;
    const known = circles.get(first) ?? { numbers: [first], hectares: [firstHectares.get(first)!] };
    circles.set(first, known);
    if (known.hectares.includes(circle.hectares) || known.numbers.length > PLOT_RULES.neighbours) return false;
    known.numbers.push(plot.index);
    known.hectares.push(circle.hectares);
    return true;
  }

  /** One more than a plot is compared with shows that there are too many. */
  function neighboursOf(index: number, before: number): readonly number[] {
    const box = boxes.boxOf(index);
    if (box === null) return [];
    return boxes
      .near(box)
      .filter((other) => other !== index && other < before)
      .slice(0, PLOT_RULES.neighbours + 1);
  }

  return {
    addId(index, row, id) {
      if (firstById.size >= most.collectionPlots) {
        end ??= { from: index, plots: firstByKey.size };
        return;
      }
      const first = firstById.add(String(id), row);
      if (first !== null) sameIds.set(index, first);
    },
    addFacility([lon, lat], row) {
      if (facilities.length < most.comparedFacilities) facilities.push([lon, lat, row]);
      else hasAllFacilities = false;
    },
    addPlot(plot) {
      const { index, shape } = plot;
      if (firstByKey.size >= most.collectionPlots) {
        end ??= { from: index, plots: firstByKey.size };
        left.add(index);
        return false;
      }
      const first = firstByKey.add(keyOf(shape), index);
      if (first !== null) return addDuplicate(first, plot);
      if (shape.polygons.length === 0) {
        firstHectares.set(index, circleOf(plot)!.hectares);
        return true;
      }
      boxes.add(index, shape.bbox);
      return true;
    },
    around({ first, count }, earlierOnly) {
      const next = first + count;
      const found = new Set<number>();
      for (let index = first; index < next; index++) {
        const ground = duplicateOf.get(index) ?? index;
        found.add(ground);
        if (ground !== index) for (const number of circles.get(ground)?.numbers ?? []) found.add(number);
        for (const other of neighboursOf(ground, earlierOnly ? index : Infinity)) found.add(other);
      }
      return [...found]
        .filter((number) => number < first || (number >= next && !earlierOnly))
        .toSorted((a, b) => a - b);
    },
    surroundings({ first, count }) {
      const numbers = Array.from({ length: count }, (_, i) => first + i);
      return {
        sameIds: numbers.flatMap((number) => {
          const row = sameIds.get(number);
          return row === undefined ? [] : [[number, row] as const];
        }),
        notCompared: numbers.filter((number) => left.has(number)),
      };
    },
    batch: () => ({ facilities, end, hasAllFacilities }),
  };
}

/** A set of whole numbers from 0, a bit each. */
function createNumbers() {
  let bits = new Uint8Array(1_024);
  return {
    add(number: number): void {
      if (number >> 3 >= bits.length) {
        const larger = new Uint8Array(Math.max((number >> 3) + 1, 2 * bits.length));
        larger.set(bits);
        bits = larger;
      }
      bits[number >> 3] |= 1 << (number & 7);
    },
    has: (number: number): boolean => ((bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0,
  };
}

/** An index of the plots of a part that answers for them as an index of the whole batch does. */
interface PartIndex extends BatchIndex {
  /** Adds a plot of the part; those of the file in its order. */
  addPlot(plot: BatchPlot): void;
  /** Adds the plots after the part; call it when its own are added. */
  addLater(): void;
}

/** Holds the plots before the part already. `own` is the part's place in the batch. */
export function createPartIndex(
  own: { readonly first: number },
  { plots, sameIds, notCompared }: PartSurroundings,
  { facilities, end, hasAllFacilities }: BatchSurroundings,
  overlay: Overlay,
): PartIndex {
  const index = createBatchIndex(overlay);
  const rowsById = new Map(sameIds);
  const left = new Set(notCompared);
  const add = (foreign: readonly ForeignPlot[]): void => {
    for (const plot of foreign) {
      const { shape } = toShape(plot.geometry);
      if (shape !== null) index.addPlot({ ...plot, shape });
    }
  };
  for (const [lon, lat, row] of facilities) index.addFacility([lon, lat], row);
  add(plots.filter((plot) => plot.index < own.first));
  return {
    duplicateOf: (number) => index.duplicateOf(number),
    overlapsOf: (number) => index.overlapsOf(number),
    earlierGroundOf: (number) => (end !== null && number >= end.from ? null : index.earlierGroundOf(number)),
    nearestFacility: (at) => index.nearestFacility(at),
    sameId: (number) => rowsById.get(number) ?? null,
    end,
    hasAllFacilities,
    addPlot(plot) {
      if (!left.has(plot.index)) index.addPlot(plot);
    },
    addLater: () => add(plots.filter((plot) => plot.index > own.first)),
  };
}
