import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import type { Probe } from '../../../geo/features/probe.ts';
import { longitudeGap, reachAround } from '../../../geo/shapes/reach.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import { decodeGeometry, decodeValues, planColumns, type Values } from './decode-feature.ts';
import { withLeaves, type Leaves } from './leaves.ts';
import type { FlatGeobufFile, FlatReads } from './open-flatgeobuf.ts';

interface FileSearch {
  /** Columns whose values are wanted, in this order. */
  readonly columns: readonly string[];
  /** Whether a feature with such values counts; `values` is used again for the next one. Default: all do. */
  readonly accept?: (values: Values) => boolean;
}

interface FoundInFile {
  /** Geodesic metres on WGS84. */
  readonly distanceM: number;
  readonly values: Values;
  /** Bytes from the first feature of the file: which of two equals comes first. */
  readonly offset: number;
}

/** Metres of the first search for the nearest; each next one is four times as wide. */
const FIRST_M = 64;
/** Features read together while looking for the nearest. */
const BATCH = 24;
/** Metres that a feature may be nearer than its box, since its coordinates are rounded when it is measured. */
const ROUNDING_M = 0.02;

/** The nearest feature of a file within so many metres, the first in the file among equals, or null. Reads only what may be it. */
export function nearestInFile(
  whole: FlatGeobufFile,
  probe: Probe,
  withinM: number,
  search: FileSearch,
  signal: AbortSignal,
): Promise<FoundInFile | null> {
  return answerFrom(whole, async (file, leaves, batch) => {
    const measure = createMeasure(file, probe, search);
    const gapOf = boxGaps(probe.box, withinM);
    let best = null as FoundInFile | null;
    let before: readonly Bbox[] = [];
    for (let reachM = Math.min(FIRST_M, withinM); ; reachM = Math.min(reachM * 4, withinM)) {
      const windows = probe.windows(reachM);
      leaves.length = 0;
      await file.search(windows, signal, leaves);
      const gaps: number[] = [];
      const order: number[] = [];
      for (let i = 0; i < leaves.length; i++) {
        gaps.push(gapOf(leaves.boxes, i * 4));
        // Those of the search before were measured then, or are farther than the best.
        if (!touchesAny(leaves.boxes, i * 4, before)) order.push(i);
      }
      order.sort((a, b) => gaps[a] - gaps[b] || a - b);
      before = windows;
      for (let i = 0; i < order.length; i += BATCH) {
        if (gaps[order[i]] > (best?.distanceM ?? withinM)) break;
        batch.length = 0;
        for (const leaf of order.slice(i, i + BATCH)) batch.addFrom(leaves, leaf);
        await file.read(batch, signal, (view, at, index) => {
          const limitM = best?.distanceM ?? withinM;
          const distanceM = measure.distanceM(view, at, withinM, limitM);
          const offset = batch.offsets[index];
          if (distanceM > limitM || (best !== null && distanceM === limitM && offset > best.offset)) return;
          const values = measure.values(view, at);
          if (values !== null) best = { distanceM, values: [...values], offset };
        });
      }
      if (reachM >= withinM || (best !== null && best.distanceM <= reachM)) return best;
    }
  });
}

/** Calls `visit` with every feature of a file within so many metres; `values` is used again for the next one. */
export function visitWithin(
  whole: FlatGeobufFile,
  probe: Probe,
  withinM: number,
  search: FileSearch,
  signal: AbortSignal,
  visit: (distanceM: number, values: Values) => void,
): Promise<void> {
  return answerFrom(whole, async (file, leaves) => {
    await searchWithin(file, probe, withinM, signal, leaves);
    const measure = createMeasure(file, probe, search);
    await file.read(leaves, signal, (view, at) => {
      const distanceM = measure.distanceM(view, at, withinM, withinM);
      if (distanceM > withinM) return;
      const values = measure.values(view, at);
      if (values !== null) visit(distanceM, values);
    });
  });
}

/** Gives one answer from a file, with two empty lists to work with. */
export function answerFrom<T>(
  file: FlatGeobufFile,
  job: (file: FlatReads, leaves: Leaves, other: Leaves) => Promise<T>,
): Promise<T> {
  return file.answer((reads) => withLeaves((leaves, other) => job(reads, leaves, other)));
}

/** Adds every feature to `out` whose box is within so many metres, and few others. */
export async function searchWithin(
  file: FlatReads,
  probe: Pick<Probe, 'box' | 'windows'>,
  withinM: number,
  signal: AbortSignal,
  out: Leaves,
): Promise<void> {
  await file.search(probe.windows(withinM), signal, out);
  const gapOf = boxGaps(probe.box, withinM);
  out.filter((i) => gapOf(out.boxes, i * 4) <= withinM);
}

/** Reads features one after the other. */
interface FeatureMeasure {
  /** Metres to a feature as `Probe` gives them; Infinity for one that cannot be measured. */
  distanceM(view: DataView, at: number, withinM: number, bestM: number): number;
  /** Values of a feature that counts, else null; used again for the next one. */
  values(view: DataView, at: number): Values | null;
}

export function createMeasure(
  { header: { columns: all, geometryType } }: FlatReads,
  probe: Probe,
  { columns, accept }: FileSearch,
): FeatureMeasure {
  const plan = planColumns(all, columns);
  const values: Values = columns.map(() => null);
  const builder = new FeatureBuilder(1);
  return {
    distanceM(view, at, withinM, bestM) {
      builder.clear();
      if (!decodeGeometry(view, at, geometryType, builder)) return Infinity;
      return probe.distanceM(builder, 0, withinM, bestM);
    },
    values(view, at) {
      decodeValues(view, at, all, plan, values);
      return accept === undefined || accept(values) ? values : null;
    },
  };
}

/** Metres that boxes are apart from a box at least, 0 where they touch: right up to `withinM`, else only not too large. */
function boxGaps([west, south, east, north]: Bbox, withinM: number): (boxes: Float64Array, at: number) => number {
  const reach = reachAround(south, north, withinM);
  return (boxes, at) => {
    const x = longitudeGap(west, east, boxes[at], boxes[at + 2]) * reach.east;
    const y = Math.max(0, boxes[at + 1] - north, south - boxes[at + 3]) * reach.north;
    return Math.max(0, Math.sqrt(x * x + y * y) - ROUNDING_M);
  };
}

function touchesAny(boxes: Float64Array, at: number, windows: readonly Bbox[]): boolean {
  for (const [west, south, east, north] of windows)
    if (boxes[at] <= east && boxes[at + 2] >= west && boxes[at + 1] <= north && boxes[at + 3] >= south) return true;
  return false;
}
