import { setImmediate } from 'node:timers/promises';
import type { CollectionReader } from '../collection.ts';
import { countPlots, groundNumber, sharesBefore, type CountedGround } from '../counted-ground.ts';
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
 * Adds every plot of a selection to the sheds it lies in: all of it to each, by a point inside the plot, without what the
 * shed has counted of its ground before. Reads the plots once, one at a time; memory grows with the sheds and holds the
 * places of the plots of one collection that were compared with each other.
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
  const ground = groundInSheds(find);
  let added = 0;
  for await (const { at, record, feature } of selectFeatures(reader, { ...plots, wants: isInside }, null, signal)) {
    const share = shareOf(feature.properties);
    const counted = ground.add(plots.collections[at.collection]!.collection.id, record, share);
    totals.add(share, counted.inAny);
    for (const { shed, distanceM } of hits) addTo(byShed.get(shed)!, share, counted.in(shed), distanceM);
    added += hits.length;
    // Others are waiting for this thread as well.
    if (added > AT_A_TIME) {
      added = 0;
      await setImmediate();
    }
  }
  return { totals, looked, withoutPlace };
}

/** What was counted of the ground of a plot, in all sheds together and in each. */
interface GroundInSheds {
  readonly inAny: CountedGround;
  readonly in: (shed: Shed) => CountedGround;
}

/** Counts ground once in each shed: an earlier plot counts there when it lies in the same shed. */
function groundInSheds(find: ReturnType<typeof indexSheds<Shed>>) {
  let counted = countPlots();
  let current: string | null = null;
  const places = new Map<number, LonLat>();
  return {
    add(collectionId: string, record: PlotRecord, share: Share): GroundInSheds {
      if (collectionId !== current) {
        counted = countPlots();
        places.clear();
      }
      current = collectionId;
      const { earlier } = record;
      // Before the plot itself is counted: it may stand for the first plot with its ground.
      const others = new Map(
        (earlier?.pieces ?? []).flatMap(([, ...plots]) =>
          plots.map((plot) => [plot, { known: counted.knownOf(plot), sheds: shedsAt(places.get(plot)) }] as const),
        ),
      );
      const inAny = counted.add(collectionId, record, share.known);
      const at = placeOf(record);
      if (at !== null && earlier !== undefined) places.set(groundNumber(record), at);
      if (earlier === undefined || inAny.before === null) return { inAny, in: () => inAny };
      const knownIn = (shed: Shed) => (plot: number) => {
        const other = others.get(plot);
        return other?.sheds.has(shed) === true ? other.known : 0;
      };
      return { inAny, in: (shed) => ({ ...inAny, before: sharesBefore(earlier.pieces, knownIn(shed)) }) };
    },
  };

  function shedsAt(at: LonLat | undefined): ReadonlySet<Shed> {
    return new Set(at === undefined ? [] : find(at).map(({ shed }) => shed));
  }
}

function addTo({ totals, distances }: MeasuredShed, share: Share, ground: CountedGround, distanceM: number): void {
  totals.add(share, ground);
  distances.nearestM = Math.min(distances.nearestM, distanceM);
  distances.farthestM = Math.max(distances.farthestM, distanceM);
}

/** A point inside the plot, or null where its geometry cannot be used or is not known closely enough. */
export function placeOf({ feature, problem }: PlotRecord): LonLat | null {
  return problem !== null ? null : (toShape(feature.geometry).shape?.inside ?? null);
}
