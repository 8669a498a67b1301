import { FeatureBuilder } from '../../geo/features/feature-builder.ts';
import type { Probe } from '../../geo/features/probe.ts';
import { boxGapM } from '../../geo/features/windows-around.ts';
import { decodeGeometry, decodeValues, planColumns, type Values } from './decode-feature.ts';
import { GEOMETRY } from './layout.ts';
import type { FlatGeobufFile, Leaf } from './open-flatgeobuf.ts';

export interface FileSearch {
  /** Columns whose values are wanted, in this order. */
  readonly columns: readonly string[];
  /** Whether a feature with such values counts; `values` is used again for the next one. Default: all do. */
  readonly accept?: (values: Values) => boolean;
}

export interface FoundInFile {
  /** Geodesic metres on WGS84. */
  readonly distanceM: number;
  readonly values: Values;
  /** Number in the order of the file where it is known by offset. */
  readonly offset: number;
}

/** Metres of the first search for the nearest; each next one is four times as wide. */
const FIRST_M = 64;
/** Features read together while looking for the nearest. */
const BATCH = 24;

/** The nearest feature of a file within so many metres, the first in the file among equals, or null. Reads only what may be it. */
export async function nearestInFile(
  file: FlatGeobufFile,
  probe: Probe,
  withinM: number,
  search: FileSearch,
  signal: AbortSignal,
): Promise<FoundInFile | null> {
  const seen = new Set<number>();
  let best: FoundInFile | null = null;
  for (let reachM = Math.min(FIRST_M, withinM); ; reachM = Math.min(reachM * 4, withinM)) {
    const leaves = (await file.search(probe.windows(reachM), signal)).filter(({ offset }) => !seen.has(offset));
    const order = leaves.map((leaf) => ({ leaf, gapM: boxGapM(probe.box, leaf.box, withinM) }));
    order.sort((a, b) => a.gapM - b.gapM || a.leaf.offset - b.leaf.offset);
    for (let i = 0; i < order.length; i += BATCH) {
      if (order[i].gapM > (best?.distanceM ?? withinM)) break;
      const batch = order.slice(i, i + BATCH).map(({ leaf }) => leaf);
      for (const { offset } of batch) seen.add(offset);
      best = await nearestOf(file, batch, probe, best, { ...search, withinM }, signal);
    }
    if (reachM >= withinM || (best !== null && best.distanceM <= reachM)) return best;
  }
}

async function nearestOf(
  file: FlatGeobufFile,
  leaves: readonly Leaf[],
  probe: Probe,
  before: FoundInFile | null,
  search: FileSearch & { readonly withinM: number },
  signal: AbortSignal,
): Promise<FoundInFile | null> {
  let best = before;
  await measureAll(file, leaves, probe, search, signal, (distanceM, values, { offset }) => {
    const isNearer =
      best === null || distanceM < best.distanceM || (distanceM === best.distanceM && offset < best.offset);
    if (isNearer) best = { distanceM, values: [...values], offset };
  });
  return best;
}

/** Calls `visit` with every feature of a file within so many metres; `values` is used again for the next one. */
export async function visitWithin(
  file: FlatGeobufFile,
  probe: Probe,
  withinM: number,
  search: FileSearch,
  signal: AbortSignal,
  visit: (distanceM: number, values: Values, leaf: Leaf) => void,
): Promise<void> {
  const leaves = await file.search(probe.windows(withinM), signal);
  await measureAll(file, leaves, probe, { ...search, withinM }, signal, visit);
}

async function measureAll(
  file: FlatGeobufFile,
  leaves: readonly Leaf[],
  probe: Probe,
  { columns, accept, withinM }: FileSearch & { readonly withinM: number },
  signal: AbortSignal,
  visit: (distanceM: number, values: Values, leaf: Leaf) => void,
): Promise<void> {
  const { columns: all, geometryType } = file.header;
  const plan = planColumns(all, columns);
  const values: Values = columns.map(() => null);
  const builder = new FeatureBuilder(4);
  // A point is measured sooner than its values are read.
  const isMeasuredFirst = geometryType === GEOMETRY.point;
  await file.read(leaves, signal, (view, at, index) => {
    builder.clear();
    if (isMeasuredFirst) {
      if (!decodeGeometry(view, at, geometryType, builder)) return;
      const distanceM = probe.distanceM(builder, 0, withinM);
      if (distanceM > withinM) return;
      decodeValues(view, at, all, plan, values);
      if (accept === undefined || accept(values)) visit(distanceM, values, leaves[index]);
      return;
    }
    decodeValues(view, at, all, plan, values);
    if (accept !== undefined && !accept(values)) return;
    if (!decodeGeometry(view, at, geometryType, builder)) return;
    const distanceM = probe.distanceM(builder, 0, withinM);
    if (distanceM <= withinM) visit(distanceM, values, leaves[index]);
  });
}
