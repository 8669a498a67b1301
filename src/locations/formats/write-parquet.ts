import { fileWriter, geojsonToWkb, ParquetWriter } from 'hyparquet-writer';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { CsvColumns } from './feature-text.ts';

/** Rows that are held before they are written. */
const GROUP_ROWS = 20_000;
const GEOMETRY = 'geometry';

/** What is written: a table as for CSV, where the column `geometry` is replaced by WKB. */
interface ParquetTable<F> {
  readonly columns: CsvColumns<F>;
  readonly geometryOf: (feature: F) => unknown;
}

/**
 * Writes features to a GeoParquet 1.1 file, group of rows by group of rows. Columns of numbers are doubles, all others
 * texts; which is which, the first group decides. A geometry that cannot be used is left empty in the file.
 */
export async function writeParquet<F>(
  path: string,
  features: AsyncIterable<F>,
  { columns, geometryOf }: ParquetTable<F>,
): Promise<void> {
  const names = columns.header.filter((name) => name !== GEOMETRY);
  const places = names.map((name) => columns.header.indexOf(name));
  let writer: ParquetWriter | null = null;
  let numeric: boolean[] = [];
  let rows: { readonly cells: readonly unknown[]; readonly geometry: Uint8Array | null }[] = [];

  const flush = (): void => {
    if (writer === null) {
      numeric = places.map((place) => isNumeric(rows.map(({ cells }) => cells[place])));
      writer = new ParquetWriter({
        writer: fileWriter(path),
        schema: schemaOf(names, numeric),
        kvMetadata: [{ key: 'geo', value: JSON.stringify(GEO) }],
      });
    }
    const table = places.map((place, i) => ({
      name: names[i],
      data: rows.map(({ cells }) => (numeric[i] ? numberOf(cells[place]) : textOf(cells[place]))),
    }));
    writer.write({ columnData: [...table, { name: GEOMETRY, data: rows.map(({ geometry }) => geometry) }] });
    rows = [];
  };

  for await (const feature of features) {
    rows.push({ cells: columns.row(feature), geometry: wkbOf(geometryOf(feature)) });
    if (rows.length === GROUP_ROWS) flush();
  }
  if (rows.length > 0 || writer === null) flush();
  await (writer as unknown as ParquetWriter).finish();
}

const GEO = {
  version: '1.1.0',
  primary_column: GEOMETRY,
  columns: { [GEOMETRY]: { encoding: 'WKB', geometry_types: [] } },
};

function schemaOf(
  names: readonly string[],
  numeric: readonly boolean[],
): ConstructorParameters<typeof ParquetWriter>[0]['schema'] {
  return [
    { name: 'schema', num_children: names.length + 1 },
    ...names.map((name, i) =>
      numeric[i]
        ? ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' } as const)
        : ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const),
    ),
    { name: GEOMETRY, type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
  ];
}

function isNumeric(values: readonly unknown[]): boolean {
  const filled = values.filter((value) => value !== null && value !== undefined);
  return filled.length > 0 && filled.every((value) => typeof value === 'number');
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function wkbOf(geometry: unknown): Uint8Array | null {
  return toShape(geometry).shape === null ? null : geojsonToWkb(geometry as Parameters<typeof geojsonToWkb>[0]);
}
