import { asFeature, inputOf } from './as-feature.ts';
import { readInputProperties, withOwnCommodity } from './input-properties.ts';
import { invalidResult } from './invalid-result.ts';
import type { FacilityOptions } from './options.ts';
import type { ValidatedFacility } from './result.ts';
import { isRecord } from '../is-record.ts';

/**
 * The result, of level `invalid`, of something that its reader already found no usable feature. What it has of id,
 * geometry and properties is kept; a bare geometry in a feature's place becomes the geometry.
 *
 * @param fault what was wanted and what came, without a full stop.
 */
export function rejectFacility(value: unknown, fault: string, options: FacilityOptions): ValidatedFacility {
  const input = inputOf(value);
  const geometry = isRecord(value) && 'coordinates' in value ? value : input.geometry;
  const reason = { code: 'not_an_object', message: `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.` } as const;
  const known = readInputProperties(input.properties);
  return asFeature({ ...input, geometry }, invalidResult(reason, known, withOwnCommodity(options, known)));
}
