import type { Finding } from '../evidence/evidence.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { notRequested } from '../evidence/unknown.ts';
import type { CheckContext } from './check-context.ts';
import { checkNearest } from './nearest.ts';
import type { MaybePromise } from '../../maybe-promise.ts';

/** Sea, a lake or a river nearby. Only on request, never scored. */
export function checkWater(context: CheckContext): MaybePromise<Finding> {
  const { shape, sources, options } = context;
  if (!options.checkWater) return notRequested('water_access');
  const withinM = THRESHOLDS.waterM;
  return checkNearest(context, {
    indicator: 'water_access',
    withinM,
    thing: 'water',
    lookedFor: 'sea, lake or large river',
    call: (signal) => sources.nearestWater(shape, withinM, signal),
  });
}
