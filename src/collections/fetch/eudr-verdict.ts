import type { DeforestationCheck } from '../statistics/deforestation.ts';

export const EUDR_STATUSES = [
  'no_deforestation_found',
  'more_information_needed',
  'deforestation_found',
  'unknown',
  'not_a_plot',
] as const;
export const RISK_LEVELS = ['low', 'medium', 'high', 'unknown'] as const;

/** What a check means for due diligence. Says what was found, not what the law makes of it. */
export interface EudrVerdict {
  readonly eudr_status: (typeof EUDR_STATUSES)[number];
  /** Null for what is not a plot. */
  readonly risk_level: (typeof RISK_LEVELS)[number] | null;
  readonly eudr_comment: string;
}

/** A facility: nothing is grown there. */
export const NOT_A_PLOT: EudrVerdict = {
  eudr_status: 'not_a_plot',
  risk_level: null,
  eudr_comment: 'A facility is not checked for deforestation; its plots are.',
};

/**
 * A loss smaller than one pixel of 30 m (hectares) and than this share of its plot is more often the edge of a plot drawn along a
 * clearing than a clearing: somebody has to look. It is never cleared.
 */
const PIXEL_HA = 0.09;
const EDGE_SHARE = 0.05;

/** Hectares of one square metre: of less nothing is cleared. */
const LEAST_HA = 0.0001;

/** Unknown is never low: only a plot of `areaHa` hectares whose every part and year was looked at is cleared. */
export function eudrVerdict(check: DeforestationCheck, areaHa: number): EudrVerdict {
  const verdict = verdictOf(check, areaHa);
  return check.datasets.some(({ synthetic }) => synthetic)
    ? { ...verdict, eudr_comment: `${verdict.eudr_comment} From synthetic data that describes no real place.` }
    : verdict;
}

function verdictOf(check: DeforestationCheck, areaHa: number): EudrVerdict {
  const { status, reason, noncompliance_area_ha: area, agreement } = check;
  if (status === 'unknown' || area === null)
    return { eudr_status: 'unknown', risk_level: 'unknown', eudr_comment: `Not known. ${reason ?? ''}`.trim() };
  if (areaHa < LEAST_HA && area === 0)
    return {
      eudr_status: 'more_information_needed',
      risk_level: 'medium',
      eudr_comment: `The plot has ${areaHa.toFixed(6)} ha, which is no ground that anything could be found on: check its outline.`,
    };
  if (area > 0 && area < PIXEL_HA && area < areaHa * EDGE_SHARE)
    return {
      eudr_status: 'more_information_needed',
      risk_level: 'medium',
      eudr_comment: `${foundText(check, area)} That is less than one pixel of 30 m: look at the edge of the plot.`,
    };
  if (area > 0) return { eudr_status: 'deforestation_found', risk_level: 'high', eudr_comment: foundText(check, area) };
  if (agreement === 'disagree')
    return {
      eudr_status: 'more_information_needed',
      risk_level: 'medium',
      eudr_comment: `The first dataset found no loss in the forest of 2020-12-31, ${others(check)} did: look at the plot.`,
    };
  if (status === 'partial')
    return {
      eudr_status: 'more_information_needed',
      risk_level: 'medium',
      eudr_comment: `No deforestation after 2020-12-31 in what was looked at. ${reason ?? ''}`.trim(),
    };
  return { eudr_status: 'no_deforestation_found', risk_level: 'low', eudr_comment: clearText(check) };
}

function foundText(check: DeforestationCheck, area: number): string {
  const { baseline_forest_ha: forest, deforestation_start: start, deforestation_end: end } = check;
  const [from, to] = [start?.slice(0, 4), end?.slice(0, 4)];
  const when = from === undefined ? '' : from === to ? ` in ${from}` : ` from ${from} to ${to}`;
  const of = forest === null ? 'of the forest of 2020-12-31' : `of ${forest} ha of forest of 2020-12-31`;
  return [
    `${area} ha ${of} lost${when}.`,
    ...(check.agreement === 'disagree' ? ['Datasets of losses disagree.'] : []),
    ...(check.reason === null ? [] : [check.reason]),
  ].join(' ');
}

function clearText({ baseline_forest_ha: forest }: DeforestationCheck): string {
  if (forest === 0) return 'No forest on 2020-12-31, so none was lost.';
  if (forest === null) return 'No loss of trees after 2020-12-31.';
  return `${forest} ha of forest on 2020-12-31, none lost after it.`;
}

function others({ datasets }: DeforestationCheck): string {
  const found = datasets.filter((use) => use.role === 'loss-year' && (use.noncompliance_area_ha ?? 0) > 0);
  return found.map(({ dataset }) => dataset).join(' and ');
}
