export const FEATURE_FORMATS = {
  geojson: 'application/geo+json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
} as const satisfies Readonly<Record<string, string>>;

export type FeatureFormat = keyof typeof FEATURE_FORMATS;

export interface FeatureResults<F extends object> {
  /** Features in the order they are written. Returned early when the client leaves. */
  readonly features: AsyncIterable<F>;
  /** The collection's `properties`, read after the last feature; null writes none. */
  readonly aggregate: (() => object) | null;
  /** How a feature becomes a row; null where CSV is not offered. */
  readonly columns: CsvColumns<F> | null;
}

/** The text of an answer in pieces, none of which holds more than one feature or row. */
export async function* featureText<F extends object>(
  format: FeatureFormat,
  { features, aggregate, columns }: FeatureResults<F>,
): AsyncGenerator<string, void> {
  const frame = featureFrame(format, columns);
  let isEmpty = true;
  for await (const feature of features) {
    // Not joined with the feature, which may be megabytes.
    yield isEmpty ? frame.head : frame.between;
    yield frame.one(feature);
    isEmpty = false;
  }
  if (isEmpty) yield frame.head;
  yield frame.end(isEmpty, aggregate);
}

/** How an answer is put together of the texts of its features, for those who write them apart. */
interface FeatureFrame<F extends object> {
  /** Before the first feature; also where there is none. */
  readonly head: string;
  readonly between: string;
  readonly one: (feature: F) => string;
  /** After the last feature. */
  readonly end: (isEmpty: boolean, aggregate: FeatureResults<F>['aggregate']) => string;
}

export function featureFrame<F extends object>(format: FeatureFormat, columns: CsvColumns<F> | null): FeatureFrame<F> {
  if (format === 'geojson') return { ...GEOJSON, one: JSON.stringify };
  if (format === 'ndjson') return { ...NDJSON, one: (feature) => `${JSON.stringify(feature)}\n` };
  if (columns === null) throw new TypeError('CSV was requested from results without columns');
  return {
    head: csvLine(columns.header),
    between: '',
    one: (feature) => csvLine(columns.row(feature)),
    end: () => '',
  };
}

const GEOJSON = {
  head: '{"type":"FeatureCollection","features":[\n',
  between: ',\n',
  end(isEmpty, aggregate) {
    const members = aggregate === null ? '' : `,"properties":${JSON.stringify(aggregate())}`;
    return `${isEmpty ? '' : '\n'}]${members}}\n`;
  },
} satisfies Omit<FeatureFrame<object>, 'one'>;

const NDJSON = {
  head: '',
  between: '',
  end: (_, aggregate) =>
    aggregate === null ? '' : `${JSON.stringify({ type: 'FeatureCollection', properties: aggregate() })}\n`,
} satisfies Omit<FeatureFrame<object>, 'one'>;

export type CsvCell = string | number | boolean | null | undefined;

export interface CsvColumns<F> {
  readonly header: readonly string[];
  /** As many cells as the header has names. */
  readonly row: (feature: F) => readonly CsvCell[];
}

/** A header and one row a feature (RFC 4180: CRLF, quotes doubled), a row a piece. */
export async function* csvText<F>(features: AsyncIterable<F>, columns: CsvColumns<F>): AsyncGenerator<string, void> {
  yield csvLine(columns.header);
  for await (const feature of features) yield csvLine(columns.row(feature));
}

/** Cells as a line of CSV with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? withoutFormula(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run text that begins like a formula; an apostrophe before it makes them show it. Numbers stay as they are. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}
