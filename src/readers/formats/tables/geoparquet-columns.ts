import type { FileMetaData } from 'hyparquet';
import { malformed } from './malformed.ts';
import { crsOfName, crsOfWkt, WGS84_FILE, type FileCrs } from './wkt-crs.ts';

export interface ParquetGeometry {
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
export function parquetGeometry(metadata: FileMetaData): ParquetGeometry | null {
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
