import type { Field } from './columns/fields.ts';
import { cutAntimeridian } from '../geo/shapes/cut-antimeridian.ts';
import { faultSentence } from '../geo/shapes/to-shape.ts';
import { type Measured, measureGeometry } from './measure-geometry.ts';
import type { LocationOptions } from './options.ts';
import type { TablePlan } from './plan-table.ts';
import { crsOfRow, type Doubt } from './crs-of-row.ts';
import { placeGeometry } from './place-geometry.ts';
import { readPosition } from './read-position.ts';
import type { SourceFeature } from './source-table.ts';
import { isCellError, type WordSources } from './columns/value-votes.ts';
import { parseArea, type AreaUnit } from './values/parse-area.ts';
import { parseLocationType, type LocationType } from './values/parse-location-type.ts';
import type { DecimalSign } from './values/parse-number.ts';
import { locationWarning, type LocationWarning } from './warnings.ts';

/** A row in our own words, before any geocoder was queried. */
export interface ReadRow {
  readonly feature: SourceFeature;
  readonly geometry: unknown;
  readonly measured: Measured | null;
  readonly locationId: string | number | null;
  readonly statedType: LocationType | null;
  /** The column that each value came from. */
  readonly columns: Readonly<Partial<Record<Field, string>>>;
  /** The first of `names`. */
  readonly name: string | null;
  /** What each filled column of names holds, in the order in which they are read. */
  readonly names: readonly { readonly column: string; readonly text: string }[];
  readonly supplierName: string | null;
  readonly productionPlace: string | null;
  readonly address: string | null;
  readonly locality: string | null;
  readonly admin1: string | null;
  /** ISO alpha-2. */
  readonly country: string | null;
  /** The country was stated by the row itself. */
  readonly ownCountry: boolean;
  readonly commodity: string | null;
  /** Hectares as stated. */
  readonly statedHa: number | null;
  readonly warnings: LocationWarning[];
}

export function readRow(
  feature: SourceFeature,
  plan: TablePlan,
  options: LocationOptions,
  words: WordSources,
): ReadRow {
  const warnings: LocationWarning[] = [];
  const refused = refusedCells(feature);
  const { columns, cell, text, doubt } = openCells(feature, plan, refused, warnings);
  addNotes(feature, plan, warnings);
  const stated = text('country');
  const ownCode = stated === null ? null : words.countryCode(stated);
  if (stated !== null && ownCode === null) doubt('country_unknown', 'country');
  const country = ownCode ?? options.country;
  const own = feature.geometry === undefined ? null : feature.geometry;
  const written = own ?? readPosition(cell, plan, options.crs, country, doubt);
  const unnamed = warnings.findIndex(({ code }) => code === 'crs_assumed');
  const crsAt = (northing: number): string | null => {
    const named = (field: Field): unknown => (field === 'northing' ? northing : cell(field));
    return crsOfRow(named, plan, country, doubt) ?? options.crs;
  };
  const { geometry: stands, isAssumed } = placeGeometry(written, { crsAt, isUnnamed: unnamed >= 0 }, doubt);
  if (unnamed >= 0 && !isAssumed) warnings.splice(unnamed, 1);
  const cut = cutAntimeridian(stands);
  if (cut !== null) doubt('antimeridian_cut', null);
  const geometry = cut ?? stands;
  const measured = geometry === null || geometry === undefined ? null : measureGeometry(geometry);
  const isReported = warnings.some(({ code }) => code === 'out_of_range');
  if (measured !== null && measured.shape === null && !isReported)
    doubt('invalid_geometry', null, { reason: faultSentence(measured.fault) });
  if (measured?.shape != null && isNullIsland(measured)) doubt('null_island', null);
  const commodity = text('commodity_type');
  const idCell = cell('location_id');
  return {
    feature,
    geometry: geometry ?? null,
    measured,
    locationId: typeof idCell === 'number' ? idCell : (textOf(idCell) ?? feature.id ?? null),
    statedType: typeOf(text('location_type'), options.locationType),
    columns,
    name: text('name'),
    names: namesOf(feature, plan, refused),
    supplierName: text('supplier_name'),
    productionPlace: text('production_place'),
    address: text('address'),
    locality: text('locality'),
    admin1: text('admin1'),
    country,
    ownCountry: ownCode !== null,
    commodity: (commodity === null ? null : words.commodity(commodity)) ?? options.commodity,
    statedHa: areaOf(cell('area'), plan.areas.get(columns.area ?? ''), {
      country,
      isMerged: isMerged(feature, columns.area),
      doubt,
    }),
    warnings,
  };
}

