import {
  COMMON_FIELDS,
  REVIEW_FIELDS,
  type FetchedFeature,
  type Properties,
  type View,
} from '../../../collections/fetch/view.ts';
import type { CsvCell, CsvColumns } from '../../../locations/formats/feature-text.ts';
import type { CollectionReader } from '../../../collections/collection.ts';
import { findColumns } from '../../../collections/fetch/find-columns.ts';
import type { Selection } from '../../../collections/fetch/select-features.ts';
import { Problem } from '../../../errors.ts';
import { nearestName } from '../../../nearest-name.ts';
import { isAddedByOthers } from '../../problems/read-value.ts';

/** What identifies a location in a table, before everything an endpoint adds. */
const IDENTITY = ['location_id', 'name', 'supplier_name', 'country', 'country_code', 'commodity_type', 'area_ha'];

/** Features as a table: lists and objects as JSON text, the geometry last. */
export function fetchColumns(fields: View['fields']): CsvColumns<FetchedFeature> {
  const names = [...new Set([...COMMON_FIELDS, ...IDENTITY, ...fields, ...REVIEW_FIELDS, 'source'])];
  return {
    header: ['id', ...names, 'geometry'],
    row: ({ id, geometry, properties }) => [id, ...names.map((name) => cellOf(properties[name])), cellOf(geometry)],
  };
}

/** Totals as a table of one row. */
export function totalsColumns(properties: Properties): CsvColumns<FetchedFeature> {
  const names = Object.keys(properties).filter((name) => name !== 'messages');
  return { header: names, row: (feature) => names.map((name) => cellOf(feature.properties[name])) };
}

function cellOf(value: unknown): CsvCell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvCell);
}

const MAX_SHOWN = 80;
const MAX_LISTED = 40;

/**
 * The selection without the filters by names that others add to an address and no location has. Refuses any other column
 * that no location has: an empty answer would read as if nothing had been found.
 */
export async function checkColumns(
  reader: Pick<CollectionReader, 'records'>,
  selection: Selection,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<Selection> {
  const { missing, known } = await findColumns(reader, selection, signal);
  const refused = missing.filter(({ name }) => !isAddedByOthers(name));
  if (refused.length === 0)
    return missing.length === 0
      ? selection
      : { ...selection, filters: selection.filters.filter((filter) => !missing.includes(filter)) };
  const errors = refused.map(({ name }) => {
    const nearest = nearestName(name, [...parameters, ...known]);
    const hint = nearest === null ? `there are ${known.slice(0, MAX_LISTED).join(', ')}.` : `did you mean ${nearest}?`;
    const shown = name.slice(0, MAX_SHOWN);
    return {
      pointer: `/query/${shown}`,
      code: 'unknown',
      detail: `There is no parameter or column ${JSON.stringify(shown)}; ${hint}`,
    };
  });
  throw new Problem('invalid_parameter', errors.map(({ detail }) => detail).join(' '), { errors });
}
