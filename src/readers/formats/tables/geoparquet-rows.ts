import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, type FileMetaData } from 'hyparquet';
import type { Geometry, Position } from '../../../geo/geometry.ts';
import { parseWkb, WkbError } from '../../../geo/shapes/wkb.ts';
import type { SourceFeature, SourceNote } from '../../../locations/source-table.ts';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { PARQUET_COMPRESSORS } from '../parquet-compressors.ts';
import { crsOfName, crsOfWkt, WGS84_FILE, type FileCrs } from './wkt-crs.ts';

/** How deep lists of positions lie in each encoding of GeoParquet 1.1 that is not WKB. */
const NATIVE = {
  point: { type: 'Point', depth: 0 },
  linestring: { type: 'LineString', depth: 1 },
  polygon: { type: 'Polygon', depth: 2 },
  multipoint: { type: 'MultiPoint', depth: 1 },
  multilinestring: { type: 'MultiLineString', depth: 2 },
  multipolygon: { type: 'MultiPolygon', depth: 3 },
} as const;

/** A Parquet file whose rows can be read group by group. It trusts counts inside the pages: run it in a thread of its own. */
interface ParquetRows {
  readonly remarks: readonly string[];
  groups(): AsyncGenerator<SourceFeature[], void>;
}

export async function openParquetRows(path: string): Promise<ParquetRows> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  checkGroups(metadata);
  const geometry = parquetGeometry(metadata);
  return {
    remarks: geometry?.crs == null ? [] : [`The geometry is in ${geometry.crs.name}.`],
    async *groups() {
      let rowStart = 0;
      for (const { num_rows: rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(rows);
        const read = await parquetReadObjects({
          file,
          metadata,
          rowStart,
          rowEnd,
          compressors: PARQUET_COMPRESSORS,
          geoparquet: false,
          utf8: false,
        });
        if (read.length !== rowEnd - rowStart)
          throw malformed('broken_parquet', `wanted ${rowEnd - rowStart} rows in a group, got ${read.length}`);
        yield read.map((row, i) => toFeature(rowStart + i + 1, row, geometry));
        rowStart = rowEnd;
      }
    },
  };
}

function checkGroups({ row_groups: groups, schema }: FileMetaData): void {
  if (schema.length > FILE_LIMITS.columns)
    throw tooLarge(`The file has too many columns; wanted at most ${FILE_LIMITS.columns}.`);
  for (const { total_byte_size: bytes } of groups)
    if (Number(bytes) > FILE_LIMITS.heldBytes * 2)
      throw tooLarge(
        `A group of rows is too large; wanted at most ${FILE_LIMITS.heldBytes * 2} bytes, got ${bytes}. Write the file with smaller row groups.`,
      );
}

function toFeature(
  row: number,
  values: Readonly<Record<string, unknown>>,
  geometry: ParquetGeometry | null,
): SourceFeature {
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values))
    if (name !== geometry?.column && name !== '__proto__') properties[name] = plainValue(value);
  if (geometry === null) return { row, properties };
  const notes: SourceNote[] = [];
  const own = shapeOf(values[geometry.column], geometry.encoding, notes);
  const { crs } = geometry;
  if (own !== null && crs === null) notes.push({ code: 'crs_assumed' });
  if (own !== null && crs?.note != null) notes.push(crs.note);
  const shape = own === null || crs === null ? own : crs.toLonLat === null ? null : crs.toLonLat(own);
  return { row, geometry: shape, properties, ...(notes.length === 0 ? {} : { notes }) };
}

function shapeOf(value: unknown, encoding: string, notes: SourceNote[]): Geometry | null {
  if (value === null || value === undefined) return null;
  try {
    return value instanceof Uint8Array ? parseWkb(value).geometry : nativeGeometry(value, encoding);
  } catch (error) {
    if (!(error instanceof WkbError)) throw error;
    notes.push({ code: 'unreadable_record', blanks: { reason: error.message } });
    return null;
  }
}

/** As JSON can hold it; bytes that are no text stay hexadecimal, so that a column of WKB is still found. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) {
    const isText = value.every((byte) => byte >= 9);
    return isText ? Buffer.from(value).toString('utf8') : Buffer.from(value).toString('hex');
  }
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainValue(inner)]));
  return value;
}

/** The geometry of a struct of x and y, or lists of such. @throws WkbError */
function nativeGeometry(value: unknown, encoding: string): Geometry {
  const kind = encoding.toLowerCase();
  if (!Object.hasOwn(NATIVE, kind)) throw new WkbError(`wanted WKB or a native encoding, got ${encoding}.`);
  const { type, depth } = NATIVE[kind as keyof typeof NATIVE];
  return { type, coordinates: nested(value, depth) } as Geometry;
}

function nested(value: unknown, depth: number): unknown {
  if (depth > 0) {
    if (!Array.isArray(value)) throw new WkbError('wanted a list of positions, got something else.');
    return value.map((item: unknown) => nested(item, depth - 1));
  }
  const { x, y, z } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof x !== 'number' || typeof y !== 'number') throw new WkbError('wanted numbers x and y, got something else.');
  return (typeof z === 'number' ? [x, y, z] : [x, y]) satisfies Position;
}

interface ParquetGeometry {
  readonly column: string;
  /** `WKB`, or a native encoding such as `point`. */
  readonly encoding: string;
  readonly crs: FileCrs | null;
}

interface GeoColumn {
  readonly encoding?: unknown;
  readonly crs?:
    | { readonly id?: { readonly authority?: unknown; readonly code?: unknown }; readonly name?: unknown }
    | string
    | null;
}

/** The geometry column by the `geo` metadata of GeoParquet 1.x or by the GEOMETRY type of Parquet; null for a plain table. */
function parquetGeometry(metadata: FileMetaData): ParquetGeometry | null {
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
  if (text === undefined) return nativeColumn(metadata);
  let geo: { primary_column?: unknown; columns?: Readonly<Record<string, GeoColumn>> };
  try {
    geo = JSON.parse(text) as typeof geo;
  } catch (error) {
    throw malformed('broken_geoparquet', 'wanted JSON in the "geo" metadata, got other text', error);
  }
  const name = typeof geo.primary_column === 'string' ? geo.primary_column : Object.keys(geo.columns ?? {})[0];
  const column = name === undefined || !Object.hasOwn(geo.columns ?? {}, name) ? undefined : geo.columns?.[name];
  if (name === undefined || column === undefined)
    throw malformed('broken_geoparquet', 'wanted a primary column in the "geo" metadata, got none');
  return { column: name, encoding: String(column.encoding ?? 'WKB'), crs: crsOf(column.crs) };
}

function nativeColumn({ schema }: FileMetaData): ParquetGeometry | null {
  for (const { name, logical_type: type } of schema) {
    if (type?.type !== 'GEOMETRY' && type?.type !== 'GEOGRAPHY') continue;
    return { column: name, encoding: 'WKB', crs: crsOf((type as { crs?: string }).crs) };
  }
  return null;
}

/** Absent means WGS84; null means that nobody knows. */
function crsOf(crs: GeoColumn['crs']): FileCrs | null {
  if (crs === undefined) return WGS84_FILE;
  if (crs === null) return null;
  if (typeof crs === 'string') return /^\w+CRS\[|CS\[/.test(crs) ? crsOfWkt(crs) : crsOfName(crs);
  const { authority, code } = crs.id ?? {};
  if (authority === undefined || code === undefined)
    return crsOfName(String(crs.name ?? 'a coordinate system without a code'));
  return crsOfName(`${String(authority)}:${String(code)}`);
}
