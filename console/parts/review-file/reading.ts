import type { Answer } from '../../api/client.ts';

/** What a file would become; nothing of it is kept. */
export type Preview = Extract<Answer<'processBatch'>, { dry_run: true }>;

/** How a file is to be read: what the user says of it. */
export interface Reading {
  /** Columns to fields, or to null to leave them alone; a column that is not here is found out. */
  readonly mapping: Readonly<Record<string, string | null>>;
  /** The sheet or layer to read; null: all that hold locations. */
  readonly sheet: string | null;
  /** Of rows that name none; `NO_COMMODITY` where nobody knows it, empty while that is open. */
  readonly commodity: string;
}

export const AS_FOUND: Reading = { mapping: {}, sheet: null, commodity: '' };
/** The commodity is not known: nothing is checked that depends on it. */
export const NO_COMMODITY = 'none';

export const COMMODITIES = ['palm', 'rubber', 'cocoa', 'coffee', 'soy', 'timber', 'cattle'] as const;

/** Fields that a column can be given, in the order of the menu. */
export const FIELDS = [
  'latitude',
  'longitude',
  'coordinates',
  'geometry',
  'easting',
  'northing',
  'utm_zone',
  'hemisphere',
  'epsg',
  'location_id',
  'name',
  'supplier_name',
  'production_place',
  'country',
  'admin1',
  'locality',
  'address',
  'location_type',
  'commodity_type',
  'area',
] as const;

/** Writes into a form how its file is read. `commodityField` is what the operation calls the commodity. */
export function addReading(
  form: FormData,
  { mapping, sheet, commodity }: Reading,
  commodityField: 'commodity_type' | 'crop_type',
): void {
  if (Object.keys(mapping).length > 0) form.set('mapping', JSON.stringify(mapping));
  if (sheet !== null) form.set('sheets', JSON.stringify([sheet]));
  if (commodity !== '' && commodity !== NO_COMMODITY) form.set(commodityField, commodity);
}

/** The tables of a file that are read. */
export function tablesRead({ mapping }: Preview): Preview['mapping'] {
  return mapping.filter(({ skipped }) => skipped === null);
}

/** The headings of the tables that are read, each once. */
export function headingsOf(preview: Preview): readonly string[] {
  return [...new Set(tablesRead(preview).flatMap(({ columns }) => columns.map(({ column }) => column)))];
}
