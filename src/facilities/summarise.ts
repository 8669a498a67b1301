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

/** Warnings about what was available rather than about one place: reported once for the collection, with how many they concern. */
const REPORTED_ONCE = {
  source_failed: 'some_source_failed',
  missing_data: 'some_missing_data',
} as const satisfies Record<string, string>;

/**
 * Folds results into the collection's aggregate, one by one, in memory that does not grow with their number. Scores are
 * added as whole hundredths.
 */
export function createSummary({ citation }: SummaryOptions) {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Record<(typeof COUNTED)[number], number>;
  const levels = noLevels();
  const byBasis = { verified: noLevels(), partly_verified: noLevels(), unverified: noLevels() };
  const statuses = Object.fromEntries(REPORTED.map((name) => [name, { present: 0, absent: 0, unknown: 0 }])) as Record<
    ReportedIndicator,
    Record<Status, number>
  >;
  const reported = new Map<string, number>();
  const datasets = new Map<string, { id: string; version: string; synthetic: boolean }>();
  let [total, scored, hundredths, confirmed] = [0, 0, 0, 0];
  /** Facilities rated by the plantation mask, the commodity of the first of them, and whether another named another. */
  let [masked, maskedText, isMixed] = [0, null as string | null, false];
  let [coverage, lowest, highest] = [0, 0, 0];

  return {
    /** Takes one result into account. */
    add({ properties }: ValidatedFacility): void {
      total++;
      levels[properties.confidence_level]++;
      byBasis[properties.confidence_basis][properties.confidence_level]++;
      if (properties.producer_confirmed) confirmed++;
      for (const name of COUNTED) if (properties[name] > 0) counts[name]++;
      if (properties.warnings.some(({ code }) => code === 'commodity_fallback')) {
        if (masked++ === 0) maskedText = properties.commodity_type;
        else if (maskedText !== properties.commodity_type) isMixed = true;
      }
      for (const { code } of properties.warnings)
        if (code in REPORTED_ONCE) reported.set(code, (reported.get(code) ?? 0) + 1);
      if (properties.confidence_level === 'invalid') return;
      scored++;
      hundredths += inHundredths(properties.confidence_score);
      coverage += inHundredths(properties.evidence_coverage);
      lowest += inHundredths(properties.confidence_range?.lowest ?? 0);
      highest += inHundredths(properties.confidence_range?.highest ?? 0);
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
        cite(dataset, version, synthetic === true);
        for (const other of also) cite(other.dataset, other.dataset_version, synthetic === true);
      }
    },

    /** The aggregate of everything added so far. */
    result(): FacilitySummary {
      return {
        total_facilities: total,
        ...counts,
        confidence_score: scored === 0 ? 0 : mean(hundredths),
        confidence_level: { ...levels },
        evidence_coverage: scored === 0 ? 0 : mean(coverage),
        confidence_range: scored === 0 ? null : { lowest: mean(lowest), highest: mean(highest) },
        confidence_basis: {
          verified: sumOf(byBasis.verified),
          partly_verified: sumOf(byBasis.partly_verified),
          unverified: sumOf(byBasis.unverified),
        },
        confidence_level_by_basis: structuredClone(byBasis),
        indicator_status: structuredClone(statuses),
        producer_confirmed: { true: confirmed, false: total - confirmed },
        warnings: collectionWarnings(),
        datasets: [...datasets.values()].map(
          (ref) => citation(ref.id, ref.version) ?? { ...ref, licence: '', attribution: '' },
        ),
      };
    },
  };

  function mean(sum: number): number {
    return Math.round(sum / scored) / 100;
  }

  function cite(id: string, version: string, synthetic: boolean): void {
    const key = `${id} ${version}`;
    if (!datasets.has(key)) datasets.set(key, { id, version, synthetic });
  }

  function maskWarning(): FacilityWarning {
    if (masked === total && !isMixed) return fallbackWarning(maskedText);
    return warn('commodity_fallback', {
      mask: 'none',
      commodity: sentence('some_without_model', { masked, total }),
    });
  }

  function collectionWarnings(): FacilitySummary['warnings'] {
    const fallback = masked === 0 ? [] : [maskWarning()];
    const once = Object.entries(REPORTED_ONCE).flatMap(([code, all]) => {
      const n = reported.get(code) ?? 0;
      if (n === 0) return [];
      const { message } = sentence(all, { n, total });
      return [{ code, params: { n, total }, message }];
    });
    return [...fallback, ...once];
  }
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
