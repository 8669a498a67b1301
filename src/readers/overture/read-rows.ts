import {
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type AsyncBuffer,
  type FileMetaData,
  type RowGroup,
} from 'hyparquet';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { PARQUET_COMPRESSORS } from '../formats/parquet-compressors.ts';
import { OvertureError, type OvertureType } from './overture-types.ts';

/** A row as it comes: columns by name. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows of a file that go together, with the bytes they take in it. */
interface RowBatch {
  readonly rows: readonly Row[];
  readonly bytes: number;
}

/** What of a file has to be read, before it is read. */
export interface FilePlan {
  readonly groups: readonly { readonly rowStart: number; readonly rowEnd: number; readonly bytes: number }[];
  /** Bytes of the columns wanted in those groups. */
  readonly bytes: number;
  read(signal: AbortSignal): AsyncGenerator<RowBatch, void>;
}

/** Bytes read from the end for the footer; a larger one takes a second request. */
const FOOTER_BYTES = 131_072;
/** Rows decoded together. */
const ROWS_AT_ONCE = 50_000;

/**
 * Reads the footer of a GeoParquet file and plans which groups of rows can touch a box; null when the file is not there. Throws an
 * `OvertureError` that names the columns that are wanted and missing.
 */
export async function planFile(
  source: ByteSource,
  type: Pick<OvertureType, 'columns' | 'oneOf'>,
  box: Bbox,
  signal: AbortSignal,
): Promise<FilePlan | null> {
  const info = await source.stat({ signal });
  if (info === null) return null;
  const file = bufferOf(source, info.size, signal);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false, initialFetchSize: FOOTER_BYTES }).catch(
    (cause: Error) => {
      signal.throwIfAborted();
      throw new OvertureError(source.id, `the footer cannot be read (${cause.message})`, { cause });
    },
  );
  const wanted = wantedColumns(
    source.id,
    type,
    parquetSchema(metadata).children.map(({ element }) => element.name),
  );
  const groups = planGroups(metadata, wanted, box);
  return {
    groups,
    bytes: groups.reduce((sum, { bytes }) => sum + bytes, 0),
    read: (inner) => readGroups(source.id, bufferOf(source, info.size, inner), metadata, wanted, groups, box, inner),
  };
}

function wantedColumns(
  place: string,
  { columns, oneOf = [] }: Pick<OvertureType, 'columns' | 'oneOf'>,
  present: readonly string[],
): readonly string[] {
  const missing = columns.filter((name) => !present.includes(name));
  const chosen = oneOf.filter((name) => present.includes(name));
  if (oneOf.length > 0 && chosen.length === 0) missing.push(oneOf.join(' or '));
  if (missing.length > 0)
    throw new OvertureError(
      place,
      `wanted the columns ${missing.join(', ')} as Overture has them; the file has ${present.join(', ')}`,
    );
  return [...columns, ...chosen];
}

function planGroups(metadata: FileMetaData, columns: readonly string[], box: Bbox): FilePlan['groups'] {
  let rowStart = 0;
  return metadata.row_groups.flatMap((group) => {
    const rowEnd = rowStart + Number(group.num_rows);
    const plan = { rowStart, rowEnd, bytes: bytesOf(group, columns) };
    rowStart = rowEnd;
    return mayTouch(group, box) ? [plan] : [];
  });
}

/** Whether statistics allow that a row of a group touches the box; without statistics they do. */
function mayTouch(group: RowGroup, [west, south, east, north]: Bbox): boolean {
  const edge = (name: string, side: 'min_value' | 'max_value'): number | null => {
    const column = group.columns.find(({ meta_data: meta }) => meta?.path_in_schema.join('.') === `bbox.${name}`);
    const value =
      column?.meta_data?.statistics?.[side] ?? column?.meta_data?.statistics?.[side === 'min_value' ? 'min' : 'max'];
    return typeof value === 'number' ? value : null;
  };
  const [xmin, xmax] = [edge('xmin', 'min_value'), edge('xmax', 'max_value')];
  const [ymin, ymax] = [edge('ymin', 'min_value'), edge('ymax', 'max_value')];
  if (xmin === null || xmax === null || ymin === null || ymax === null) return true;
  return xmin <= east && xmax >= west && ymin <= north && ymax >= south;
}

function bytesOf(group: RowGroup, columns: readonly string[]): number {
  let bytes = 0;
  for (const { meta_data: meta } of group.columns)
    if (meta !== undefined && columns.includes(meta.path_in_schema[0])) bytes += Number(meta.total_compressed_size);
  return bytes;
}

async function* readGroups(
  place: string,
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly string[],
  groups: FilePlan['groups'],
  box: Bbox,
  signal: AbortSignal,
): AsyncGenerator<RowBatch, void> {
  for (const { rowStart, rowEnd, bytes } of groups) {
    for (let from = rowStart; from < rowEnd; from += ROWS_AT_ONCE) {
      signal.throwIfAborted();
      const to = Math.min(rowEnd, from + ROWS_AT_ONCE);
      const options = {
        file,
        metadata,
        columns: [...columns],
        rowStart: from,
        rowEnd: to,
        compressors: PARQUET_COMPRESSORS,
        geoparquet: false,
        utf8: false,
      };
      const rows = await parquetReadObjects(options).catch((cause: Error) => {
        signal.throwIfAborted();
        throw new OvertureError(place, `rows ${from} to ${to} cannot be read (${cause.message})`, { cause });
      });
      yield { rows: rows.filter((row) => touches(row, box)), bytes: (bytes * (to - from)) / (rowEnd - rowStart) };
    }
  }
}

/** Whether the box of a row touches the requested one. */
function touches(row: Row, [west, south, east, north]: Bbox): boolean {
  const box = row['bbox'] as Readonly<Record<string, number>> | null | undefined;
  if (box === null || box === undefined) return false;
  return box['xmin'] <= east && box['xmax'] >= west && box['ymin'] <= north && box['ymax'] >= south;
}

function bufferOf(source: ByteSource, size: number, signal: AbortSignal): AsyncBuffer {
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = await source.fetch(start, end - start, { signal });
      if (bytes === null) throw new OvertureError(source.id, 'the file is no longer there');
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
}
