import type { Finding, Indicator } from '../evidence/evidence.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { notRequested, unknownFinding } from '../evidence/unknown.ts';
import type { CheckContext, QueryResult } from '../query.ts';
import { type MaybePromise, whenReady } from '../../maybe-promise.ts';
import { metres } from '../evidence/in-words.ts';
import type { Nearby } from '../sources.ts';

/** A motor road or track nearby. Switched off by the caller it is not looked for and costs nothing. */
export function checkRoad(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, 'checkRoad', 'nearestRoad', {
    indicator: 'road_access',
    withinM: THRESHOLDS.roadM,
    thing: 'road',
  });
}

/** Sea, a lake or a river nearby. Only on request, never scored. */
export function checkWater(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, 'checkWater', 'nearestWater', {
    indicator: 'water_access',
    withinM: THRESHOLDS.waterM,
    thing: 'water',
    lookedFor: 'sea, lake or large river',
  });
}

/** A sea port nearby. Only on request, never scored. */
export function checkPort(context: CheckContext): MaybePromise<Finding> {
  return checkNearest(context, 'checkPort', 'nearestPort', {
    indicator: 'port_proximity',
    withinM: THRESHOLDS.portM,
    thing: 'port',
  });
}

/** The plan of a check that looks for the nearest thing of a kind. */
interface NearestPlan {
  readonly indicator: Indicator;
  /** Metres. */
  readonly withinM: number;
  /** The thing in the singular, as `road`. */
  readonly thing: string;
  /** What the datasets hold, where that is less than the word says; default `thing`. */
  readonly lookedFor?: string;
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
  { indicator, withinM, thing, lookedFor = thing }: NearestPlan,
): Finding {
  if (result.dataset === null) return unknownFinding(indicator, result);
  const { dataset, value: nearest } = result;
  if (nearest === null || nearest.distanceM > withinM) {
    return { indicator, status: 'absent', value: 0, dataset, detail: `No ${lookedFor} within ${metres(withinM)}.` };
  }
  const { kind, name, distanceM } = nearest;
  const detail = `Nearest ${thing}: ${kind}${name === null ? '' : ` (${name})`}, ${metres(distanceM)} away.`;
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
