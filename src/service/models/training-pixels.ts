import { createHash } from 'node:crypto';
import { BANDS } from '../../geo/segmentation/grid.ts';
import type { LabelledPixels } from '../../geo/detection/fit-logistic.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import type { LabelledPoint } from './training-point.ts';
import { TrainingRefused } from './training-rules.ts';
import { readPointValues, type PointValues } from './training-values.ts';

/** What a head is fitted on: one row a pixel. */
export interface TrainingPixels {
  readonly pixels: LabelledPixels;
  /** Longitude and latitude of each. */
  readonly lonLats: Float64Array;
  /** Region of each as the file names it; null when it does not name one for every pixel. */
  readonly regions: readonly string[] | null;
  /** Rows beyond the first of a pixel. */
  readonly duplicates: number;
  /** Rows of pixels that have both labels: none of them is used. */
  readonly contradictions: number;
  readonly withoutEmbeddings: number;
  readonly embeddings: readonly string[];
  /** Years of the embeddings, rising; empty where the file brings values without a year. */
  readonly years: readonly number[];
  readonly synthetic: boolean;
}

/** Joins labels to the values of their pixels, and leaves out what would count twice or contradicts itself. */
export async function trainingPixels(
  points: readonly LabelledPoint[],
  sources: readonly EmbeddingSource[],
  signal: AbortSignal,
  onRead: (done: number) => void = () => {},
): Promise<TrainingPixels> {
  const isComplete = points.every(({ values }) => values !== null);
  const found = isComplete ? points.map(ownValues) : await readPointValues(points, sources, signal, onRead);
  const byPixel = Map.groupBy(points.map((point, i) => ({ point, at: found[i] })).filter(isRead), ({ at }) => at.key);
  const groups = [...byPixel.values()];
  const agreeing = groups.filter((rows) => rows.every(({ point }) => point.isThere === rows[0].point.isThere));
  const kept = agreeing.map(([first]) => first);
  const isSynthetic = kept.some(({ at }) => at.synthetic);
  if (isSynthetic && !kept.every(({ at }) => at.synthetic))
    throw new TrainingRefused('wanted labels that lie all in generated embeddings or all in real ones, got both');
  const read = groups.reduce((sum, rows) => sum + rows.length, 0);
  const regions = kept.map(({ point }) => point.region);
  return {
    pixels: {
      values: Float64Array.from(kept.flatMap(({ at }) => [...at.values])),
      bands: BANDS,
      labels: Uint8Array.from(kept, ({ point }) => (point.isThere ? 1 : 0)),
    },
    lonLats: Float64Array.from(kept.flatMap(({ point }) => [point.lon, point.lat])),
    regions: regions.every((region) => region !== null) ? regions : null,
    duplicates: agreeing.reduce((sum, rows) => sum + rows.length - 1, 0),
    contradictions: groups.filter((rows) => !agreeing.includes(rows)).reduce((sum, rows) => sum + rows.length, 0),
    withoutEmbeddings: points.length - read,
    embeddings: [...new Set(kept.map(({ at }) => at.dataset))].toSorted(),
    years: [...new Set(kept.flatMap(({ at }) => (at.year > 0 ? [at.year] : [])))].toSorted(),
    synthetic: isSynthetic,
  };
}

interface ReadPoint {
  readonly point: LabelledPoint;
  readonly at: PointValues;
}

function isRead(row: { readonly point: LabelledPoint; readonly at: PointValues | null }): row is ReadPoint {
  return row.at !== null;
}

/** Rows with the very same values are taken for one pixel: two pixels never agree in all 64. */
function ownValues({ values, year }: LabelledPoint): PointValues | null {
  if (values === null) return null;
  const key = createHash('sha256').update(new Uint8Array(values.buffer)).digest('base64');
  return { values, key, dataset: 'values of the file', year: year ?? 0, synthetic: false };
}
