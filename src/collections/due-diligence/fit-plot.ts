import type { Collection } from '../collection.ts';
import type { PlotRecord, LocationsConfidence } from '../plot-record.ts';
import { checkDeforestation, type DeforestationCheck } from '../statistics/deforestation.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import { convergenceOf, withConvergence } from '../fetch/convergence.ts';
import type { EudrVerdict } from '../fetch/eudr-verdict.ts';
import { groundOf } from '../fetch/ground.ts';
import { lastDayKnown, plotVerdict } from '../fetch/plot-verdict.ts';
import { countryTier, type TierAnswer } from '../../law/country-tiers.ts';
import type { ExportScope, FilingScope } from './exclude.ts';
import type { Convergence } from '../../plots/converge.ts';
import { verdictText } from '../../plots/verdict-text.ts';
import { isFit, type Finding, type Rule } from './finding.ts';
import { fitGeometry, type FitMember } from './geometry/fit-geometry.ts';
import type { GeometryTools } from './geometry/geometry-tools.ts';
import { POINT_AREA_HA } from './official-errors.ts';
import { round } from '../../geo/round.ts';
import { readPlot, type DeclaredPlace, type PlotFacts } from './plot-facts.ts';

/** A location as it goes into the export. */
export interface FittedPlot {
  readonly record: PlotRecord;
  readonly facts: PlotFacts;
  /** Empty where it is not fit to be submitted. */
  readonly members: readonly FitMember[];
  /** Hectares as the fetch endpoints give them: of the ground that was measured; else stated, or of what is exported. */
  readonly areaHa: number | null;
  /** Hectares of what is exported, whose coordinates have 6 decimals; stated or assumed for points. Null where nothing is. */
  readonly exportedHa: number | null;
  /** `Area` of a point. */
  readonly pointAreaHa: number | null;
  readonly findings: readonly Finding[];
  /** Null where nothing was measured. */
  readonly deforestation: DeforestationCheck | null;
  /** Of its country on the day of the export; null where the country is not known. Next to the verdict, never a part of it. */
  readonly tier: TierAnswer | null;
  /** How a declaration says where it is; null in a statement, and where it is in no declaration. */
  readonly place: DeclaredPlace | null;
  /** What the fetch endpoints make of it; null for what is no plot and where nothing was measured. */
  readonly verdict: EudrVerdict | null;
  /** What all layers together say; null as with the fetch endpoints. */
  readonly convergence: Convergence | null;
}

export interface FitPlotParts {
  readonly geometry: GeometryTools;
  /** Whether this is an ISO 3166-1 alpha-2 code that is in use. */
  readonly isCountry: (code: string) => boolean;
}

/** Whether it is in a statement or declaration: by its geometry, or by what stands in place of it. */
export function isExported({ members, place }: Pick<FittedPlot, 'members' | 'place'>): boolean {
  return members.length > 0 || (place !== null && place.kind !== 'geometry');
}

/** Holds one location to the rules of the EU information system. */
export function fitPlot(
  record: PlotRecord,
  collection: Pick<Collection, 'options' | 'file'>,
  period: FilingScope,
  parts: FitPlotParts,
): FittedPlot {
  const facts = readPlot(record, collection);
  const isCode = facts.country !== null && parts.isCountry(facts.country);
  const tier = isCode ? countryTier(facts.country ?? '', period.filing.day) : null;
  const deforestation = record.statistics === null ? null : checkDeforestation(record.statistics, period);
  if (record.locationType === 'facility')
    return { record, facts, ...NO_PLOT, findings: [FACILITY], deforestation, tier };
  const convergence = convergenceOf(record, collection, period);
  const verdict =
    deforestation === null ? null : withConvergence(verdictOf(record, deforestation, period), convergence);
  const { members, findings: found, areaHa } = fitGeometry(record.feature.geometry, parts.geometry);
  const findings = [
    ...found,
    ...facts.findings,
    ...countryFindings(facts, parts),
    // The area of an outline is measured, whatever the file says.
    ...checkFindings(facts, record.confidence).filter(({ rule }) => areaHa === null || rule !== 'area-assumed'),
    ...riskFindings(record, deforestation, verdict),
    ...evidenceFindings(verdict, convergence),
    ...statementFindings(facts, areaHa),
  ];
  const pointAreaHa = members.some(isPoint) ? pointArea(facts, findings) : null;
  const excluded = excludedBy(verdict, convergence, period);
  if (excluded !== null)
    findings.push({
      rule: 'excluded',
      detail: `Left out on request (exclude=${excluded}): ${verdict?.eudr_comment ?? 'the plot was not measured.'}`,
      fixed: false,
    });
  const isKept = members.length > 0 && isFit(findings) && excluded === null;
  const exportedHa = isKept ? (areaHa ?? 0) + (pointAreaHa ?? 0) * members.filter(isPoint).length : null;
  return {
    record,
    facts,
    members: isKept ? members : [],
    areaHa: groundOf(record).area_ha ?? exportedHa,
    exportedHa,
    pointAreaHa,
    findings,
    deforestation,
    tier,
    place: null,
    verdict,
    convergence,
  };
}

const FACILITY: Finding = {
  rule: 'not-a-plot',
  detail: 'A facility is no place of production and is not part of a statement.',
  fixed: false,
};
const NO_PLOT = {
  members: [],
  areaHa: null,
  exportedHa: null,
  pointAreaHa: null,
  verdict: null,
  convergence: null,
  place: null,
};

