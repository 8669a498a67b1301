import type { CheckContext, QueryResult, Unknown } from '../query.ts';
import { COMMODITY_RULES } from '../commodity/commodities.ts';
import type { Finding } from '../evidence/evidence.ts';
import { metres } from '../evidence/in-words.ts';
import type { CommodityShare } from '../sources.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import type { CountryFinding } from './country.ts';
import type { LatitudeFinding } from './latitude.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

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
  const { shape, sources, options, query } = context;
  const { commodity, commodityRadiusM } = options;
  if (commodity === null) {
    return whenReady(
      query('commodity_presence', (signal) => sources.plantationShare(shape, commodityRadiusM, signal)),
      (result) =>
        result.dataset === null ? noMask(result) : measured(result.value, 'Plantation forest', context, result, noMask),
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
  return whenReady(
    query('commodity_presence', (signal) => sources.commodityShare(commodity, shape, commodityRadiusM, signal)),
    (result) => {
      return result.dataset === null
        ? notMeasured(label, country, result)
        : measured(result.value, label, context, result, (unknown) => notMeasured(label, country, unknown));
    },
  );
}

/** Without a mask nothing supports presence: an unknown commodity has no tables. */
function noMask(unknown: Unknown): CommodityFinding {
  return { ...unknownFinding('commodity_presence', unknown), failed: false };
}

/** An outage leaves what the tables say, as a place without a detector does: it may not cost more than having none. */
function notMeasured(label: string, country: CountryFinding, { cause, reason }: Unknown): CommodityFinding {
  const isAllowed = country.status !== 'unknown';
  const why =
    cause === 'failed'
      ? `could not be measured: ${reason}.`
      : 'was not measured: no detector or map covers this place.';
  const tables = isAllowed
    ? 'Country and latitude allow it, so it counts half.'
    : 'The country is not known either, so it counts nothing.';
  return {
    indicator: 'commodity_presence',
    status: 'unknown',
    value: isAllowed ? ALLOWED_BUT_NOT_SEEN : 0,
    dataset: null,
    detail: `${label} ${why} ${tables}`,
    cause,
    failed: false,
  };
}

/**
 * What a measured share says. Found: presence by the share, of ground that is known in part by what was found on it at
 * least. Not found, or not distinguishable from a detector's false claims: absent where nearly all of the ground is known and
 * full presence is out of the question, else unknown.
 */
function measured(
  { share, between: [lowest, highest] = [share, share], covered = 1, detail }: CommodityShare,
  label: string,
  { options }: CheckContext,
  { dataset }: QueryResult<CommodityShare>,
  unknown: (unknown: Unknown) => CommodityFinding,
): CommodityFinding {
  if (![share, lowest, highest, covered].every((part) => part >= 0 && part <= 1))
    return unknown({ dataset: null, cause: 'failed', reason: `wanted a share from 0 to 1, got ${share}` });
  const { leastCoveredShare, fullPresenceShare } = THRESHOLDS;
  const within = metres(options.commodityRadiusM);
  const isWhole = covered >= leastCoveredShare;
  const known = { indicator: 'commodity_presence', dataset } as const;
  if (lowest > 0) {
    const [least, ground] = isWhole ? [share, 'the area'] : [share * covered, 'all of the area'];
    const words = `${label} on ${isWhole ? '' : 'at least '}${percent(least)} of ${ground} within ${within}.`;
    const open = isWhole || least >= fullPresenceShare ? {} : { upTo: 1 };
    return {
      ...known,
      status: 'present',
      value: presence(least),
      ...open,
      detail: `${words} ${detail}`,
      failed: false,
    };
  }
  if (isWhole && highest < fullPresenceShare) {
    const most = highest > 0 ? ` It may be on up to ${percent(highest)}.` : '';
    const words = `${label} was not found within ${within}.${most}`;
    return { ...known, status: 'absent', value: 0, detail: `${words} ${detail}`, failed: true };
  }
  const why = isWhole
    ? 'too little was looked at to distinguish it from none'
    : `only ${percent(covered)} of the area within ${within} is known`;
  const { value, failed } = unknown({ dataset: null, cause: 'not_covered', reason: '' });
  const counts =
    value > 0 ? 'Country and latitude allow it, so it counts half.' : 'Nothing else supports it, so it counts nothing.';
  return {
    ...known,
    status: 'unknown',
    value,
    cause: 'not_covered',
    detail: `${label} was not found, but ${why}: neither present nor absent. ${counts} ${detail}`,
    failed,
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
