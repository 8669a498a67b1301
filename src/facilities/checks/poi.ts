import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding } from '../evidence/evidence.ts';
import { kindWord, sentence } from '../evidence/sentences.ts';
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
  if (!(value.count > 0)) return { indicator, status: 'absent', value: 0, dataset, detail: NO_BUSINESS };
  const found = { within_m: THRESHOLDS.businessM, count: value.count };
  if (value.nearest === null)
    return { indicator, status: 'present', value: 1, dataset, detail: sentence('businesses', found) };
  const { distanceM, kind, name } = value.nearest;
  const params = { ...found, kind: kindWord(kind), distance_m: distanceM };
  const detail =
    name === null ? sentence('businesses_nearest', params) : sentence('businesses_nearest_named', { ...params, name });
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

const NO_BUSINESS = sentence('no_business', { within_m: THRESHOLDS.businessM });
