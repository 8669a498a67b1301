/// <reference lib="webworker" />
import { serveLines, type StoredLines } from '../../api/serve-lines.ts';
import { answerOwn, type OwnQuestion } from '../../parts/files/own-columns.ts';
import { rowsFile, type RowsQuestion } from '../../parts/files/chosen-rows.ts';
import { facilityColumns } from './facility-columns.ts';
import { resultRow } from './result-row.ts';

/** The whole feature of a row; what is said of all of them; or some of them as a file. */
export type ResultsQuestion =
  | { readonly type: 'detail'; readonly index: number }
  | { readonly type: 'summary' }
  | OwnQuestion
  | RowsQuestion;

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
    if (question.type === 'own columns' || question.type === 'own column') return answerOwn(question, kept);
    return question.type === 'summary' ? summary : rowsFile(question, kept.read as never, facilityColumns);
  },
);
