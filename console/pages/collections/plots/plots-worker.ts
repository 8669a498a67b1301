/// <reference lib="webworker" />
import type { Lines } from '../../../api/open-lines.ts';
import { serveLines, type StoredLines } from '../../../api/serve-lines.ts';
import { answerOwn, type OwnQuestion } from '../../../parts/files/own-columns.ts';
import { rowsFile, type RowsQuestion } from '../../../parts/files/chosen-rows.ts';
import { plotColumns } from './plot-columns.ts';
import { plotRow, type PlotFeature, type PlotRow } from './plot-row.ts';
import { lookOf } from './groups.ts';

/** One location as it came, or the outlines of some with what the map needs of them. */
type PlotQuestion =
  | { readonly type: 'detail'; readonly index: number }
  | { readonly type: 'outlines'; readonly indices: readonly number[] }
  | OwnQuestion
  | RowsQuestion;

/** The locations of a collection, read in this worker. */
export type Plots = Lines<PlotRow, PlotQuestion>;

serveLines(plotRow, (question: PlotQuestion, kept: StoredLines<PlotFeature>) => {
  const { read } = kept;
  if (question.type === 'detail') return read(question.index);
  if (question.type === 'own columns' || question.type === 'own column') return answerOwn(question, kept);
  if (question.type === 'export') return rowsFile(question, read, plotColumns);
  return question.indices.flatMap((index) => {
    const feature = read(index);
    if (feature === null || feature.geometry === null) return [];
    const { group, result } = plotRow(feature);
    const look = lookOf(group, result);
    return [{ type: 'Feature', properties: { index, look }, geometry: feature.geometry }];
  });
});
