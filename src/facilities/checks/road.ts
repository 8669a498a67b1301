import type { Finding } from '../evidence/evidence.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { notRequested } from '../evidence/unknown.ts';
import type { CheckContext } from './check-context.ts';
import { checkNearest } from './nearest.ts';
import type { MaybePromise } from '../../maybe-promise.ts';

/** A motor road or track nearby. Switched off by the caller it is not looked for and costs nothing. */
export function checkRoad(context: CheckContext): MaybePromise<Finding> {
  const { shape, sources, options } = context;
  if (!options.checkRoad) return notRequested('road_access');
  const withinM = THRESHOLDS.roadM;
  return checkNearest(context, {
    indicator: 'road_access',
    withinM,
    thing: 'road',
    call: (signal) => sources.nearestRoad(shape, withinM, signal),
  });
}
