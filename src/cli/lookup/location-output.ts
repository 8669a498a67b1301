import { type CsvColumns, type FeatureFormat, featureText } from '../../locations/formats/feature-text.ts';
import { writeParquet } from '../../locations/formats/write-parquet.ts';
import { writeXlsx } from '../../locations/formats/write-xlsx.ts';
import { UsageError, type CommandContext } from '../command.ts';
import { writeText, writeWhole } from '../parts/write-output.ts';

/** How each ending is written. */
const ENDINGS = {
  geojson: 'geojson',
  json: 'geojson',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  xlsx: 'xlsx',
  parquet: 'parquet',
  geoparquet: 'parquet',
} as const;
type OutputFormat = (typeof ENDINGS)[keyof typeof ENDINGS];

export interface LocationOutput {
  /** Null keeps no results, `-` is standard output. */
  readonly path: string | null;
  readonly format: OutputFormat;
}

/** Where results go, by the option `--output`; its ending chooses the format, unless one is given as text. */
export function locationOutput(path: string | null, given?: FeatureFormat): LocationOutput {
  if (given !== undefined) return { path, format: given };
  if (path === null || path === '-') return { path, format: 'geojson' };
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  if (!Object.hasOwn(ENDINGS, ending))
    throw new UsageError(
      `--output: wanted a name that ends with .geojson, .ndjson, .csv, .xlsx or .parquet, got "${path}"`,
    );
  return { path, format: ENDINGS[ending as keyof typeof ENDINGS] };
}

interface LocationResults<F extends object> {
  readonly features: AsyncIterable<F>;
  readonly aggregate: () => object;
  readonly columns: CsvColumns<F>;
}

/** Writes results; a file takes its name only when it is whole. */
export async function writeLocations<F extends { readonly geometry: unknown }>(
  results: LocationResults<F>,
  { path, format }: LocationOutput,
  context: CommandContext,
): Promise<void> {
  if (path === null) {
    for await (const _ of results.features) continue;
    return;
  }
  const { features, columns } = results;
  if (format === 'parquet')
    return await writeWhole(path, (file) =>
      writeParquet(file, features, { columns, geometryOf: ({ geometry }) => geometry }),
    );
  if (format === 'xlsx') return await writeWhole(path, (file) => writeXlsx(file, features, columns));
  await writeText(featureText(format satisfies FeatureFormat, results), path, context);
}
