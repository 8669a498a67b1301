import type { Finding, Indicator } from '../evidence/evidence.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { notRequested, unknownFinding } from '../evidence/unknown.ts';
import type { CheckContext, QueryResult } from '../query.ts';
import { type MaybePromise, whenReady } from '../../maybe-promise.ts';
import { kindWord, sentence, type SENTENCES } from '../evidence/sentences.ts';
import type { Nearby } from '../sources.ts';

/** A motor road or track nearby. Switched off by the caller it is not looked for and costs nothing. */
export function checkRoad(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, 'checkRoad', 'nearestRoad', {
    indicator: 'road_access',
    withinM: THRESHOLDS.roadM,
    none: 'no_road',
    nearest: 'nearest_road',
  });
}

/** Sea, a lake or a river nearby. Only on request, never scored. */
export function checkWater(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, 'checkWater', 'nearestWater', {
    indicator: 'water_access',
    withinM: THRESHOLDS.waterM,
    none: 'no_water',
    nearest: 'nearest_water',
  });
}

/** A sea port nearby. Only on request, never scored. */
export function checkPort(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, 'checkPort', 'nearestPort', {
    indicator: 'port_proximity',
    withinM: THRESHOLDS.portM,
    none: 'no_port',
    nearest: 'nearest_port',
  });
}

/** The plan of a check that looks for the nearest thing of a kind. */
interface NearestPlan {
  readonly indicator: Indicator;
  /** Metres. */
  readonly withinM: number;
  /** What is said when there is none, and of the nearest. */
  readonly none: keyof typeof SENTENCES;
  readonly nearest: keyof typeof SENTENCES;
}

/** 1 when the nearest thing lies within the plan's distance, 0 when there is none. */
function checkNearest(
  { shape, options, sources, query }: CheckContext,
  option: 'checkRoad' | 'checkWater' | 'checkPort',
  source: 'nearestRoad' | 'nearestWater' | 'nearestPort',
  plan: NearestPlan,
): MaybePromise<Finding> {
  if (!options[option]) return notRequested(plan.indicator);
  const result = query(plan.indicator, (signal) => sources[source](shape, plan.withinM, signal));
  return whenReady(result, (found) => evaluate(found, plan));
}

function evaluate(
  result: QueryResult<Nearby | null>,
  { indicator, withinM, none, nearest: found }: NearestPlan,
): Finding {
  if (result.dataset === null) return unknownFinding(indicator, result);
  const { dataset, value: nearest } = result;
  if (nearest === null || nearest.distanceM > withinM) {
    return { indicator, status: 'absent', value: 0, dataset, detail: sentence(none, { within_m: withinM }) };
  }
  const { kind, name, distanceM } = nearest;
  const detail = sentence(found, { kind: kindWord(kind), name: name ?? 'none', distance_m: distanceM });
  return {
    indicator,
    status: 'present',
    value: 1,
    dataset,
    distanceM: Math.round(distanceM),
    ...(name === null ? {} : { name }),
    detail,
  };
}
