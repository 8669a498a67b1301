import { whenAsked, type Asked, type MaybePromise } from '../ask.ts';
import type { Finding } from '../evidence/evidence.ts';
import type { Density } from '../sources.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import type { CheckContext } from './check-context.ts';

/** Whether the facility lies in a dense urban area, where a first-mile aggregation point is less likely. */
export function checkDensity({ shape, sources, ask }: CheckContext): MaybePromise<Finding> {
  return whenAsked(
    ask('high_density', (signal) => sources.density(shape, signal)),
    judge,
  );
}

function judge(asked: Asked<Density>): Finding {
  const indicator = 'high_density';
  if (asked.dataset === null) return unknownFinding(indicator, asked);
  const { dataset, value } = asked;
  const distance = value.distanceM === undefined ? {} : { distanceM: Math.round(value.distanceM) };
  return {
    indicator,
    status: value.dense ? 'present' : 'absent',
    value: value.dense ? 1 : 0,
    dataset,
    ...distance,
    detail: value.detail,
  };
}
