import type { GeometryFault } from '../geo/shapes/to-shape.ts';
import { fallbackWarning } from './evidence/find-warnings.ts';
import type { InputProperties } from './input-properties.ts';
import type { FacilityOptions } from './options.ts';
import type { FacilityResult } from './result.ts';
import { gravestFirst, warn, type FacilityWarning } from './evidence/warnings.ts';

const NOT_CHECKED = 'Not checked: the geometry is invalid.';

/**
 * The result of a facility whose geometry cannot be used: every indicator and the score 0, level `invalid`, and why.
 * `swapped` names the country it would lie in with longitude and latitude exchanged, null when that does not help.
 */
export function invalidResult(
  fault: GeometryFault,
  known: InputProperties,
  options: FacilityOptions,
  swapped: string | null = null,
): FacilityResult {
  const more = swapped === null ? [] : [warn('coordinates_swapped', { swapped })];
  return unscored(fault.message, NOT_CHECKED, known, options, more);
}

/** The result of a facility whose check broke down on our side, so that the others of its batch still get theirs. */
export function brokenResult(options: FacilityOptions): FacilityResult {
  const message =
    'The facility could not be checked because of an internal error; the others of the request are not affected.';
  return unscored(message, message, { name: null, country: null, commodity: null }, options);
}

function unscored(
  reason: string,
  comment: string,
  known: InputProperties,
  options: FacilityOptions,
  more: readonly FacilityWarning[] = [],
): FacilityResult {
  const invalid = warn('invalid_geometry', { reason });
  const fallback = options.commodity === null ? [fallbackWarning(options.commodityText)] : [];
  return {
    location_type: 'facility',
    facility_name: known.name,
    country: null,
    country_code: null,
    commodity_type: options.commodity ?? options.commodityText,
    commodity_presence: 0,
    poi_presence: 0,
    high_density: 0,
    building_presence: 0,
    building_class: 'none',
    road_access: 0,
    water_access: 0,
    port_proximity: 0,
    producer_confirmation_score: 0,
    producer_confirmed: false,
    producer_confirmation_comment: comment,
    aggregation_comment: comment,
    confidence_score: 0,
    confidence_level: 'invalid',
    evidence_coverage: 0,
    confidence_range: null,
    confidence_basis: 'unverified',
    primary_warning: invalid.message,
    confidence_comment: reason,
    warnings: gravestFirst([invalid, ...more, ...fallback]),
    evidence: [],
  };
}
