import { fallbackWarning } from './find-warnings.ts';
import type { FacilityOptions } from './options.ts';
import type { ValidatedFacility } from './result.ts';
import type { DatasetRef } from './sources.ts';
import type { ConfidenceLevel } from './thresholds.ts';

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
  readonly producer_confirmed: { readonly true: number; readonly false: number };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly datasets: readonly DatasetCitation[];
}

export interface SummaryOptions {
  readonly facility: Pick<FacilityOptions, 'commodity' | 'commodityText'>;
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

/** Warnings about what was available rather than about one place: told once for the collection, with how many they concern. */
const TOLD_ONCE = {
  source_failed: 'A source failed for {n} of {total} facilities; their `evidence` names which and why.',
  missing_data:
    'No dataset covers some indicators of {n} of {total} facilities; what is not known is scored as if it were not there.',
} as const satisfies Record<string, string>;

/**
 * Folds results into the collection's aggregate, one by one, in memory that does not grow with their number. Scores are
 * added as whole hundredths.
 */
export function createSummary({ facility, citation }: SummaryOptions) {
  const counts = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Record<(typeof COUNTED)[number], number>;
  const levels: Record<ConfidenceLevel, number> = { high: 0, medium: 0, low: 0, invalid: 0 };
  const told = new Map<string, number>();
  const datasets = new Map<string, { id: string; version: string; synthetic: boolean }>();
  let [total, scored, hundredths, confirmed] = [0, 0, 0, 0];

  return {
    /** Takes one result into account. */
    add({ properties }: ValidatedFacility): void {
      total++;
      levels[properties.confidence_level]++;
      if (properties.producer_confirmed) confirmed++;
      for (const name of COUNTED) if (properties[name] > 0) counts[name]++;
      for (const { code } of properties.warnings) if (code in TOLD_ONCE) told.set(code, (told.get(code) ?? 0) + 1);
      if (properties.confidence_level === 'invalid') return;
      scored++;
      hundredths += Math.round(properties.confidence_score * 100);
      for (const { dataset, dataset_version: version, also = [], synthetic } of properties.evidence) {
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
        confidence_score: scored === 0 ? 0 : Math.round(hundredths / scored) / 100,
        confidence_level: { ...levels },
        producer_confirmed: { true: confirmed, false: total - confirmed },
        warnings: collectionWarnings(),
        datasets: [...datasets.values()].map(
          (ref) => citation(ref.id, ref.version) ?? { ...ref, licence: '', attribution: '' },
        ),
      };
    },
  };

  function cite(id: string, version: string, synthetic: boolean): void {
    const key = `${id} ${version}`;
    if (!datasets.has(key)) datasets.set(key, { id, version, synthetic });
  }

  function collectionWarnings(): FacilitySummary['warnings'] {
    const fallback = facility.commodity === null && total > 0 ? [fallbackWarning(facility.commodityText)] : [];
    const once = Object.entries(TOLD_ONCE).flatMap(([code, message]) => {
      const n = told.get(code) ?? 0;
      return n === 0 ? [] : [{ code, message: message.replace('{n}', String(n)).replace('{total}', String(total)) }];
    });
    return [...fallback, ...once];
  }
}
