import type { Indicator, Status } from './evidence/evidence.ts';
import { fallbackWarning } from './evidence/find-warnings.ts';
import type { ConfidenceRange, ValidatedFacility } from './result.ts';
import type { DatasetRef } from './sources.ts';
import type { ConfidenceBasis, ConfidenceLevel } from './thresholds.ts';
import { warn, type FacilityWarning } from './evidence/warnings.ts';
import { sentence } from './evidence/sentences.ts';
import type { Params } from '../messages/said.ts';

/** How a dataset is cited. */
export interface DatasetCitation extends DatasetRef {
  readonly licence: string;
  readonly attribution: string;
}

/** The collection's `properties`. Indicators count the facilities whose value is above 0. */
export interface FacilitySummary {
  readonly total_facilities: number;
  readonly commodity_presence: number;
  readonly poi_presence: number;
  readonly road_access: number;
  readonly water_access: number;
  readonly port_proximity: number;
  readonly high_density: number;
  /** Mean over the scored facilities, two decimals; 0 when none was scored. */
  readonly confidence_score: number;
  readonly confidence_level: Readonly<Record<ConfidenceLevel, number>>;
  /** Mean over the scored facilities, two decimals; 0 when none was scored. */
  readonly evidence_coverage: number;
  /** Means of the lowest and of the highest over the scored facilities; null when none was scored. */
  readonly confidence_range: ConfidenceRange | null;
  /** Facilities by how much of their score rests on what was looked at. */
  readonly confidence_basis: Readonly<Record<ConfidenceBasis, number>>;
  /** The same facilities by level too: a low one that is unverified is not known to be bad. */
  readonly confidence_level_by_basis: Readonly<Record<ConfidenceBasis, Readonly<Record<ConfidenceLevel, number>>>>;
  /** Scored facilities by the status of each indicator: the counts above do not distinguish absent from unknown. */
  readonly indicator_status: Readonly<Record<ReportedIndicator, Readonly<Record<Status, number>>>>;
  readonly producer_confirmed: { readonly true: number; readonly false: number };
  readonly warnings: readonly { readonly code: string; readonly params: Params; readonly message: string }[];
  readonly datasets: readonly DatasetCitation[];
}

interface SummaryOptions {
  /** Licence and attribution of a dataset by id and version; null for one the catalogue no longer knows. */
  readonly citation: (id: string, version: string) => DatasetCitation | null;
}

const COUNTED = [
  'commodity_presence',
  'poi_presence',
  'road_access',
  'water_access',
  'port_proximity',
  'high_density',
] as const;

/** The indicators of which the aggregate says how often each was found, not found and not assessed. */
export const REPORTED = [
  'commodity_presence',
  'poi_presence',
  'building_presence',
  'road_access',
  'water_access',
  'port_proximity',
  'high_density',
  'producer_confirmation',
] as const;
type ReportedIndicator = (typeof REPORTED)[number];

/** What a summary has counted so far, to be added to another one. */
export interface FacilityTally {
  readonly sums: Readonly<Record<(typeof SUMS)[number], number>>;
  readonly counts: Readonly<Record<(typeof COUNTED)[number], number>>;
  readonly byBasis: FacilitySummary['confidence_level_by_basis'];
  readonly statuses: FacilitySummary['indicator_status'];
  readonly reported: readonly (readonly [code: string, facilities: number])[];
  /** Facilities rated by the plantation mask, the commodity of the first of them, and whether another named another. */
  readonly masked: { readonly facilities: number; readonly text: string | null; readonly isMixed: boolean };
  /** In the order in which they were first met. */
  readonly datasets: readonly DatasetCitation[];
}

/** Whole numbers: facilities, and hundredths over the scored ones. */
const SUMS = ['total', 'scored', 'confirmed', 'hundredths', 'coverage', 'lowest', 'highest'] as const;

/** Warnings about what was available rather than about one place: reported once for the collection, with how many they concern. */
const REPORTED_ONCE = {
  source_failed: 'some_source_failed',
  missing_data: 'some_missing_data',
} as const satisfies Record<string, string>;

/**
 * Folds results into the collection's aggregate, one by one, in memory that does not grow with their number. Scores are
 * added as whole hundredths, so that parts that were counted apart and put together in order have the aggregate of the whole.
 */
