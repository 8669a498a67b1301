import { whenAsked, type Asked, type MaybePromise } from '../ask.ts';
import type { Finding } from '../evidence/evidence.ts';
import { metres } from '../metres.ts';
import type { BusinessesNearby } from '../sources.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import type { CheckContext } from './check-context.ts';

/** Businesses of the trade nearby: 1 when there is one. */
export function checkPoi({ shape, sources, options, ask }: CheckContext): MaybePromise<Finding> {
  const asked = ask('poi_presence', (signal) =>
    sources.businesses(options.commodity, shape, THRESHOLDS.businessM, signal),
  );
  return whenAsked(asked, judge);
}

function judge(asked: Asked<BusinessesNearby>): Finding {
  const indicator = 'poi_presence';
  if (asked.dataset === null) return unknownFinding(indicator, asked);
  const { dataset, value } = asked;
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
