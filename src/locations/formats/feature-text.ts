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
export function featureText<F extends object>(
  format: FeatureFormat,
  results: FeatureResults<F>,
): AsyncGenerator<string, void> {
  if (format === 'geojson') return geojsonText(results);
  if (format === 'ndjson') return ndjsonText(results);
  if (results.columns === null) throw new TypeError('CSV was requested from results without columns');
  return csvText(results.features, results.columns);
}

async function* geojsonText<F extends object>({
  features,
  aggregate,
}: FeatureResults<F>): AsyncGenerator<string, void> {
  let lead = '{"type":"FeatureCollection","features":[\n';
  for await (const feature of features) {
    // Not joined with the feature, which may be megabytes.
    yield lead;
    yield JSON.stringify(feature);
    lead = ',\n';
  }
  const open = lead === ',\n' ? '\n]' : `${lead}]`;
  yield aggregate === null ? `${open}}\n` : `${open},"properties":${JSON.stringify(aggregate())}}\n`;
}

async function* ndjsonText<F extends object>({ features, aggregate }: FeatureResults<F>): AsyncGenerator<string, void> {
  for await (const feature of features) yield `${JSON.stringify(feature)}\n`;
  if (aggregate !== null) yield `${JSON.stringify({ type: 'FeatureCollection', properties: aggregate() })}\n`;
}

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

function csvLine(cells: readonly CsvCell[]): string {
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
