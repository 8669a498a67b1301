/// <reference lib="webworker" />
import type { Lines } from '../../../api/open-lines.ts';
import { serveLines, type StoredLines } from '../../../api/serve-lines.ts';
import { plotRow, type PlotFeature, type PlotRow } from './plot-row.ts';
import { lookOf } from './result-status.ts';

/** One location as it came, or the outlines of some with what the map needs of them. */
type PlotQuestion =
  | { readonly type: 'detail'; readonly index: number }
  | { readonly type: 'outlines'; readonly indices: readonly number[] };

/** The locations of a collection, read in this worker. */
export type Plots = Lines<PlotRow, PlotQuestion>;

serveLines(plotRow, (question: PlotQuestion, { read }: StoredLines<PlotFeature>) =>
  question.type === 'detail'
    ? read(question.index)
    : question.indices.flatMap((index) => {
        const feature = read(index);
        if (feature === null || feature.geometry === null) return [];
        const look = lookOf(feature.properties.eudr_status ?? null);
        return [{ type: 'Feature', properties: { index, look }, geometry: feature.geometry }];
      }),
);