/** The cells of a row by what their columns mean. `columns` says which of them were read; what is wrong is added to `warnings`. */
function openCells(
  feature: SourceFeature,
  plan: TablePlan,
  refused: ReadonlySet<unknown>,
  warnings: LocationWarning[],
) {
  const { row, properties } = feature;
  const columns: Partial<Record<Field, string>> = {};
  const errors: string[] = [];
  const noteError = (column: string): void => {
    if (errors.includes(column)) return;
    errors.push(column);
    warnings.push(locationWarning('cell_error', { row, column, value: properties[column] }));
  };
  /** The value of the first column of the field that has one. */
  const cell = (field: Field): unknown => {
    const own = plan.columnsOf[field];
    if (own === undefined) return null;
    for (const column of own) {
      if (refused.has(column)) continue;
      const value = properties[column];
      if (isCellError(value)) {
        noteError(column);
        continue;
      }
      if (isBlank(value)) continue;
      columns[field] = column;
      return value;
    }
    return null;
  };
  const text = (field: Field): string | null => textOf(cell(field));
  const doubt: Doubt = (code, field, blanks) => {
    // Of a coordinate that is an error it is said already that there is none.
    const isErroneous = field !== null && (plan.columnsOf[field] ?? []).some((column) => errors.includes(column));
    if (code === 'incomplete_coordinates' && isErroneous) return;
    const column = field === null ? undefined : (columns[field] ?? plan.columnsOf[field]?.[0]);
    warnings.push(
      locationWarning(code, { row, column, value: column === undefined ? undefined : properties[column] }, blanks),
    );
  };
  return { columns, cell, text, doubt };
}

/** What each filled column of names holds. */
function namesOf(
  { properties }: SourceFeature,
  { columnsOf }: TablePlan,
  refused: ReadonlySet<unknown>,
): ReadRow['names'] {
  const names: { column: string; text: string }[] = [];
  for (const column of columnsOf.name ?? []) {
    const name = refused.has(column) || isCellError(properties[column]) ? null : textOf(properties[column]);
    if (name !== null) names.push({ column, text: name });
  }
  return names;
}

const NONE: ReadonlySet<unknown> = new Set();

/** Columns whose cell is a formula that is not run: it stays under `source` and gives nothing. */
function refusedCells({ notes }: SourceFeature): ReadonlySet<unknown> {
  if (notes === undefined) return NONE;
  return new Set(notes.filter(({ code }) => code === 'formula_refused').map(({ column }) => column));
}

function isMerged({ notes }: SourceFeature, column: string | undefined): boolean {
  return notes?.some((note) => note.code === 'merged_cell' && note.column === column) ?? false;
}

/** What the reader noted: of cells only those that a field is read from. */
function addNotes(
  { row, notes, properties }: SourceFeature,
  { columnsOf }: TablePlan,
  warnings: LocationWarning[],
): void {
  if (notes === undefined) return;
  const used = new Set(Object.values(columnsOf).flat());
  for (const { code, column, value, blanks } of notes) {
    const name = column === undefined ? undefined : String(column);
    if (name !== undefined && !used.has(name) && code !== 'extra_cells') continue;
    // No area is read from a merged cell, which is said where it would be read.
    if (code === 'merged_cell' && name !== undefined && columnsOf.area?.includes(name) === true) continue;
    const shown = value ?? (name === undefined ? undefined : properties[name]);
    warnings.push(locationWarning(code, { row, column: name, value: shown }, blanks));
  }
}

function isNullIsland({ shape, kind }: Extract<Measured, { kind: string }>): boolean {
  return kind === 'point' && shape.points.length === 2 && shape.points[0] === 0 && shape.points[1] === 0;
}

function typeOf(stated: string | null, requested: LocationType | null): LocationType | null {
  return requested ?? (stated === null ? null : parseLocationType(stated));
}

function areaOf(
  value: unknown,
  column: { readonly unit: AreaUnit; readonly sign: DecimalSign | null } | undefined,
  { country, isMerged, doubt }: { readonly country: string | null; readonly isMerged: boolean; readonly doubt: Doubt },
): number | null {
  if (value === null || value === undefined || column === undefined) return null;
  if (isMerged) {
    doubt('area_invalid', 'area', {
      reason: 'its cell is merged over several rows, and may hold the area of all of them',
    });
    return null;
  }
  const area = parseArea(value, column.unit, column.sign, country);
  if (area === null) {
    doubt('area_invalid', 'area', { reason: 'it is not a number with a unit that is known here' });
    return null;
  }
  const { hectares, unit, ambiguous } = area;
  if (hectares <= 0) {
    // Nought stands for "not known" in too many files to be worth a word.
    if (hectares < 0) doubt('area_invalid', 'area', { reason: 'it is negative' });
    return null;
  }
  if (ambiguous) doubt('number_ambiguous', 'area', { read: hectares / unit.hectares });
  if (unit.local === true) doubt('area_unit_assumed', 'area', { unit: unit.name, hectares: unit.hectares });
  return hectares;
}

const [SPACE, MINUS, ZERO, TILDE] = [0x20, 0x2d, 0x30, 0x7e];
/** Longer than all words for nothing but rows of dashes. */
const LONGEST_BLANK = 'unknown'.length;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** Whether a text is ASCII without spaces at its ends, two of them in a row, or others than the plain one. */
function isTidy(text: string): boolean {
  let before = SPACE;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < SPACE || code > TILDE || (code === SPACE && before === SPACE)) return false;
    before = code;
  }
  return before !== SPACE;
}

/** Says nothing: the next column of the same field is read. */
function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && textOf(value) === null);
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  const text = isTidy(value) ? value : value.trim().replaceAll(/\s+/g, ' ');
  const first = text.charCodeAt(0);
  if ((text.length > LONGEST_BLANK && first !== MINUS) || isDigit(first)) return text;
  return text === '' || /^(n\/?a|null|none|-+|#n\/a|nan|unknown)$/i.test(text) ? null : text;
}