/** What a statement lacks of a plot, or does not take: where it is, whose it is, and any ground. */
function statementFindings({ lookedUp, producerName }: PlotFacts, areaHa: number | null): readonly Finding[] {
  const findings: Finding[] = [];
  if (lookedUp !== null) {
    const detail = `The place was looked up by its address (precision: ${lookedUp}); a statement needs the coordinates of the plot itself.`;
    findings.push({ rule: 'looked-up-place', detail, fixed: false });
  }
  if (producerName === null)
    findings.push({
      rule: 'producer-missing',
      detail:
        'No column of a producer, supplier, farmer or company is filled, and the name of a plot is not taken for one; the information system takes a plot without a name of its producer.',
      fixed: false,
    });
  if (areaHa !== null && areaHa < POINT_AREA_HA.least)
    findings.push({
      rule: 'no-ground',
      detail: `The outline holds ${areaHa.toFixed(4)} ha, which is too small to grow anything on.`,
      fixed: false,
    });
  return findings;
}

/** The word that leaves the plot out; null where it is exported. */
function excludedBy(
  verdict: EudrVerdict | null,
  convergence: Convergence | null,
  { exclude = [] }: ExportScope,
): string | null {
  const single = verdict === null ? ['unknown'] : [verdict.risk_level, verdict.eudr_status];
  const words = [...single, ...(convergence === null ? [] : [`convergence_${convergence.verdict}`])];
  return exclude.find((word) => words.includes(word as never)) ?? null;
}

function isPoint({ type }: FitMember): boolean {
  return type === 'Point' || type === 'MultiPoint';
}

function pointArea({ areaHa, commodity }: PlotFacts, findings: Finding[]): number {
  const { least, leastIn2025, most, default: standard } = POINT_AREA_HA;
  if (areaHa === null) {
    findings.push({
      rule: 'point-area-default',
      detail: `A point without an area counts as ${standard} ha; state the true area.`,
      fixed: false,
    });
    return standard;
  }
  if (areaHa < least || (areaHa > most && commodity !== 'cattle'))
    findings.push({
      rule: 'point-area',
      detail: `The point stands for ${round(areaHa, 4)} ha; between ${least} and ${most} are taken${areaHa > most ? ', over that a polygon is needed' : ''}.`,
      fixed: false,
    });
  else if (areaHa < leastIn2025)
    findings.push({
      rule: 'point-area-small',
      detail: `The point stands for ${round(areaHa, 4)} ha; the rules of 2025 took no less than ${leastIn2025}.`,
      fixed: false,
    });
  return areaHa;
}

function countryFindings({ country }: PlotFacts, { isCountry }: FitPlotParts): Finding[] {
  const findings: Finding[] = [];
  if (country === null)
    findings.push({
      rule: 'country-missing',
      detail: 'The country of production is not known; a statement needs it.',
      fixed: false,
    });
  else if (!/^[A-Z]{2}$/.test(country) || !isCountry(country))
    findings.push({
      rule: 'country-not-iso2',
      detail: `${JSON.stringify(country.slice(0, 40))} is no ISO 3166-1 alpha-2 code.`,
      fixed: false,
    });
  return findings;
}

function verdictOf({ statistics }: PlotRecord, check: DeforestationCheck, period: MonitoringPeriod): EudrVerdict {
  return plotVerdict(check, statistics, period, statistics === null ? null : lastDayKnown(statistics, period));
}

/** What the fetch endpoints clear needs no finding. */
function riskFindings(
  { problem }: PlotRecord,
  check: DeforestationCheck | null,
  verdict: EudrVerdict | null,
): Finding[] {
  if (check === null || verdict === null)
    return [{ rule: 'not-measured', detail: problem ?? 'No statistics were requested.', fixed: false }];
  if (check.noncompliance_area_ha !== null && check.noncompliance_area_ha > 0)
    return [
      {
        rule: 'loss-in-baseline-forest',
        detail: `${check.noncompliance_area_ha} ha of what was forest on 2020-12-31 were lost in the monitoring period. Look at the plot before you submit it.`,
        fixed: false,
      },
    ];
  if (verdict.eudr_status === 'no_deforestation_found') return [];
  return [{ rule: 'loss-unknown', detail: verdict.eudr_comment, fixed: false }];
}

/** What one map clears and all layers together do not is said: a plot is not to be taken for cleared by its status alone. */
function evidenceFindings(verdict: EudrVerdict | null, convergence: Convergence | null): Finding[] {
  if (verdict?.risk_level !== 'low' || convergence === null || convergence.verdict === 'low') return [];
  return [{ rule: 'evidence-open', detail: verdictText(convergence), fixed: false }];
}

/** What warnings of a row are in an export: what was assumed when it was read, and what validation found. */
const WARNING_RULES: Readonly<Record<string, Rule>> = {
  crs_unverified: 'position-assumed',
  crs_assumed: 'position-assumed',
  hemisphere_guessed: 'position-assumed',
  outline_closed: 'outline-closed',
  area_unit_assumed: 'area-assumed',
  number_ambiguous: 'area-assumed',
  area_invalid: 'area-assumed',
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
function checkFindings(
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