export function createSummary({ citation }: SummaryOptions) {
  const counts = noneOf(COUNTED);
  const sums = noneOf(SUMS);
  const byBasis = { verified: noLevels(), partly_verified: noLevels(), unverified: noLevels() };
  const statuses = Object.fromEntries(REPORTED.map((name) => [name, { present: 0, absent: 0, unknown: 0 }])) as Record<
    ReportedIndicator,
    Record<Status, number>
  >;
  const reported = new Map<string, number>();
  const cited = createCitations(citation);
  let masked: FacilityTally['masked'] = { facilities: 0, text: null, isMixed: false };

  return {
    /** Takes one result into account. */
    add({ properties }: ValidatedFacility): void {
      sums.total++;
      byBasis[properties.confidence_basis][properties.confidence_level]++;
      if (properties.producer_confirmed) sums.confirmed++;
      for (const name of COUNTED) if (properties[name] > 0) counts[name]++;
      if (properties.warnings.some(({ code }) => code === 'commodity_fallback'))
        masked = bothMasked(masked, { facilities: 1, text: properties.commodity_type, isMixed: false });
      for (const { code } of properties.warnings)
        if (code in REPORTED_ONCE) reported.set(code, (reported.get(code) ?? 0) + 1);
      if (properties.confidence_level === 'invalid') return;
      sums.scored++;
      sums.hundredths += inHundredths(properties.confidence_score);
      sums.coverage += inHundredths(properties.evidence_coverage);
      sums.lowest += inHundredths(properties.confidence_range?.lowest ?? 0);
      sums.highest += inHundredths(properties.confidence_range?.highest ?? 0);
      for (const {
        indicator,
        status,
        dataset,
        dataset_version: version,
        also = [],
        synthetic,
      } of properties.evidence) {
        if (isReported(indicator)) statuses[indicator][status]++;
        if (dataset === null || version === null) continue;
        cited.add({ id: dataset, version, synthetic: synthetic === true });
        for (const other of also)
          cited.add({ id: other.dataset, version: other.dataset_version, synthetic: synthetic === true });
      }
    },

    /** Takes into account what was counted elsewhere, of facilities that come after those that were added here. */
    merge(tally: FacilityTally): void {
      for (const name of SUMS) sums[name] += tally.sums[name];
      for (const name of COUNTED) counts[name] += tally.counts[name];
      addEach(byBasis, tally.byBasis);
      addEach(statuses, tally.statuses);
      for (const [code, facilities] of tally.reported) reported.set(code, (reported.get(code) ?? 0) + facilities);
      masked = bothMasked(masked, tally.masked);
      for (const dataset of tally.datasets) cited.add(dataset);
    },

    /** What was counted so far, to be merged into another summary. */
    tally(): FacilityTally {
      return { sums, counts, byBasis, statuses, reported: [...reported], masked, datasets: cited.list() };
    },

    /** The aggregate of everything added so far. */
    result(): FacilitySummary {
      const mean = (sum: number): number => Math.round(sum / sums.scored) / 100;
      return {
        total_facilities: sums.total,
        ...counts,
        confidence_score: sums.scored === 0 ? 0 : mean(sums.hundredths),
        confidence_level: allLevels(byBasis),
        evidence_coverage: sums.scored === 0 ? 0 : mean(sums.coverage),
        confidence_range: sums.scored === 0 ? null : { lowest: mean(sums.lowest), highest: mean(sums.highest) },
        confidence_basis: {
          verified: sumOf(byBasis.verified),
          partly_verified: sumOf(byBasis.partly_verified),
          unverified: sumOf(byBasis.unverified),
        },
        confidence_level_by_basis: copyEach(byBasis),
        indicator_status: copyEach(statuses),
        producer_confirmed: { true: sums.confirmed, false: sums.total - sums.confirmed },
        warnings: collectionWarnings(masked, reported, sums.total),
        datasets: cited.list(),
      };
    },
  };
}

type Cited = { id: string; version: string; synthetic: boolean } | DatasetCitation;

/** The datasets of all evidence, in the order in which they were first met. */
function createCitations(citation: SummaryOptions['citation']) {
  const datasets = new Map<string, Cited>();
  return {
    add(dataset: Cited): void {
      const key = `${dataset.id} ${dataset.version}`;
      if (!datasets.has(key)) datasets.set(key, dataset);
    },
    list: (): DatasetCitation[] =>
      [...datasets.values()].map(
        (dataset) =>
          citation(dataset.id, dataset.version) ??
          ('licence' in dataset ? dataset : { ...dataset, licence: '', attribution: '' }),
      ),
  };
}

function allLevels(byBasis: FacilityTally['byBasis']): Record<ConfidenceLevel, number> {
  const levels = noLevels();
  for (const one of Object.values(byBasis)) addEach({ levels }, { levels: one });
  return levels;
}

function bothMasked(before: FacilityTally['masked'], more: FacilityTally['masked']): FacilityTally['masked'] {
  if (more.facilities === 0) return before;
  if (before.facilities === 0) return more;
  return {
    facilities: before.facilities + more.facilities,
    text: before.text,
    isMixed: before.isMixed || more.isMixed || before.text !== more.text,
  };
}

function maskWarning({ facilities, text, isMixed }: FacilityTally['masked'], total: number): FacilityWarning {
  if (facilities === total && !isMixed) return fallbackWarning(text);
  return warn('commodity_fallback', {
    mask: 'none',
    commodity: sentence('some_without_model', { masked: facilities, total }),
  });
}

function collectionWarnings(
  masked: FacilityTally['masked'],
  reported: ReadonlyMap<string, number>,
  total: number,
): FacilitySummary['warnings'] {
  const fallback = masked.facilities === 0 ? [] : [maskWarning(masked, total)];
  const once = Object.entries(REPORTED_ONCE).flatMap(([code, all]) => {
    const n = reported.get(code) ?? 0;
    if (n === 0) return [];
    const { message } = sentence(all, { n, total });
    return [{ code, params: { n, total }, message }];
  });
  return [...fallback, ...once];
}

function noneOf<K extends string>(names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
}

function copyEach<T extends Readonly<Record<string, object>>>(from: T): T {
  const copy: Record<string, object> = {};
  for (const key in from) copy[key] = { ...from[key] };
  return copy as T;
}

/** Adds counts of the same names. */
function addEach<K extends string, L extends string>(
  to: Readonly<Record<K, Record<L, number>>>,
  more: Readonly<Record<K, Readonly<Record<L, number>>>>,
): void {
  for (const key in to) for (const name in to[key]) to[key][name] += more[key][name];
}

function inHundredths(score: number): number {
  return Math.round(score * 100);
}

function isReported(indicator: Indicator): indicator is ReportedIndicator {
  return (REPORTED as readonly Indicator[]).includes(indicator);
}

function noLevels(): Record<ConfidenceLevel, number> {
  return { high: 0, medium: 0, low: 0, invalid: 0 };
}

function sumOf(levels: Readonly<Record<ConfidenceLevel, number>>): number {
  return Object.values(levels).reduce((sum, count) => sum + count, 0);
}
