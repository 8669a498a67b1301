import { NO_REASON, type CheckContext, type QueryResult, type Unknown } from '../query.ts';
import type { Finding } from '../evidence/evidence.ts';
import { commodityWord, sentence } from '../evidence/sentences.ts';
import { lowerFirst } from '../../messages/in-words.ts';
import { word, type Params, type Said } from '../../messages/said.ts';
import { textIn } from '../../messages/recognised/codes-of.ts';
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
        result.dataset === null
          ? noMask(result)
          : measured(result.value, commodityWord(null, true), context, result, noMask),
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
      detail: sentence('ruled_out', { detail: { ...detail, message: lowerFirst(detail.message) } }),
      failed: true,
    };
  }
  const label = commodityWord(commodity, true);
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
function notMeasured(label: Said, country: CountryFinding, { cause, reason }: Unknown): CommodityFinding {
  const isAllowed = country.status !== 'unknown';
  const params = { commodity: label, counts: isAllowed ? 'half' : 'nothing' };
  return {
    indicator: 'commodity_presence',
    status: 'unknown',
    value: isAllowed ? ALLOWED_BUT_NOT_SEEN : 0,
    dataset: null,
    detail:
      cause === 'failed'
        ? sentence('commodity_failed', { ...params, reason })
        : sentence('commodity_not_measured', params),
    cause,
    failed: false,
  };
}

/** How it was measured, in sentences of its own where these are known. */
function methodOf(detail: string): Said {
  const text = textIn(detail);
  return text === null
    ? word('method.other', detail)
    : { code: 'method.said', params: { notes_text: text }, message: detail };
}

/**
 * What a measured share says. Found: presence by the share, of ground that is known in part by what was found on it at
 * least. Not found, or not distinguishable from a detector's false claims: absent where nearly all of the ground is known and
 * full presence is out of the question, else unknown.
 */
function measured(
  { share, between: [lowest, highest] = [share, share], covered = 1, detail, said = methodOf(detail) }: CommodityShare,
  label: Said,
  { options }: CheckContext,
  { dataset }: QueryResult<CommodityShare>,
  unknown: (unknown: Unknown) => CommodityFinding,
): CommodityFinding {
  if (![share, lowest, highest, covered].every((part) => part >= 0 && part <= 1))
    return unknown({
      dataset: null,
      cause: 'failed',
      reason: word('reason.source_failed', `wanted a share from 0 to 1, got ${share}`),
    });
  const { leastCoveredShare, fullPresenceShare } = THRESHOLDS;
  const params: Params = { commodity: label, within_m: options.commodityRadiusM, method: said };
  const isWhole = covered >= leastCoveredShare;
  const known = { indicator: 'commodity_presence', dataset } as const;
  if (lowest > 0) {
    const least = isWhole ? share : share * covered;
    const open = isWhole || least >= fullPresenceShare ? {} : { upTo: 1 };
    return {
      ...known,
      status: 'present',
      value: presence(least),
      ...open,
      detail: sentence(isWhole ? 'commodity_found' : 'commodity_found_at_least', { ...params, least_share: least }),
      failed: false,
    };
  }
  if (isWhole && highest < fullPresenceShare) {
    const absent =
      highest > 0
        ? sentence('commodity_absent_up_to', { ...params, highest_share: highest })
        : sentence('commodity_absent', params);
    return { ...known, status: 'absent', value: 0, detail: absent, failed: true };
  }
  const { value, failed } = unknown({ dataset: null, cause: 'not_covered', reason: NO_REASON });
  const open = { why: isWhole ? 'few' : 'part', covered_share: covered, counts: value > 0 ? 'half' : 'nothing' };
  return {
    ...known,
    status: 'unknown',
    value,
    cause: 'not_covered',
    detail: sentence('commodity_undecided', { ...params, ...open }),
    failed,
  };
}

/** 0 for nothing, 1 from the full-presence share on, in between its part in whole hundredths that is never 0 or 1. */
function presence(share: number): number {
  if (share === 0 || share >= THRESHOLDS.fullPresenceShare) return share === 0 ? 0 : 1;
  return Math.min(99, Math.max(1, Math.round((share / THRESHOLDS.fullPresenceShare) * 100))) / 100;
}
