import { toShape, type GeometryFault } from '../geo/shapes/to-shape.ts';
import { aggregationComment, type Comment } from './evidence/aggregation-comment.ts';
import { asFeature, type FacilityResult, inputOf, invalidResult, type ValidatedFacility } from './result.ts';
import { codeOf } from './evidence/sentences.ts';
import { type CheckContext, createQuery } from './query.ts';
import type { Evidence, Finding } from './evidence/evidence.ts';
import { findWarnings } from './evidence/find-warnings.ts';
import { type FacilityOptions, type InputProperties, readInputProperties, withOwnCommodity } from './options.ts';
import { inOrder, runChecks, type Findings } from './run-checks.ts';
import { levelOf, penaltyHundredths, scoreHundredths } from './score.ts';
import type { FacilitySources } from './sources.ts';
import { swappedPlace } from './swapped-place.ts';
import type { FacilityWarning } from './evidence/warnings.ts';
import { evidenceWeight, weighEvidence, type Weighed } from './evidence/weigh-evidence.ts';
import { isRecord } from '../is-record.ts';
import { whenReady, type MaybePromise } from '../maybe-promise.ts';

/**
 * Rates one facility. The input is anything found where a GeoJSON feature was expected: what cannot be used gives a
 * result of level `invalid`, never a throw. Id, geometry and properties come back as they were; a computed property
 * wins over an input one of the same name.
 *
 * The result is there at once when every source answers at once, and a promise otherwise. A source that fails or misses
 * its deadline makes its indicator unknown.
 *
 * @throws the reason of `signal`, when it aborts before the result is complete.
 */
export function validateFacility(
  feature: unknown,
  requested: FacilityOptions,
  sources: FacilitySources,
  signal: AbortSignal,
): MaybePromise<ValidatedFacility> {
  signal.throwIfAborted();
  const input = inputOf(feature);
  const known = readInputProperties(input.properties);
  const options = withOwnCommodity(requested, known);
  const laidOut = isFeature(feature) ? toShape(input.geometry) : { shape: null, fault: notAFeature(feature) };
  const query = createQuery({
    timeoutMs: options.checkTimeoutMs,
    signal,
    reportFailure: sources.reportFailure?.bind(sources),
  });
  if (laidOut.shape === null) {
    const { fault } = laidOut;
    const swapped = fault.code === 'out_of_range' ? swappedPlace(input.geometry, known.country, sources, query) : null;
    return whenReady(swapped, (country) => asFeature(input, invalidResult(fault, known, options, country)));
  }
  const context: CheckContext = { shape: laidOut.shape, options, sources, query };
  return whenReady(runChecks(context, known), (found) => {
    const weighed = weighEvidence(found, options.commodity !== null);
    return whenReady(aggregationComment(context, found, weighed, known.name), (comment) => {
      signal.throwIfAborted();
      const warnings = findWarnings(context, found, weighed, known, laidOut.ignored);
      const all = comment.warning === null ? warnings : [...warnings, comment.warning];
      return asFeature(input, assemble(found, weighed, known, options, comment, all));
    });
  });
}

function assemble(
  found: Findings,
  weighed: Weighed,
  known: InputProperties,
  options: FacilityOptions,
  comment: Comment,
  warnings: readonly FacilityWarning[],
): FacilityResult {
  const evidence = inOrder(found).map(toEvidence);
  const score = scoreHundredths(evidence.map(({ penalty }) => Math.round(penalty * 100)));
  const { country, commodity, producer } = found;
  return {
    location_type: 'facility',
    facility_name: known.name,
    country: country.where?.country?.name ?? null,
    country_code: country.where?.country?.iso2 ?? null,
    commodity_type: options.commodity ?? options.commodityText,
    commodity_presence: commodity.value,
    poi_presence: found.poi.value,
    high_density: found.density.value,
    building_presence: found.building.value,
    building_class: found.building.buildingClass,
    road_access: found.road.value,
    water_access: found.water.value,
    port_proximity: found.port.value,
    producer_confirmation_score: producer.value,
    producer_confirmed: producer.confirmed,
    producer_confirmation_comment: producer.detail.message,
    aggregation_comment: comment.text,
    confidence_score: score / 100,
    confidence_level: levelOf(score, commodity.failed),
    evidence_coverage: weighed.coverage / 100,
    confidence_range: { lowest: weighed.lowest / 100, highest: weighed.highest / 100 },
    confidence_basis: weighed.basis,
    primary_warning: warnings[0]?.message ?? null,
    warnings,
    messages: {
      producer_confirmation_comment: [codeOf(producer.detail)],
      aggregation_comment: comment.parts,
    },
    evidence,
  };
}

/** A check the caller switched off costs nothing: its value is 0 because nobody looked. */
function toEvidence(finding: Finding): Evidence {
  const { indicator, status, value, dataset, distanceM, detail, cause } = finding;
  // Members are added one by one: with a spread for each that may be absent this took a twentieth of a facility's time.
  const evidence: Writable<Partial<Evidence>> = { indicator, status, value };
  if (finding.upTo !== undefined) evidence.value_up_to = finding.upTo;
  evidence.penalty = cause === 'not_requested' ? 0 : penaltyHundredths(indicator, value) / 100;
  evidence.weight = evidenceWeight(finding);
  evidence.dataset = dataset?.id ?? null;
  evidence.dataset_version = dataset?.version ?? null;
  if (dataset?.also !== undefined)
    evidence.also = dataset.also.map(({ id, version }) => ({ dataset: id, dataset_version: version }));
  if (dataset?.synthetic === true) evidence.synthetic = true;
  if (dataset?.retrievedAt !== undefined) evidence.retrieved_at = dataset.retrievedAt;
  if (distanceM !== undefined) evidence.distance_m = distanceM;
  if (finding.producerState !== undefined) evidence.producer_state = finding.producerState;
  const note = dataset?.note;
  evidence.code = detail.code;
  evidence.params =
    note === undefined ? (detail.params ?? {}) : { ...detail.params, notes_text: dataset?.notes ?? [note] };
  evidence.detail = note === undefined ? detail.message : [detail.message, note].join(' ');
  if (dataset?.about !== undefined) evidence.about = dataset.about;
  return evidence as Evidence;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Anything with a `geometry` member is taken for a feature; a missing or misspelt `type` loses nothing. */
function isFeature(value: unknown): boolean {
  return isRecord(value) && (value['type'] === 'Feature' || 'geometry' in value);
}

function notAFeature(value: unknown): GeometryFault {
  const got = isRecord(value)
    ? `an object of type ${JSON.stringify(value['type'] ?? null)} without geometry`
    : Array.isArray(value)
      ? 'an array'
      : JSON.stringify(value ?? null).slice(0, 60);
  return {
    code: 'not_an_object',
    message: `The feature is ${got}; wanted a GeoJSON Feature with a geometry.`,
    params: { where: 'geometry' },
  };
}
