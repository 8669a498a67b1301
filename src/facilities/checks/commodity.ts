import { whenAsked, type Asked, type MaybePromise } from '../ask.ts';
import { COMMODITY_RULES } from '../commodities.ts';
import type { Finding } from '../evidence.ts';
import { metres } from '../metres.ts';
import type { CommodityShare } from '../sources.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { unknownFinding } from '../unknown.ts';
import type { CheckContext } from './check-context.ts';
import type { CountryFinding } from './country.ts';
import type { LatitudeFinding } from './latitude.ts';

export interface CommodityFinding extends Finding {
  /** Country, latitude or local presence failed: the level is low whatever the score. */
  readonly failed: boolean;
}

/** What presence is worth when country and latitude allow the commodity and no local dataset contradicts: half. */
const ALLOWED_BUT_NOT_SEEN = 0.5;

/**
 * Presence of the commodity: 0 where country or latitude rule it out, else the share measured inside the radius against
 * the full-presence share. A commodity outside the seven is measured by the generic plantation mask alone.
 */
export function checkCommodity(
  context: CheckContext,
  country: CountryFinding,
  latitude: LatitudeFinding,
): MaybePromise<CommodityFinding> {
  const { shape, sources, options, ask } = context;
  const { commodity, commodityRadiusM } = options;
  if (commodity === null) {
    return whenAsked(
      ask('commodity_presence', (signal) => sources.plantationShare(shape, commodityRadiusM, signal)),
      (asked) =>
        asked.dataset === null
          ? { ...unknownFinding('commodity_presence', asked), failed: false }
          : measured(asked.value, 'Plantation forest', context, asked),
    );
  }
  const ruledOut = [country, latitude].find((finding) => finding.status === 'absent');
  if (ruledOut !== undefined) {
    const { dataset, detail } = ruledOut;
    return {
      indicator: 'commodity_presence',
      status: 'absent',
      value: 0,
      dataset,
      detail: `Ruled out: ${lowerFirst(detail)}`,
      failed: true,
    };
  }
  const label = upperFirst(COMMODITY_RULES[commodity].label);
  return whenAsked(
    ask('commodity_presence', (signal) => sources.commodityShare(commodity, shape, commodityRadiusM, signal)),
    (asked) => {
      if (asked.dataset !== null) return measured(asked.value, label, context, asked);
      return asked.cause === 'not_covered'
        ? notMeasured(label, country)
        : { ...unknownFinding('commodity_presence', asked), failed: false };
    },
  );
}

function notMeasured(label: string, country: CountryFinding): CommodityFinding {
  const indicator = 'commodity_presence';
  const cause = 'not_covered';
  if (country.status === 'unknown') {
    const detail = `${label} was not assessed: neither a country nor a local dataset is known for this place.`;
    return { indicator, status: 'unknown', value: 0, dataset: null, detail, cause, failed: false };
  }
  const detail = `${label} was not measured: no detector or map covers this place. Country and latitude allow it, so it counts half.`;
  return { indicator, status: 'unknown', value: ALLOWED_BUT_NOT_SEEN, dataset: null, detail, cause, failed: false };
}

function measured(
  { share, detail }: CommodityShare,
  label: string,
  { options }: CheckContext,
  { dataset }: Asked<CommodityShare>,
): CommodityFinding {
  const indicator = 'commodity_presence';
  if (!(share >= 0 && share <= 1)) {
    return {
      ...unknownFinding(indicator, {
        dataset: null,
        cause: 'failed',
        reason: `wanted a share from 0 to 1, got ${share}`,
      }),
      failed: false,
    };
  }
  const value = presence(share);
  const within = metres(options.commodityRadiusM);
  const found =
    value === 0
      ? `${label} was not found within ${within}.`
      : `${label} on ${percent(share)} of the area within ${within}.`;
  return {
    indicator,
    status: value === 0 ? 'absent' : 'present',
    value,
    dataset,
    detail: `${found} ${detail}`,
    failed: value === 0,
  };
}

/** 0 for nothing, 1 from the full-presence share on, in between its part in whole hundredths that is never 0 or 1. */
function presence(share: number): number {
  if (share === 0 || share >= THRESHOLDS.fullPresenceShare) return share === 0 ? 0 : 1;
  return Math.min(99, Math.max(1, Math.round((share / THRESHOLDS.fullPresenceShare) * 100))) / 100;
}

function percent(share: number): string {
  const hundred = share * 100;
  if (hundred < 0.1) return 'less than 0.1 %';
  return hundred < 10 ? `${hundred.toFixed(1)} %` : `${Math.round(hundred)} %`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
