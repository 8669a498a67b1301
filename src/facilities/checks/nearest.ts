import type { Finding, Indicator } from '../evidence/evidence.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { notRequested, unknownFinding } from '../evidence/unknown.ts';
import type { CheckContext, QueryResult } from '../query.ts';
import { type MaybePromise, whenReady } from '../../maybe-promise.ts';
import { kindWord, sentence, type SENTENCES } from '../evidence/sentences.ts';
import type { Said } from '../../messages/said.ts';
import type { Nearby } from '../sources.ts';

/** A motor road or track nearby. Switched off by the caller it is not looked for and costs nothing. */
export function checkRoad(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, ROAD);
}

/** Sea, a lake or a river nearby. Only on request, never scored. */
export function checkWater(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, WATER);
}

/** A sea port nearby. Only on request, never scored. */
export function checkPort(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, PORT);
}

/** The plan of a check that looks for the nearest thing of a kind. */
interface NearestPlan {
  readonly indicator: Indicator;
  /** Where the caller says whether it is looked for, and where it is. */
  readonly option: 'checkRoad' | 'checkWater' | 'checkPort';
  readonly source: 'nearestRoad' | 'nearestWater' | 'nearestPort';
  /** Metres. */
  readonly withinM: number;
  /** What is said when there is none. */
  readonly none: Said;
  /** What is said of the nearest. */
  readonly nearest: keyof typeof SENTENCES;
}

const ROAD: NearestPlan = {
  indicator: 'road_access',
  option: 'checkRoad',
  source: 'nearestRoad',
  withinM: THRESHOLDS.roadM,
  none: sentence('no_road', { within_m: THRESHOLDS.roadM }),
  nearest: 'nearest_road',
};

const WATER: NearestPlan = {
  indicator: 'water_access',
  option: 'checkWater',
  source: 'nearestWater',
  withinM: THRESHOLDS.waterM,
  none: sentence('no_water', { within_m: THRESHOLDS.waterM }),
  nearest: 'nearest_water',
};

const PORT: NearestPlan = {
  indicator: 'port_proximity',
  option: 'checkPort',
  source: 'nearestPort',
  withinM: THRESHOLDS.portM,
  none: sentence('no_port', { within_m: THRESHOLDS.portM }),
  nearest: 'nearest_port',
};

/** 1 when the nearest thing lies within the plan's distance, 0 when there is none. */
function checkNearest({ shape, options, sources, query }: CheckContext, plan: NearestPlan): MaybePromise<Finding> {
  if (!options[plan.option]) return notRequested(plan.indicator);
  const result = query(plan.indicator, (signal) => sources[plan.source](shape, plan.withinM, signal));
  return whenReady(result, (found) => evaluate(found, plan));
}

function evaluate(
  result: QueryResult<Nearby | null>,
  { indicator, withinM, none, nearest: found }: NearestPlan,
): Finding {
  if (result.dataset === null) return unknownFinding(indicator, result);
  const { dataset, value: nearest } = result;
  if (nearest === null || nearest.distanceM > withinM) {
    return { indicator, status: 'absent', value: 0, dataset, detail: none };
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
