import type { Static } from 'typebox';
import { boxesOf, readBox } from '../../../gis/boxes.ts';
import { Cql2Error, type Expression } from '../../../gis/cql2/expression.ts';
import { parseCql2Text } from '../../../gis/cql2/parse-text.ts';
import { GEOMETRY_NAME, readExpression } from '../../../gis/cql2/read-expression.ts';
import { readTimeSpan, spansTouch } from '../../../gis/days.ts';
import { CRS84, findMapCrs, type MapCrs, toDegrees } from '../../../gis/map-crs.ts';
import type { PageRequest } from '../../../gis/read-page.ts';
import type { MapSet } from '../../../service/gis/map-sets.ts';
import { wrongParameter } from './answers.ts';
import { DEFAULT_ITEMS, type ItemsQuery, MAX_ITEMS } from './schemas.ts';

type Query = Static<typeof ItemsQuery>;

/** The page that a query wants; null where its days are not those of the set, so that it has no feature at all. */
export function readItemsQuery(query: Query, set: MapSet, names: ReadonlySet<string> | null): PageRequest | null {
  const { limit = DEFAULT_ITEMS, bbox, datetime } = query;
  const request: PageRequest = {
    boxes: bbox === undefined ? null : boxesOf(boxOf(bbox, crsOf('bbox-crs', query['bbox-crs']))),
    filter: filterOf(query, names),
    after: query.after === undefined ? null : rowAfter(query.after, set.version),
    limit: Math.min(limit, MAX_ITEMS),
  };
  if (datetime === undefined) return request;
  const span = readTimeSpan(datetime);
  if (span === null)
    throw wrongParameter(
      'datetime',
      `wanted a day such as 2021-01-01, a time with its zone, or two with a slash, got ${JSON.stringify(datetime)}`,
    );
  // What is about no days is about all of them, as Part 1 wants.
  return set.period === null || spansTouch(span, set.period) ? { ...request, days: span } : null;
}

/** `after` of a page that ends with a row. */
export function afterRow(row: number, version: string): string {
  return `${row}-${version}`;
}

function rowAfter(after: string, version: string): number {
  const [row, ...rest] = after.split('-');
  if (rest.join('-') !== version)
    throw wrongParameter(
      'after',
      'wanted the `next` link of a page of the features that are there now; they have changed, begin again without it',
    );
  return Number(row);
}

/** The system that a parameter names; without it CRS84. */
export function crsOf(name: string, text: string = CRS84): MapCrs {
  const crs = findMapCrs(text);
  if (crs !== null) return crs;
  throw wrongParameter(
    name,
    `wanted a coordinate system that the collection lists in \`crs\`, got ${JSON.stringify(text)}`,
  );
}

/** The box of `bbox`, whose numbers are in a system. */
export function boxOf(text: string, crs: MapCrs): readonly [number, number, number, number] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const flat = numbers.length === 6 ? [numbers[0], numbers[1], numbers[3], numbers[4]] : numbers;
  const degrees = toDegrees(flat, crs);
  const box = degrees === null ? null : readBox(degrees);
  if (box !== null) return box;
  const wanted = crs.isDegrees ? 'west,south,east,north in degrees' : `a box that ${crs.uri} reaches`;
  throw wrongParameter('bbox', `wanted ${wanted}, got ${JSON.stringify(text)}`);
}

function filterOf(query: Query, names: ReadonlySet<string> | null): Expression | null {
  const { filter } = query;
  if (filter === undefined) return null;
  const crs = crsOf('filter-crs', query['filter-crs']);
  if (crs.uri !== CRS84) throw wrongParameter('filter-crs', `wanted ${CRS84}, got ${crs.uri}`);
  const known = names === null ? null : new Set([...names, GEOMETRY_NAME]);
  try {
    return query['filter-lang'] === 'cql2-json' ? readExpression(jsonOf(filter), known) : parseCql2Text(filter, known);
  } catch (error) {
    if (!(error instanceof Cql2Error)) throw error;
    throw wrongParameter('filter', error.message);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Cql2Error(`wanted CQL2 as JSON, got ${JSON.stringify(text.slice(0, 60))}`);
  }
}
