import type { Feature, Geometry } from 'geojson';

/** One line of a receipt. */
export interface EvidenceItem {
  readonly indicator: string;
  readonly status: 'present' | 'absent' | 'unknown';
  readonly value: number;
  readonly penalty: number;
  /** The highest value that it may have, where `value` is only what is known at least. */
  readonly value_up_to?: number;
  /** Absent in results of older versions. */
  readonly weight?: number;
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  readonly distance_m?: number;
  readonly synthetic?: true;
  readonly retrieved_at?: string;
  /** What `detail` says. Absent in results of older versions. */
  readonly code?: string;
  readonly detail: string;
}

/** Whether something is not known of an indicator that would change the score. */
export function isOpen({ status, weight = 1, value_up_to: upTo }: EvidenceItem): boolean {
  return weight > 0 && (status === 'unknown' || upTo !== undefined);
}

interface ResultWarning {
  readonly code: string;
  /** Absent in results of older versions. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly fix?: string;
}

interface PlotCheck {
  readonly check: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly detail: string;
}

/** A result feature as the page reads it. */
export type ResultFeature = Feature<
  Geometry | null,
  {
    readonly location_type: 'facility' | 'plot';
    readonly facility_name?: string | null;
    readonly name?: string | null;
    readonly country: string | null;
    readonly country_code?: string | null;
    readonly commodity_type: string | null;
    readonly confidence_score?: number;
    readonly confidence_level?: 'high' | 'medium' | 'low' | 'invalid';
    readonly evidence_coverage?: number;
    readonly confidence_range?: { readonly lowest: number; readonly highest: number } | null;
    readonly confidence_basis?: 'verified' | 'partly_verified' | 'unverified';
    readonly confidence_comment?: string;
    readonly aggregation_comment?: string;
    readonly producer_confirmation_comment?: string;
    readonly processing?: string;
    readonly area_ha?: number | null;
    readonly source_row?: number;
    readonly evidence?: readonly EvidenceItem[];
    readonly warnings?: readonly ResultWarning[];
    readonly plot_checks?: readonly PlotCheck[];
    readonly source?: Readonly<Record<string, unknown>>;
  }
>;
