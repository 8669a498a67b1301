import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding } from '../evidence/evidence.ts';
import { metres } from '../evidence/in-words.ts';
import type { BusinessesNearby } from '../sources.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

/** Businesses of the trade nearby: 1 when there is one. */
export function checkPoi({ shape, sources, options, query }: CheckContext): MaybePromise<Finding> {
  const result = query('poi_presence', (signal) =>
    sources.businesses(options.commodity, shape, THRESHOLDS.businessM, signal),
  );
  return whenReady(result, evaluate);
}

function evaluate(result: QueryResult<BusinessesNearby>): Finding {
  const indicator = 'poi_presence';
  if (result.dataset === null) return unknownFinding(indicator, result);
  const { dataset, value } = result;
  const within = metres(THRESHOLDS.businessM);
  if (!(value.count > 0))
    return { indicator, status: 'absent', value: 0, dataset, detail: `No relevant business within ${within}.` };
  const found = `${value.count} relevant ${value.count === 1 ? 'business' : 'businesses'} within ${within}`;
  if (value.nearest === null) return { indicator, status: 'present', value: 1, dataset, detail: `${found}.` };
  const { distanceM, kind, name } = value.nearest;
  const detail = `${found}; the nearest is ${name === null ? `a ${kind}` : `${name} (${kind})`}, ${metres(distanceM)} away.`;
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
