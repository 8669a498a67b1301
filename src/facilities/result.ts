import type { Evidence } from './evidence/evidence.ts';
import type { BuildingClass, ConfidenceBasis, ConfidenceLevel } from './thresholds.ts';
import { type FacilityWarning, gravestFirst, warn } from './evidence/warnings.ts';
import { isRecord } from '../is-record.ts';
import { codeOf, sentence } from './evidence/sentences.ts';
import type { MessagePart } from '../messages/localise.ts';
import { countryWord, type Said } from '../messages/said.ts';
import { faultSentence, type GeometryFault } from '../geo/shapes/to-shape.ts';
import { fallbackWarning } from './evidence/find-warnings.ts';
import type { FacilityOptions, InputProperties } from './options.ts';
import type { CountryRef } from './sources.ts';

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
  /** What the comments say, by the name of their property: codes with parameters, or entries of the receipt. */
  readonly messages: Readonly<Record<string, readonly MessagePart[]>>;
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

/** The parts of an input feature, whatever came in its place. */
interface InputFeature {
  readonly id: unknown;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Takes a feature apart. Properties that are no object count as none. */
export function inputOf(feature: unknown): InputFeature {
  const { id, geometry, properties } = isRecord(feature) ? feature : NOTHING;
  return { id, geometry: geometry ?? null, properties: isRecord(properties) ? properties : {} };
}

/** The input with its result: id, geometry and properties as they came, a computed property before an input one. */
export function asFeature({ id, geometry, properties }: InputFeature, result: FacilityResult): ValidatedFacility {
  const merged = { ...withoutStaleComment(properties), ...result };
  if (id === undefined) return { type: 'Feature', geometry, properties: merged };
  return { type: 'Feature', id: id as string | number, geometry, properties: merged };
}

const NOTHING: Readonly<Record<string, unknown>> = {};

/** A comment on an invalid geometry that remained from an earlier run would contradict the result; only an invalid one writes its own. */
function withoutStaleComment(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!('confidence_comment' in properties)) return properties;
  const { confidence_comment: _stale, ...rest } = properties;
  return rest;
}

const NOT_CHECKED = sentence('geometry_not_checked');

/**
 * The result of a facility whose geometry cannot be used: every indicator and the score 0, level `invalid`, and why.
 * `swapped` names the country it would lie in with longitude and latitude exchanged, null when that does not help.
 */
export function invalidResult(
  fault: GeometryFault,
  known: InputProperties,
  options: FacilityOptions,
  swapped: CountryRef | null = null,
): FacilityResult {
  const more =
    swapped === null ? [] : [warn('coordinates_swapped', { swapped: countryWord(swapped.iso2, swapped.name) })];
  return unscored(faultSentence(fault), NOT_CHECKED, known, options, more);
}

/** The result of a facility whose check broke down on our side, so that the others of its batch still get theirs. */
export function brokenResult(options: FacilityOptions): FacilityResult {
  const message = sentence('facility_broken');
  return unscored(message, message, { name: null, country: null, commodity: null }, options);
}

function unscored(
  reason: Said,
  comment: Said,
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
    producer_confirmation_comment: comment.message,
    aggregation_comment: comment.message,
    confidence_score: 0,
    confidence_level: 'invalid',
    evidence_coverage: 0,
    confidence_range: null,
    confidence_basis: 'unverified',
    primary_warning: invalid.message,
    confidence_comment: reason.message,
    warnings: gravestFirst([invalid, ...more, ...fallback]),
    messages: {
      producer_confirmation_comment: [codeOf(comment)],
      aggregation_comment: [codeOf(comment)],
      confidence_comment: [codeOf(reason)],
    },
    evidence: [],
  };
}
