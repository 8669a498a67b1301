import type { LocationsConfidence } from '../plot-record.ts';
import type { Finding, Rule } from './finding.ts';
import type { PlotFacts } from './plot-facts.ts';

/** What warnings of validation are in an export. */
const WARNING_RULES: Readonly<Record<string, Rule>> = {
  off_land: 'in-water',
  partly_in_water: 'partly-in-water',
  null_island: 'null-island',
  coordinates_swapped: 'coordinates-swapped',
  country_mismatch: 'other-country',
  disputed_territory: 'disputed-territory',
  near_border: 'near-border',
  country_not_producing: 'not-a-producing-country',
  latitude_beyond_limit: 'beyond-latitude',
  latitude_marginal: 'marginal-latitude',
  coordinate_precision: 'few-decimals',
  far_from_facility: 'far-from-facility',
  duplicate_geometry: 'duplicate',
  duplicate_id: 'same-id',
  overlap: 'overlap',
  overlaps_not_checked: 'overlaps-not-checked',
};

/** Checks whose findings have rules of their own, or that say nothing of a plot when they cannot be made. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['geometry', 'area', 'deforestation', 'facility_distance']);

/** What validation found of a plot, and what it could not look at: every doubt is a finding. */
export function checkFindings(
  { warnings, checks }: Pick<PlotFacts, 'warnings' | 'checks'>,
  confidence: LocationsConfidence | null,
): Finding[] {
  const findings = warnings.flatMap(({ code, message }): Finding[] => {
    if (code === 'antimeridian_cut') return [{ rule: 'antimeridian-cut', detail: message, fixed: true }];
    if (code === 'geometry_repaired') return [{ rule: repairRule(message), detail: message, fixed: true }];
    const rule = Object.hasOwn(WARNING_RULES, code) ? WARNING_RULES[code] : undefined;
    return rule === undefined ? [] : [{ rule, detail: message, fixed: false }];
  });
  if (confidence === null) {
    const detail =
      'The batch was made without validate_locations: nobody looked at where the plot lies, whether its commodity grows there, or whether it overlaps others.';
    return [...findings, { rule: 'not-validated', detail, fixed: false }];
  }
  const unseen = checks.filter(({ check, status }) => status === 'unknown' && !TOLD_ELSEWHERE.has(check));
  return [
    ...findings,
    ...unseen.map(({ check, detail }): Finding => ({
      rule: 'not-looked-at',
      detail: `Not looked at: ${check.replaceAll('_', ' ')}. ${detail}`,
      fixed: false,
    })),
    ...checks.flatMap(({ check, status, detail }): Finding[] =>
      check === 'commodity' && status === 'warn' ? [{ rule: 'commodity-not-found', detail, fixed: false }] : [],
    ),
  ];
}

/** A geometry that the batch repaired is exported as it was measured; the official number is that of what was wrong. */
function repairRule(message: string): Rule {
  if (message.includes('lines that crossed')) return 'crossing-lines';
  return message.includes('ring was closed') ? 'open-polygon' : 'repaired';
}
