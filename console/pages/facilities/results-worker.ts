/// <reference lib="webworker" />
import { serveLines, type StoredLines } from '../../api/serve-lines.ts';
import { csvOf } from './csv.ts';
import { resultRow } from './result-row.ts';

/** The whole feature of a row; what is said of all of them; or some of them as a file. */
export type ResultsQuestion =
  | { readonly type: 'detail'; readonly index: number }
  | { readonly type: 'summary' }
  | { readonly type: 'export'; readonly format: 'geojson' | 'csv'; readonly indices: Uint32Array };

interface Item {
  readonly type: string;
  readonly properties: Record<string, unknown>;
}

let summary: Item['properties'] | null = null;

serveLines(
  (item: Item, index) => {
    if (item.type !== 'FeatureCollection') return resultRow(item as never, index);
    summary = item.properties;
    return null;
  },
  (question: ResultsQuestion, kept: StoredLines<Item>) => {
    if (question.type === 'detail') return kept.read(question.index);
    return question.type === 'summary' ? summary : exported(question.format, question.indices, kept);
  },
);

function exported(format: 'geojson' | 'csv', indices: Uint32Array, { read, bytes }: StoredLines<Item>): Blob {
  if (format === 'csv') return new Blob(csvOf(Array.from(indices, read) as never), { type: 'text/csv' });
  const pieces: BlobPart[] = ['{"type":"FeatureCollection","features":[\n'];
  for (const [i, index] of indices.entries())
    pieces.push(i === 0 ? '' : ',\n', (bytes(index) ?? new Uint8Array()) as Uint8Array<ArrayBuffer>);
  return new Blob([...pieces, '\n]}\n'], { type: 'application/geo+json' });
}
