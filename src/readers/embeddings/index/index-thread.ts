import { parentPort, workerData } from 'node:worker_threads';
import { parquetMetadataAsync, parquetRead, parquetSchema, type AsyncBuffer, type FileMetaData } from 'hyparquet';
import { slimIndex, type SlimIndex } from './pack.ts';
import { PARQUET_COMPRESSORS } from '../../formats/parquet-compressors.ts';
import { findIndexColumns, type IndexColumns, type IndexedFile, toIndexedFile } from './rows.ts';

/** Nine years of the whole world are about 300,000 rows. */
const MAX_ROWS = 1_000_000;

/** What the thread is given. */
export interface BakeOrder {
  /** Size of the index in bytes. */
  readonly size: number;
  readonly prefixes: readonly string[];
}

/** Bytes the thread wants of the index, its result, or what is wrong with the index. */
export type FromBake =
  | { readonly kind: 'slice'; readonly id: number; readonly start: number; readonly end: number }
  | { readonly kind: 'done'; readonly slim: SlimIndex }
  | { readonly kind: 'refused'; readonly message: string };

export interface ToBake {
  readonly id: number;
  readonly bytes: ArrayBuffer;
}

/** A thread that reads an index of files and ends; bytes are requested by message, so that it needs no network of its own. */
const port = parentPort;
if (port === null) throw new Error('aef-index-thread runs as a thread');
const { size, prefixes } = workerData as BakeOrder;
const waiting = new Map<number, (bytes: ArrayBuffer) => void>();
let requested = 0;

port.on('message', ({ id, bytes }: ToBake) => {
  waiting.get(id)?.(bytes);
  waiting.delete(id);
});

const file = {
  byteLength: size,
  slice: (start: number, end: number = size) =>
    new Promise<ArrayBuffer>((resolve) => {
      waiting.set(requested, resolve);
      port.postMessage({ kind: 'slice', id: requested, start, end } satisfies FromBake);
      requested += 1;
    }),
};

readIndexParquet(file, prefixes).then(
  (files) => report({ kind: 'done', slim: slimIndex(files) }),
  (error: unknown) => report({ kind: 'refused', message: (error as Error).message }),
);

function report(message: FromBake): void {
  port?.postMessage(message);
  port?.close();
}

/**
 * Reads every file that a GeoParquet index names, group of rows by group of rows and only the columns that are needed.
 * Rejects with an error whose message says what is wrong with the index. It trusts counts of values inside the pages,
 * as its decoder does: run it where running out of memory hurts nobody else.
 */
async function readIndexParquet(file: AsyncBuffer, prefixes: readonly string[]): Promise<IndexedFile[]> {
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const columns = columnsOf(metadata);
  const names = Object.values(columns);
  const files: IndexedFile[] = [];
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    if (!(rowEnd >= rowStart && rowEnd <= MAX_ROWS)) throw new Error(`wanted at most ${MAX_ROWS} rows, got ${rowEnd}`);
    await parquetRead({
      file,
      metadata,
      columns: names,
      rowStart,
      rowEnd,
      rowFormat: 'object',
      compressors: PARQUET_COMPRESSORS,
      geoparquet: false,
      onComplete: (read) => {
        for (const row of read) files.push(toIndexedFile(row, columns, prefixes));
      },
    });
    if (files.length !== rowEnd) throw new Error(`wanted ${rowEnd} rows, got ${files.length}`);
    rowStart = rowEnd;
  }
  if (files.length === 0) throw new Error('wanted rows, got none');
  return files;
}

function columnsOf(metadata: FileMetaData): IndexColumns {
  const columns = findIndexColumns(parquetSchema(metadata).children.map(({ element }) => element.name));
  if ('missing' in columns) throw new Error(columns.missing as string);
  return columns;
}
