import type { LocationOptions } from './options.ts';
import { detectColumns, type ColumnFinding, type ColumnSample } from './columns/detect-columns.ts';
import type { Field } from './columns/fields.ts';
import { foldName } from './columns/header.ts';
import { isCellError, type WordSources } from './columns/value-votes.ts';
import type { SourceFeature } from './source-table.ts';
import { findAreaUnit, HECTARE, type AreaUnit } from './values/parse-area.ts';
import { parseCoordinate, parsePair, type HemisphereLetters } from './values/parse-coordinate.ts';
import { parseLocationType, type LocationType } from './values/parse-location-type.ts';
import { decimalSignOf, type DecimalSign } from './values/parse-number.ts';

/** How the rows of one table are read: decided once, from its first rows. */
export interface TablePlan {
  readonly columns: readonly ColumnFinding[];
  /** Names of the columns of each field that has any, in the order in which a row is read. */
  readonly columnsOf: Readonly<Partial<Record<Field, readonly string[]>>>;
  /** The column of latitudes holds longitudes and the other way round. */
  readonly swapped: boolean;
  /** Which of two coordinates in one cell comes first where nothing next to it says so. */
  readonly pairOrder: 'latitude first' | 'longitude first';
  /** By the language of its headings. */
  readonly letters: HemisphereLetters;
  /** How the numbers of each column of areas are read. */
  readonly areas: ReadonlyMap<string, { readonly unit: AreaUnit; readonly sign: DecimalSign | null }>;
  readonly metricSign: DecimalSign | null;
  /** A UTM zone that a heading names, such as `18S`. */
  readonly zone: string | null;
  /** What the headings say of rows that fill them: "Mill name" names a mill, "Farmer" the one who grows on a plot. */
  readonly headingTypes: ReadonlyMap<string, LocationType>;
  /** What the name of the sheet or layer says. */
  readonly sheetType: LocationType | null;
  /** How surely the table holds locations: 3 coordinates, 2 places by name, 1 countries, 0 none. */
  readonly strength: 0 | 1 | 2 | 3;
}

/** Values of a column that take part in the vote. */
const SAMPLE_VALUES = 200;

export function planTable(
  name: string | null,
  sample: readonly SourceFeature[],
  columns: readonly string[],
  options: LocationOptions,
  words: WordSources,
  proposals?: ReadonlyMap<string, Field>,
): TablePlan {
  const samples = sampleColumns(sample, columns);
  const valuesOf = (column: string): readonly unknown[] =>
    samples.find((known) => known.column === column)?.values ?? [];
  const findings = detectColumns(samples, options.mapping, words, proposals);
  const columnsOf = columnsByField(findings);
  const valuesIn = (field: Field): readonly unknown[] => (columnsOf[field] ?? []).flatMap(valuesOf);
  const hasGeometry = sample.some(({ geometry }) => geometry !== undefined && geometry !== null);
  return {
    columns: findings,
    columnsOf,
    swapped: areSwapped(valuesIn('latitude'), valuesIn('longitude')),
    pairOrder: pairOrderOf(valuesIn('coordinates'), columnsOf.coordinates?.[0] ?? ''),
    letters: lettersOf(columnsOf),
    areas: new Map(
      (columnsOf.area ?? []).map((column) => [
        column,
        { unit: findAreaUnit(column, options.country) ?? HECTARE, sign: decimalSignOf(valuesOf(column)) },
      ]),
    ),
    metricSign: decimalSignOf([...valuesIn('easting'), ...valuesIn('northing')]),
    zone: zoneIn([...(columnsOf.easting ?? []), ...(columnsOf.northing ?? [])].join(' ')),
    headingTypes: headingTypesOf(columnsOf),
    sheetType: parseLocationType(foldName(name ?? '')),
    strength: hasGeometry ? 3 : strengthOf(columnsOf),
  };
}

/** The values of each column that take part in the vote. */
export function sampleColumns(sample: readonly SourceFeature[], columns: readonly string[]): ColumnSample[] {
  return columns.map((column) => {
    const values: unknown[] = [];
    for (const { properties } of sample) {
      const value = properties[column];
      if (value !== null && value !== undefined && value !== '' && !isCellError(value)) values.push(value);
      if (values.length === SAMPLE_VALUES) break;
    }
    return { column, values };
  });
}

