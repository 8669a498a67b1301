import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, type FileMetaData } from 'hyparquet';
import type { Geometry } from '../../../geo/geometry.ts';
import { parseWkb, WkbError } from '../../../geo/shapes/wkb.ts';
import type { SourceFeature, SourceNote } from '../../../locations/source-table.ts';
import { FILE_LIMITS } from './file-limits.ts';
import { parquetGeometry, type ParquetGeometry } from './geoparquet-columns.ts';
import { malformed, tooLarge } from './malformed.ts';
import { nativeGeometry } from './native-geometry.ts';
import { PARQUET_COMPRESSORS } from '../parquet-compressors.ts';

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
