import type { LocationOptions } from './options.ts';
import { detectColumns, type ColumnFinding, type ColumnSample } from './columns/detect-columns.ts';
import type { Field } from './columns/fields.ts';
import { foldName } from './columns/fold-name.ts';
import type { WordSources } from './columns/value-votes.ts';
import type { SourceFeature } from './source-table.ts';
import { findAreaUnit, HECTARE, type AreaUnit } from './values/parse-area.ts';
import { parseCoordinate } from './values/parse-coordinate.ts';
import { parseLocationType, type LocationType } from './values/parse-location-type.ts';
import { decimalSignOf, type DecimalSign } from './values/parse-number.ts';
import { parsePair } from './values/parse-pair.ts';

/** How the rows of one table are read: decided once, from its first rows. */
export interface TablePlan {
  readonly columns: readonly ColumnFinding[];
  /** Name of the column of each field that has one. */
  readonly columnOf: Readonly<Partial<Record<Field, string>>>;
  /** The column of latitudes holds longitudes and the other way round. */
  readonly swapped: boolean;
  /** Which of two coordinates in one cell comes first where nothing beside it tells. */
  readonly pairOrder: 'latitude first' | 'longitude first';
  readonly areaUnit: AreaUnit;
  readonly areaSign: DecimalSign | null;
  readonly metricSign: DecimalSign | null;
  /** A UTM zone that a heading names, such as `18S`. */
  readonly zone: string | null;
  /** What the names of the table and its columns hint at. */
  readonly typeHint: LocationType | null;
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
  const columnOf: Partial<Record<Field, string>> = {};
  for (const { column, field } of findings) if (field !== null) columnOf[field] = column;
  const valuesIn = (field: Field): readonly unknown[] =>
    columnOf[field] === undefined ? [] : valuesOf(columnOf[field]);
  const hasGeometry = sample.some(({ geometry }) => geometry !== undefined && geometry !== null);
  return {
    columns: findings,
    columnOf,
    swapped: areSwapped(valuesIn('latitude'), valuesIn('longitude')),
    pairOrder: pairOrderOf(valuesIn('coordinates'), columnOf.coordinates ?? ''),
    areaUnit: findAreaUnit(columnOf.area ?? '', options.country) ?? HECTARE,
    areaSign: decimalSignOf(valuesIn('area')),
    metricSign: decimalSignOf([...valuesIn('easting'), ...valuesIn('northing')]),
    zone: zoneIn([columnOf.easting ?? '', columnOf.northing ?? ''].join(' ')),
    typeHint: typeHintOf(name, columns),
    strength: hasGeometry ? 3 : strengthOf(columnOf),
  };
}

/** The values of each column that take part in the vote. */
export function sampleColumns(sample: readonly SourceFeature[], columns: readonly string[]): ColumnSample[] {
  return columns.map((column) => {
    const values: unknown[] = [];
    for (const { properties } of sample) {
      const value = properties[column];
      if (value !== null && value !== undefined && value !== '') values.push(value);
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
  const pairs = values.map(parsePair).filter((pair) => pair !== null);
  const first = pairs.filter((pair) => Math.abs(pair.first.value) > 90).length;
  const second = pairs.filter((pair) => Math.abs(pair.second.value) > 90).length;
  const named = /^(x ?y|lon\w* ?(y )?lat\w*)/.test(foldName(column));
  return first > second || (first === 0 && second === 0 && named) ? 'longitude first' : 'latitude first';
}

function zoneIn(heading: string): string | null {
  return /\b([1-9]|[1-5]\d|60)\s?([NS])\b/i.exec(heading.replaceAll(/[_()]/g, ' '))?.slice(1).join('') ?? null;
}

/** The headings that name things rather than their traits. */
function typeHintOf(name: string | null, columns: readonly string[]): LocationType | null {
  const hints = [...columns, name ?? ''].map((text) =>
    parseLocationType(foldName(text).replace(/\b(point|type)\b/g, '')),
  );
  const [facilities, plots] = [
    hints.filter((hint) => hint === 'facility').length,
    hints.filter((hint) => hint === 'plot').length,
  ];
  return facilities === plots ? null : facilities > plots ? 'facility' : 'plot';
}

function strengthOf(columnOf: TablePlan['columnOf']): TablePlan['strength'] {
  const has = (...fields: Field[]): boolean => fields.every((field) => columnOf[field] !== undefined);
  if (has('geometry') || has('latitude', 'longitude') || has('coordinates') || has('easting', 'northing')) return 3;
  if (has('address') || has('locality') || has('admin1', 'country')) return 2;
  return has('country') ? 1 : 0;
}