/** Latitudes beyond 90 that would be longitudes, in most of the rows, and partners that would be latitudes in all of them. */
function areSwapped(latitudes: readonly unknown[], longitudes: readonly unknown[]): boolean {
  const beyond = (values: readonly unknown[]): number =>
    values.filter((value) => Math.abs(parseCoordinate(value)?.value ?? 0) > 90).length;
  return latitudes.length > 0 && beyond(latitudes) > latitudes.length / 2 && beyond(longitudes) === 0;
}

function pairOrderOf(values: readonly unknown[], column: string): TablePlan['pairOrder'] {
  const pairs = values.map((value) => parsePair(value)).filter((pair) => pair !== null);
  const first = pairs.filter((pair) => Math.abs(pair.first.value) > 90).length;
  const second = pairs.filter((pair) => Math.abs(pair.second.value) > 90).length;
  const named = /^(x ?y|lon\w* ?(y )?lat\w*|laengengrad|langengrad|lengtegraad|[経经經]度? ?[緯纬]度)/.test(
    foldName(column),
  );
  return first > second || (first === 0 && second === 0 && named) ? 'longitude first' : 'latitude first';
}

/** German and Dutch headings of coordinates. */
const GERMANIC_HEADINGS =
  /\b(\w*breiten?(grad)?|la?e?ngen?(grad)?|lange|laenge|geokoordinaten?|koordinaten?|breedte(graad)?|lengte(graad)?|coordina?at|coordinaten)\b/;

function lettersOf(columnsOf: TablePlan['columnsOf']): HemisphereLetters {
  const headings = (['latitude', 'longitude', 'coordinates'] as const).flatMap((field) => columnsOf[field] ?? []);
  return headings.some((heading) => GERMANIC_HEADINGS.test(foldName(heading))) ? 'germanic' : 'usual';
}

function zoneIn(heading: string): string | null {
  return /\b([1-9]|[1-5]\d|60)\s?([NS])\b/i.exec(heading.replaceAll(/[_()]/g, ' '))?.slice(1).join('') ?? null;
}

function columnsByField(findings: readonly ColumnFinding[]): TablePlan['columnsOf'] {
  const columnsOf: Partial<Record<Field, string[]>> = {};
  for (const { column, field } of findings.toSorted((a, b) => (a.order ?? 1) - (b.order ?? 1)))
    if (field !== null) (columnsOf[field] ??= []).push(column);
  return columnsOf;
}

/** Fields whose heading says what the row is about, where it says it at all. */
const DESCRIPTIVE_HEADINGS = [
  'name',
  'supplier_name',
  'location_id',
  'geometry',
  'coordinates',
  'latitude',
  'easting',
] as const satisfies readonly Field[];
/** Headings of people who grow something, and the producer of the EU's own format, whose rows are plots. */
const GROWERS =
  /^producer ?na(me)?$|farmer|grower|planter|smallholder|agricultor|caficultor|planteur|cultivateur|petani|pekebun|nong dan|เกษตรกร|landwirt|bauer|pflanzer|agricoltore|coltivatore|\bteler|\bboer\b|landbouwer|農家|農民|農業者|农户|农民|農戶|种植[户者]|種植者|مزارع|فلاح/;

function headingTypesOf(columnsOf: TablePlan['columnsOf']): TablePlan['headingTypes'] {
  const types = new Map<string, LocationType>((columnsOf.production_place ?? []).map((column) => [column, 'plot']));
  for (const column of DESCRIPTIVE_HEADINGS.flatMap((field) => columnsOf[field] ?? [])) {
    const folded = foldName(column);
    const type = parseLocationType(folded) ?? (GROWERS.test(folded) ? 'plot' : null);
    if (type !== null) types.set(column, type);
  }
  return types;
}

function strengthOf(columnsOf: TablePlan['columnsOf']): TablePlan['strength'] {
  const has = (...fields: Field[]): boolean => fields.every((field) => columnsOf[field] !== undefined);
  if (has('geometry') || has('latitude', 'longitude') || has('coordinates') || has('easting', 'northing')) return 3;
  if (has('address') || has('locality') || has('admin1', 'country')) return 2;
  return has('country') ? 1 : 0;
}
