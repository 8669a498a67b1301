import type { FacilityResult, ValidatedFacility } from './result.ts';
import { isRecord } from '../is-record.ts';

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
