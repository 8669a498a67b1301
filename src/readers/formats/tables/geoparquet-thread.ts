import { parentPort, workerData } from 'node:worker_threads';
import { Problem } from '../../../errors.ts';
import type { SourceFeature } from '../../../locations/source-table.ts';
import { openParquetRows } from './geoparquet-rows.ts';

/** What the thread answers to each message: it is requested to open first and for more rows after that. */
export type FromParquet =
  | { readonly kind: 'opened'; readonly remarks: readonly string[] }
  | { readonly kind: 'rows'; readonly rows: readonly SourceFeature[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'refused'; readonly code: 'malformed_file' | 'too_large'; readonly message: string };

/** Rows of one message. */
const CHUNK_ROWS = 2_000;

/** A thread that reads one Parquet file: its decoder believes what pages say of themselves, at the cost of this thread alone. */
const port = parentPort;
if (port === null) throw new Error('geoparquet-thread runs as a thread');
const answers = conversation(workerData as string);
port.on('message', () => void answers.next().then(({ value }) => port.postMessage(value satisfies FromParquet)));

async function* conversation(path: string): AsyncGenerator<FromParquet, FromParquet> {
  try {
    const rows = await openParquetRows(path);
    yield { kind: 'opened', remarks: rows.remarks };
    for await (const group of rows.groups())
      for (let from = 0; from < group.length; from += CHUNK_ROWS)
        yield { kind: 'rows', rows: group.slice(from, from + CHUNK_ROWS) };
    return { kind: 'end' };
  } catch (error) {
    const code = error instanceof Problem && error.code === 'too_large' ? error.code : 'malformed_file';
    return { kind: 'refused', code, message: (error as Error).message };
  }
}
