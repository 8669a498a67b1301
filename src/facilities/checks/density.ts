import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding } from '../evidence/evidence.ts';
import type { Density } from '../sources.ts';
import { word } from '../../messages/said.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

/** Whether the facility lies in a dense urban area, where a first-mile aggregation point is less likely. */
export function checkDensity({ shape, sources, query }: CheckContext): MaybePromise<Finding> {
  return whenReady(
    query('high_density', (signal) => sources.density(shape, signal)),
    evaluate,
  );
}

function evaluate(result: QueryResult<Density>): Finding {
  const indicator = 'high_density';
  if (result.dataset === null) return unknownFinding(indicator, result);
  const { dataset, value } = result;
  const distance = value.distanceM === undefined ? {} : { distanceM: Math.round(value.distanceM) };
  return {
    indicator,
    status: value.dense ? 'present' : 'absent',
    value: value.dense ? 1 : 0,
    dataset,
    ...distance,
    detail: value.said ?? word(value.dense ? 'dense_ground' : 'no_dense_ground', value.detail),
  };
}
