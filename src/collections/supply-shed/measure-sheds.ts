import { setImmediate } from 'node:timers/promises';
import type { CollectionReader } from '../collection.ts';
import { selectFeatures, type Selection } from '../fetch/select-features.ts';
import { foldTotals, shareReader, type Share, type TotalsFold } from '../fetch/totals.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { PlotRecord } from '../plot-record.ts';
import { indexSheds, type ShedHit } from './index-sheds.ts';
import type { Shed } from './shed.ts';
import { shedPlotView } from './shed-plot-view.ts';

/** A shed and what was found in it. */
export interface MeasuredShed {
  readonly shed: Shed;
  readonly totals: TotalsFold;
  readonly distances: Distances;
}

interface Distances {
  nearestM: number;
  farthestM: number;
}

/** What all sheds together hold. */
export interface MeasuredPlots {
  /** Each plot of any shed once. */
  readonly totals: TotalsFold;
  /** Plots that were looked at. */
  readonly looked: number;
  /** Plots without a usable place, which no shed can hold. */
  readonly withoutPlace: number;
}

/** Additions between two rests. */
const AT_A_TIME = 1_000;
const shareOf = shareReader(shedPlotView.totals);

/** A shed with nothing in it yet. */
export function emptyShed(shed: Shed): MeasuredShed {
  return { shed, totals: foldTotals(shedPlotView.totals), distances: { nearestM: Infinity, farthestM: 0 } };
}

/**
 * Adds every plot of a selection to the sheds it lies in: all of it to each, by a point inside the plot. Reads the plots
 * once, one at a time; memory grows with the sheds alone.
 */
export async function measureSheds(
  reader: Pick<CollectionReader, 'records'>,
  sheds: readonly MeasuredShed[],
  plots: Selection,
  signal: AbortSignal,
): Promise<MeasuredPlots> {
  const byShed = new Map(sheds.map((measured) => [measured.shed, measured]));
  const find = indexSheds(sheds.map(({ shed }) => shed));
  const totals = foldTotals(shedPlotView.totals);
  let [looked, withoutPlace] = [0, 0];
  let hits: readonly ShedHit<Shed>[] = [];
  const isInside = (record: PlotRecord): boolean => {
    if (plots.wants?.(record) === false) return false;
    looked++;
    const at = placeOf(record);
    if (at === null) withoutPlace++;
    hits = at === null ? [] : find(at);
    return hits.length > 0;
  };
  let added = 0;
  for await (const { feature } of selectFeatures(reader, { ...plots, wants: isInside }, null, signal)) {
    const share = shareOf(feature.properties);
    totals.addShare(share);
    for (const { shed, distanceM } of hits) addTo(byShed.get(shed)!, share, distanceM);
    added += hits.length;
    // Others are waiting for this thread as well.
    if (added > AT_A_TIME) {
      added = 0;
      await setImmediate();
    }
  }
  return { totals, looked, withoutPlace };
}

function addTo({ totals, distances }: MeasuredShed, share: Share, distanceM: number): void {
  totals.addShare(share);
  distances.nearestM = Math.min(distances.nearestM, distanceM);
  distances.farthestM = Math.max(distances.farthestM, distanceM);
}

/** A point inside the plot, or null where its geometry cannot be used or is not known closely enough. */
export function placeOf({ feature, problem }: PlotRecord): LonLat | null {
  return problem !== null ? null : (toShape(feature.geometry).shape?.inside ?? null);
}
