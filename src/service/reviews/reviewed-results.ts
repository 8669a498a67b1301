import type { Review } from '../../collections/review.ts';
import { csvLine, FEATURE_FORMATS, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { textLines } from '../../text-lines.ts';

/** What each row gets: as in the fetch endpoints of collections, where a run may be older than a review. */
const COLUMNS = ['review_state', 'review_note', 'review_by', 'review_at'] as const;

/**
 * Results of a task as they were written, with what people decided of each row: in JSON as properties after all others, in CSV as
 * the last columns. All but the state are there only where somebody decided. Rows are numbered from 0 in the order of the results.
 */
export async function* reviewedResults(
  bytes: AsyncIterable<Uint8Array>,
  mediaType: string,
  reviews: ReadonlyMap<number, Review>,
): AsyncGenerator<string, void> {
  const format = formatOf(mediaType);
  let row = format === 'csv' ? -1 : 0;
  for await (const line of linesOf(bytes, format === 'csv')) {
    if (format === 'csv') {
      const cells = row === -1 ? COLUMNS : COLUMNS.map((name) => fieldsOf(reviews.get(row))[name]);
      yield `${line},${csvLine(cells)}`;
      row++;
    } else if (line.startsWith('{"type":"Feature",')) yield `${withFields(line, fieldsOf(reviews.get(row++)))}\n`;
    else yield `${line}\n`;
  }
}

function formatOf(mediaType: string): FeatureFormat {
  const found = (Object.keys(FEATURE_FORMATS) as FeatureFormat[]).find((name) => FEATURE_FORMATS[name] === mediaType);
  if (found === undefined) throw new TypeError(`Results of ${mediaType} have no rows`);
  return found;
}

type Fields = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

function fieldsOf(review: Review | undefined): Fields {
  if (review === undefined) return { review_state: 'open' };
  return { review_state: review.state, review_note: review.note, review_by: review.by, review_at: review.at };
}

/** A feature is written with its properties last. Reading it would change its numbers. */
function withFields(line: string, fields: Fields): string {
  const end = line.lastIndexOf('}}');
  if (end < 0) throw new TypeError('A feature does not end with its properties');
  const isEmpty = line[end - 1] === '{';
  return `${line.slice(0, end)}${isEmpty ? '' : ','}${JSON.stringify(fields).slice(1, -1)}${line.slice(end)}`;
}

/** Lines without their ends. A row of CSV goes on where a line ends within quotes. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>, isCsv: boolean): AsyncGenerator<string, void> {
  let open = '';
  for await (const line of textLines(bytes)) {
    open = open === '' ? line : `${open}\n${line}`;
    if (isCsv && open.split('"').length % 2 === 0) continue;
    yield open;
    open = '';
  }
}
