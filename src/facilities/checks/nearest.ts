import type { QueryResult } from '../query.ts';
import type { Finding, Indicator } from '../evidence/evidence.ts';
import { metres } from '../metres.ts';
import type { MaybeAnswer, Nearby } from '../sources.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import type { CheckContext } from './check-context.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

/** The plan of a check that looks for the nearest thing of a kind. */
interface NearestPlan {
  readonly indicator: Indicator;
  /** Metres. */
  readonly withinM: number;
  /** The thing in the singular, as `road`. */
  readonly thing: string;
  /** What the datasets hold, where that is less than the word says; default `thing`. */
  readonly lookedFor?: string;
  readonly call: (signal: AbortSignal) => MaybeAnswer<Nearby | null>;
}

/** 1 when the nearest thing lies within the plan's distance, 0 when there is none. */
export function checkNearest({ query }: CheckContext, plan: NearestPlan): MaybePromise<Finding> {
  return whenReady(query(plan.indicator, plan.call), (result) => evaluate(result, plan));
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
