import type { Feature } from '../../../geo/geometry.ts';
import { isExactNumber } from '../../../geo/parse-json.ts';
import { foreignCrs } from './root-members.ts';
import { GEOMETRY_TYPES, type GeojsonLayout } from './document.ts';
import { isRecord } from '../../../is-record.ts';

/** A feature as it was read: `type`, `id` and `properties` are what they should be, the geometry is anything JSON can hold. */
type RawFeature = Feature<Readonly<Record<string, unknown>>, unknown>;

type ItemFaultCode = 'not_an_object' | 'missing_type' | 'wrong_type' | 'invalid_properties' | 'unsupported_crs';

interface ItemFault {
  readonly code: ItemFaultCode;
  /** A sentence that names what was wanted and what came. */
  readonly detail: string;
}

/** One item of a file: a feature, or the value in a feature's place and what is wrong with it. `index` counts from 0. */
export type GeojsonItem =
  | { readonly index: number; readonly feature: RawFeature }
  | { readonly index: number; readonly fault: ItemFault; readonly value: unknown };

/**
 * Says whether a parsed value can stand as a feature. A bare geometry counts as a feature without properties wherever
 * it is a text or array item of its own; inside `features` it is a fault. A missing or null `properties` becomes `{}`,
 * a missing geometry becomes null, an `id` that is neither string nor number is left out (RFC 7946 section 3.2).
 */
export function geojsonItem(index: number, value: unknown, layout: GeojsonLayout): GeojsonItem {
  if (!isRecord(value)) return broken(index, value, 'not_an_object', `wanted a Feature, got ${kindOf(value)}`);
  const { type, id, geometry, properties } = value;
  const crs = foreignCrs(value.crs) ?? (isRecord(geometry) ? foreignCrs(geometry.crs) : null);
  if (crs !== null)
    return broken(index, value, 'unsupported_crs', `wanted coordinates on WGS84 (EPSG:4326), got ${crs}`);
  if (layout !== 'collection' && GEOMETRY_TYPES.has(type))
    return { index, feature: { type: 'Feature', geometry: value, properties: {} } };
  if (type === undefined) return broken(index, value, 'missing_type', 'wanted "type": "Feature", got no "type"');
  if (type !== 'Feature') return broken(index, value, 'wrong_type', `wanted "type": "Feature", got ${wrongType(type)}`);
  if (!isRecord(properties ?? {}))
    return broken(
      index,
      value,
      'invalid_properties',
      `wanted an object or null as "properties", got ${kindOf(properties)}`,
    );
  const kept = (properties ?? {}) as Readonly<Record<string, unknown>>;
  const common = { type, geometry: geometry ?? null, properties: kept } as const;
  return { index, feature: isId(id) ? { ...common, id } : common };
}

function broken(index: number, value: unknown, code: ItemFaultCode, detail: string): GeojsonItem {
  return { index, fault: { code, detail }, value };
}

/** A number too long for JavaScript is an id like any other. */
function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number' || isExactNumber(id);
}

function wrongType(type: unknown): string {
  if (GEOMETRY_TYPES.has(type)) return `a bare ${String(type)}; put it into the "geometry" of a Feature`;
  return typeof type === 'string' ? JSON.stringify(type.slice(0, 100)) : kindOf(type);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
