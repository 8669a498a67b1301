import type { Evidence } from './evidence/evidence.ts';
import type { BuildingClass, ConfidenceBasis, ConfidenceLevel } from './thresholds.ts';
import type { FacilityWarning } from './evidence/warnings.ts';

/** The lowest and the highest score that the unknown indicators allow. */
export interface ConfidenceRange {
  readonly lowest: number;
  readonly highest: number;
}

/** The computed properties of one facility, in the order they are written. Scores have two decimals. */
export interface FacilityResult {
  readonly location_type: 'facility';
  readonly facility_name: string | null;
  /** Short English name, null when the place lies in no country or its country is unknown. */
  readonly country: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country_code: string | null;
  /** One of the seven, else the caller's own text. */
  readonly commodity_type: string | null;
  readonly commodity_presence: number;
  readonly poi_presence: number;
  readonly high_density: number;
  readonly building_presence: number;
  readonly building_class: BuildingClass;
  readonly road_access: number;
  readonly water_access: number;
  readonly port_proximity: number;
  readonly producer_confirmation_score: number;
  readonly producer_confirmed: boolean;
  readonly producer_confirmation_comment: string;
  readonly aggregation_comment: string;
  readonly confidence_score: number;
  readonly confidence_level: ConfidenceLevel;
  /** Part of the scored weight that was assessed, 0 to 1. */
  readonly evidence_coverage: number;
  /** Null for an invalid geometry, which has no score. */
  readonly confidence_range: ConfidenceRange | null;
  readonly confidence_basis: ConfidenceBasis;
  /** Message of the gravest warning. */
  readonly primary_warning: string | null;
  /** Only for an invalid geometry: what is wrong and where. */
  readonly confidence_comment?: string;
  readonly warnings: readonly FacilityWarning[];
  /** Empty for an invalid geometry: nothing was looked at. */
  readonly evidence: readonly Evidence[];
}

/** A facility as it goes back to the caller: its own feature with the computed properties over its own. */
export interface ValidatedFacility {
  readonly type: 'Feature';
  /** Absent when the input had none, else unchanged. */
  readonly id?: string | number;
  /** Exactly what came in, usable or not. */
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>> & FacilityResult;
}
