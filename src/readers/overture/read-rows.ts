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

/** The footer of a file, and the length of the whole in bytes. */
export interface FileFooter {
  readonly metadata: FileMetaData;
  readonly size: number;
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
  return planFrom(source, { metadata, size: info.size }, type, box);
}

interface PlanOptions {
  /** Bytes of columns nobody wants that are read along, where that saves a request; default none. */
  readonly maxGap?: number;
}

/** The same with a footer that was read before. */
export function planFrom(
  source: ByteSource,
  { metadata, size }: FileFooter,
  type: Pick<OvertureType, 'columns' | 'oneOf'>,
  box: Bbox,
  { maxGap = 0 }: PlanOptions = {},
): FilePlan {
  const wanted = wantedColumns(
    source.id,
    type,
    parquetSchema(metadata).children.map(({ element }) => element.name),
  );
  const groups = planGroups(metadata, wanted, box);
  const open = (signal: AbortSignal): AsyncBuffer => {
    const file = bufferOf(source, size, signal);
    return maxGap === 0 ? file : joined(file, spansOf(metadata, wanted, maxGap));
  };
  return {
    groups,
    bytes: groups.reduce((sum, { bytes }) => sum + bytes, 0),
    read: (signal) => readGroups(source.id, open(signal), metadata, wanted, groups, box, signal),
  };
}

/** The columns of a type that a footer is kept for. */
export function isRead({ columns, oneOf = [] }: Pick<OvertureType, 'columns' | 'oneOf'>, name: string): boolean {
  return columns.includes(name) || oneOf.includes(name);
}

/** The box around everything in a file by its statistics; the whole earth where it has none. */
export function boundsOf(metadata: FileMetaData): Bbox {
  const boxes = metadata.row_groups.map(boxOf);
  if (boxes.length === 0 || boxes.some((box) => box === null)) return [-180, -90, 180, 90];
  const edges = (side: number): number[] => boxes.map((box) => (box as Bbox)[side]);
  return [Math.min(...edges(0)), Math.min(...edges(1)), Math.max(...edges(2)), Math.max(...edges(3))];
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
  const box = boxOf(group);
  return box === null || (box[0] <= east && box[2] >= west && box[1] <= north && box[3] >= south);
}

/** The box around the rows of a group by its statistics; null without them. */
function boxOf(group: RowGroup): Bbox | null {
  const edge = (name: string, side: 'min_value' | 'max_value'): number | null => {
    const column = group.columns.find(({ meta_data: meta }) => meta?.path_in_schema.join('.') === `bbox.${name}`);
    const value =
      column?.meta_data?.statistics?.[side] ?? column?.meta_data?.statistics?.[side === 'min_value' ? 'min' : 'max'];
    return typeof value === 'number' ? value : null;
  };
  const [west, east] = [edge('xmin', 'min_value'), edge('xmax', 'max_value')];
  const [south, north] = [edge('ymin', 'min_value'), edge('ymax', 'max_value')];
  return west === null || east === null || south === null || north === null ? null : [west, south, east, north];
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

/** Bytes of a file from `start` to before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Bytes that are read with one request at most. */
const SPAN_BYTES = 33_554_432;

/** The ranges that hold the wanted columns of each group of rows, joined over small gaps, in the order of the file. */
function spansOf(metadata: FileMetaData, columns: readonly string[], maxGap: number): readonly Span[] {
  return metadata.row_groups.flatMap((group) => {
    const chunks = group.columns
      .flatMap(({ meta_data: meta }) => (meta === undefined || !columns.includes(meta.path_in_schema[0]) ? [] : [meta]))
      .map((meta): Span => {
        const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
        return { start, end: start + Number(meta.total_compressed_size) };
      })
      .sort((a, b) => a.start - b.start);
    const spans: Span[] = [];
    for (const chunk of chunks) {
      const last = spans.at(-1);
      if (last !== undefined && chunk.start - last.end <= maxGap && chunk.end - last.start <= SPAN_BYTES)
        spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, chunk.end) };
      else spans.push(chunk);
    }
    return spans;
  });
}

/** A file of which whole spans are read, each with one request however many pieces of it are wanted. */
function joined(file: AsyncBuffer, spans: readonly Span[]): AsyncBuffer {
  const read = new Map<Span, Promise<ArrayBuffer>>();
  return {
    byteLength: file.byteLength,
    async slice(start, end = file.byteLength) {
      const span = spans.find((one) => one.start <= start && end <= one.end);
      if (span === undefined) return file.slice(start, end);
      const bytes = read.get(span) ?? Promise.resolve(file.slice(span.start, span.end));
      read.set(span, bytes);
      return (await bytes).slice(start - span.start, end - span.start);
    },
  };
}
