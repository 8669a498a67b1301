import { isExactNumber } from '../geo/parse-json.ts';
import type { NormalizedLocation } from './normalized.ts';

type Cell = string | number | boolean | null | undefined;

const PLAIN = [
  'location_id',
  'location_type',
  'name',
  'supplier_name',
  'address',
  'admin1',
  'country',
  'country_code',
  'commodity_type',
  'area_ha',
  'geometry_source',
  'geocode_precision',
  'geocode_confidence',
  'source_row',
  'source_sheet',
] as const;

/** Locations as a table: plain values, the warnings as sentences, the geometry as GeoJSON text, the input's columns as JSON text. */
export const locationColumns = {
  header: ['id', ...PLAIN, 'longitude', 'latitude', 'warnings', 'geometry', 'source'] as readonly string[],

  /** As many cells as the header has names. */
  row({ id, geometry, properties }: NormalizedLocation): readonly Cell[] {
    const [longitude, latitude] = pointOf(geometry);
    return [
      isExactNumber(id) ? id.rawJSON : id,
      ...PLAIN.map((name): Cell => properties[name]),
      longitude,
      latitude,
      properties.warnings.map(({ message }) => message).join(' | '),
      geometry === null ? null : JSON.stringify(geometry),
      JSON.stringify(properties.source),
    ];
  },
};

function pointOf(geometry: unknown): readonly [Cell, Cell] {
  const { type, coordinates } = (geometry ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type !== 'Point' || !Array.isArray(coordinates)) return [null, null];
  const [lon, lat] = coordinates as unknown[];
  return typeof lon === 'number' && typeof lat === 'number' ? [lon, lat] : [null, null];
}
