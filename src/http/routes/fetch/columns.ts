import type { FetchedFeature, Properties, View } from '../../../collections/fetch/view.ts';
import { COMMON_FIELDS } from '../../../collections/fetch/view.ts';
import type { CsvCell, CsvColumns } from '../../../locations/formats/feature-text.ts';

/** What identifies a location in a table, before everything an endpoint adds. */
const IDENTITY = ['location_id', 'name', 'supplier_name', 'country', 'country_code', 'commodity_type', 'area_ha'];

/** Features as a table: lists and objects as JSON text, the geometry last. */
export function fetchColumns(fields: View['fields']): CsvColumns<FetchedFeature> {
  const names = [...new Set([...COMMON_FIELDS, ...IDENTITY, ...fields, 'source'])];
  return {
    header: ['id', ...names, 'geometry'],
    row: ({ id, geometry, properties }) => [id, ...names.map((name) => cellOf(properties[name])), cellOf(geometry)],
  };
}

/** Totals as a table of one row. */
export function totalsColumns(properties: Properties): CsvColumns<FetchedFeature> {
  const names = Object.keys(properties);
  return { header: names, row: (feature) => names.map((name) => cellOf(feature.properties[name])) };
}

function cellOf(value: unknown): CsvCell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvCell);
}
