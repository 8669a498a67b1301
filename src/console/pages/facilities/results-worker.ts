/// <reference lib="webworker" />
import { resultRow, type ResultRow } from './result-row.ts';
import { csvOf } from './csv.ts';

/** From the page. `bytes` are pieces of the results as NDJSON, in order. */
export type ToResults =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'detail'; readonly question: number; readonly index: number }
  | {
      readonly type: 'export';
      readonly question: number;
      readonly format: 'geojson' | 'csv';
      readonly indices: Uint32Array;
    };

export type FromResults =
  | { readonly type: 'rows'; readonly rows: readonly ResultRow[] }
  | { readonly type: 'summary'; readonly summary: Record<string, unknown> }
  | { readonly type: 'ended' }
  | { readonly type: 'answer'; readonly question: number; readonly value: unknown };

const ROWS_A_MESSAGE = 500;
const NEWLINE = 10;

const lines: Uint8Array[] = [];
let rest: Uint8Array[] = [];
let rows: ResultRow[] = [];

const tell = (message: FromResults): void => postMessage(message);
const parse = (line: Uint8Array): { readonly type: string; readonly properties: Record<string, unknown> } =>
  JSON.parse(new TextDecoder().decode(line)) as never;

addEventListener('message', ({ data }: MessageEvent<ToResults>) => {
  if (data.type === 'bytes') return take(data.bytes);
  if (data.type === 'end') return end();
  if (data.type === 'detail') {
    const line = lines[data.index];
    return tell({ type: 'answer', question: data.question, value: line === undefined ? null : parse(line) });
  }
  tell({ type: 'answer', question: data.question, value: exported(data.format, data.indices) });
});

function take(bytes: Uint8Array): void {
  let from = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
    addLine([...rest, bytes.subarray(from, at)]);
    rest = [];
    from = at + 1;
  }
  if (from < bytes.length) rest.push(bytes.subarray(from));
}

function addLine(pieces: readonly Uint8Array[]): void {
  const line = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    line.set(piece, at);
    at += piece.length;
  }
  if (line.length === 0) return;
  const item = parse(line);
  if (item.type === 'FeatureCollection') return tell({ type: 'summary', summary: item.properties });
  rows.push(resultRow(item as never, lines.length));
  lines.push(line);
  if (rows.length >= ROWS_A_MESSAGE) flush();
}

function flush(): void {
  if (rows.length > 0) tell({ type: 'rows', rows });
  rows = [];
}

function end(): void {
  addLine(rest);
  rest = [];
  flush();
  tell({ type: 'ended' });
}

function exported(format: 'geojson' | 'csv', indices: Uint32Array): Blob {
  const chosen = Array.from(indices, (index) => lines[index] ?? new Uint8Array());
  if (format === 'csv') return new Blob(csvOf(chosen.map(parse) as never), { type: 'text/csv' });
  const pieces: BlobPart[] = ['{"type":"FeatureCollection","features":[\n'];
  for (const [i, line] of chosen.entries()) pieces.push(i === 0 ? '' : ',\n', line as Uint8Array<ArrayBuffer>);
  return new Blob([...pieces, '\n]}\n'], { type: 'application/geo+json' });
}
