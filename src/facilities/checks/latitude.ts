import { COMMODITY_RULES, latitudeFit, type CommodityRules, type LatitudeFit } from '../commodity/commodities.ts';
import type { Finding } from '../evidence/evidence.ts';
import type { CheckContext } from '../query.ts';

export interface LatitudeFinding extends Finding {
  readonly fit: LatitudeFit;
}

/** Whether the commodity can grow at the facility's latitude. Absent only beyond the unlikely line. */
export function checkLatitude({ shape, options }: CheckContext): LatitudeFinding {
  const indicator = 'latitude';
  const { commodity } = options;
  const rules: CommodityRules | null = commodity === null ? null : COMMODITY_RULES[commodity];
  if (commodity === null || rules === null || rules.latitude === null) {
    return { indicator, status: 'present', value: 1, dataset: null, detail: UNLIMITED, fit: 'optimal' };
  }
  const latitude = shape.inside[1];
  const fit = latitudeFit(commodity, latitude);
  const place = `${Math.abs(latitude).toFixed(2)} degrees ${latitude < 0 ? 'south' : 'north'}`;
  const detail = `${place} is ${FIT_WORDS[fit]} for ${rules.label}.`;
  return {
    indicator,
    status: fit === 'beyond' ? 'absent' : 'present',
    value: fit === 'beyond' ? 0 : 1,
    dataset: null,
    detail,
    fit,
  };
}

const UNLIMITED = 'No latitude limits apply to this commodity.';

const FIT_WORDS: Readonly<Record<LatitudeFit, string>> = {
  optimal: 'in the optimal band',
  viable: 'in the viable band',
  marginal: 'outside the viable band, though not impossible',
  beyond: 'beyond the latitudes possible',
};
