import type { Finding } from '../evidence/evidence.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { notRequested } from '../evidence/unknown.ts';
import type { CheckContext } from './check-context.ts';
import { checkNearest } from './nearest.ts';
import type { MaybePromise } from '../../maybe-promise.ts';

/** A sea port nearby. Only on request, never scored. */
export function checkPort(context: CheckContext): MaybePromise<Finding> {
  const { shape, sources, options } = context;
  if (!options.checkPort) return notRequested('port_proximity');
  const withinM = THRESHOLDS.portM;
  return checkNearest(context, {
    indicator: 'port_proximity',
    withinM,
    thing: 'port',
    call: (signal) => sources.nearestPort(shape, withinM, signal),
  });
}
