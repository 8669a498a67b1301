import type { Review } from '../reviews/reviews.ts';
import { ownColumns, sourceOf } from './own-columns.ts';
import { tableFile, type Cell, type TableFormat } from './table-file.ts';
import { withOrigin } from './with-origin.ts';

interface Feature {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Rows that somebody chose, as a file. */
export interface RowsQuestion {
  readonly type: 'export';
  readonly format: TableFormat | 'geojson' | 'input';
  /** Places of the rows, in the wanted order. */
  readonly indices: Uint32Array;
  /** Name of the file that they came from; null where it is not known. */
  readonly file: string | null;
  /** By the place of the row. */
  readonly reviews: ReadonlyMap<number, Review>;
}

/** The columns of one kind of results. */
export interface ResultColumns<F> {
  readonly header: readonly string[];
  readonly cells: (feature: F) => readonly Cell[];
  /** Number of its row in the file, from 1. */
  readonly rowOf: (feature: F, index: number) => number;
}

const REVIEW = ['review_state', 'review_note', 'review_by', 'review_at', 'review_of_earlier_run'] as const;

/**
 * Rows as a file with everything that the file they came from said: its name, the number of the row and each of its columns;
 * then what was found, and what people decided. `input` is a file of the same places to be read again, with its own columns and
 * where each row comes from.
 */
export async function rowsFile<F extends Feature>(
  { format, indices, file, reviews }: RowsQuestion,
  read: (index: number) => F | null,
  columns: ResultColumns<F>,
): Promise<Blob> {
  const found = function* (): Generator<readonly [F, number]> {
    for (const index of indices) {
      const feature = read(index);
      if (feature !== null) yield [feature, index];
    }
  };
  if (format === 'geojson' || format === 'input') {
    const pieces: string[] = [];
    for (const [feature, index] of found())
      pieces.push(
        JSON.stringify(
          format === 'input'
            ? inputOf(feature, file, columns.rowOf(feature, index))
            : reviewed(feature, index, file, reviews, columns),
        ),
      );
    return new Blob(['{"type":"FeatureCollection","features":[\n', pieces.join(',\n'), '\n]}\n'], {
      type: 'application/geo+json',
    });
  }
  const own = ownColumns(Iterator.from(found()).map(([feature]) => feature));
  const rows = Iterator.from(found()).map(([feature, index]) => [
    file,
    columns.rowOf(feature, index),
    ...columns.cells(feature),
    ...reviewCells(reviews.get(index)),
    ...own.cells(feature),
  ]);
  return tableFile(format, { header: ['file', 'row', ...columns.header, ...REVIEW, ...own.header], rows });
}

function reviewCells(review: Review | undefined): readonly Cell[] {
  if (review === undefined) return ['open', null, null, null, null];
  return [review.state, review.note, review.by, review.at, review.of_earlier_run];
}

function reviewed<F extends Feature>(
  feature: F,
  index: number,
  file: string | null,
  reviews: ReadonlyMap<number, Review>,
  { rowOf }: ResultColumns<F>,
): object {
  const review = reviewCells(reviews.get(index));
  const said = Object.fromEntries(REVIEW.flatMap((name, i) => (review[i] === null ? [] : [[name, review[i]]])));
  const row = { file, row: rowOf(feature, index) };
  return { ...feature, properties: { ...row, ...feature.properties, ...said } };
}

/** What was understood of a row, which its own columns may say in other words. */
const UNDERSTOOD = [
  'location_id',
  'location_type',
  'name',
  'facility_name',
  'supplier_name',
  'address',
  'admin1',
  'country',
  'commodity_type',
  'area_ha',
] as const;

function inputOf({ id, geometry, properties }: Feature, file: string | null, row: number): object {
  const understood = Object.fromEntries(
    UNDERSTOOD.flatMap((name) =>
      properties[name] === null || properties[name] === undefined ? [] : [[name, properties[name]]],
    ),
  );
  return {
    type: 'Feature',
    ...(id === undefined ? {} : { id }),
    geometry,
    properties: { ...withOrigin(sourceOf(properties), file, row), ...understood },
  };
}
