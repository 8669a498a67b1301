import { COMMODITY_RULES, latitudeFit, type CommodityRules, type LatitudeFit } from '../commodity/commodities.ts';
import type { Finding } from '../evidence/evidence.ts';
import type { CheckContext } from '../query.ts';
import { commodityWord, sentence } from '../evidence/sentences.ts';

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
  const side = latitude < 0 ? 'south' : 'north';
  const params = { latitude_degrees: Math.abs(latitude), side, fit, commodity: commodityWord(commodity) };
  return {
    indicator,
    status: fit === 'beyond' ? 'absent' : 'present',
    value: fit === 'beyond' ? 0 : 1,
    dataset: null,
    detail: sentence('latitude_fit', params),
    fit,
  };
}

const UNLIMITED = sentence('latitude_unlimited');
