import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';

/** A feature of a made-up release; geometry as flat longitude, latitude. */
export interface OvertureFeature {
  readonly id: string;
  readonly point?: readonly [number, number];
  readonly line?: readonly number[];
  readonly ring?: readonly number[];
  readonly subtype?: string;
  readonly class?: string;
  readonly name?: string;
  /** Old category, of releases to August 2026. */
  readonly category?: string;
  readonly alternate?: readonly string[];
  /** From the top level of the taxonomy down to the category itself; the last one is `taxonomy.primary`. */
  readonly hierarchy?: readonly string[];
  readonly basicCategory?: string;
  readonly confidence?: number;
  readonly status?: string | null;
  /** Datasets that a place comes from. */
  readonly datasets?: readonly string[];
}

/** How a made-up file is laid out; the default is that of September 2026 and the `categories` of before. */
export interface OvertureLayout {
  readonly rowGroup?: number;
  /** Columns left out. */
  readonly without?: readonly string[];
  /** Physical type of the edges of boxes. */
  readonly edges?: 'FLOAT' | 'DOUBLE';
  /** WKB, Parquet's own type, or a text, which no release has had. */
  readonly geometry?: 'wkb' | 'native' | 'text';
  /** Number of the file among those of its type; default 0. */
  readonly part?: number;
}

/** Writes features as the GeoParquet of one type, as Overture lays files out. */
export async function writeOverture(
  root: string,
  release: string,
  folder: string,
  features: readonly OvertureFeature[],
  { rowGroup = 100, without = [], edges = 'FLOAT', geometry = 'wkb', part = 0 }: OvertureLayout = {},
): Promise<string> {
  const path = join(root, 'release', release, folder, `part-${String(part).padStart(5, '0')}.zstd.parquet`);
  await mkdir(join(path, '..'), { recursive: true });
  const columns = columnsOf(features, edges, geometry).filter(({ name }) => !without.includes(name));
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, data }) => ({ name, data: [...data] })),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(({ schema }) => schema)],
    rowGroupSize: rowGroup,
  });
  await writeFile(path, new Uint8Array(buffer));
  return path;
}

type Schema = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>;

interface Column {
  readonly name: string;
  readonly data: readonly unknown[];
  readonly schema: Schema;
}

function columnsOf(
  features: readonly OvertureFeature[],
  edges: NonNullable<OvertureLayout['edges']>,
  geometry: NonNullable<OvertureLayout['geometry']>,
): readonly Column[] {
  const text = (name: string): Schema[number] => ({
    name,
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    repetition_type: 'OPTIONAL',
  });
  const group = (name: string, ...members: Schema[]): Schema => [
    { name, num_children: members.length, repetition_type: 'OPTIONAL' },
    ...members.flat(),
  ];
  const texts = (name: string): Schema => [
    { name, num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    text('element'),
  ];
  const edge = (name: string): Schema => [{ name, type: edges, repetition_type: 'REQUIRED' }];
  const sources: Schema = [
    { name: 'sources', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', num_children: 1, repetition_type: 'OPTIONAL' },
    text('dataset'),
  ];
  const of = <T>(value: (feature: OvertureFeature) => T): readonly T[] => features.map(value);
  return [
    { name: 'id', data: of(({ id }) => id), schema: [text('id')] },
    { name: 'geometry', ...GEOMETRIES[geometry](features) },
    {
      name: 'bbox',
      data: of(boxOf),
      schema: group('bbox', edge('xmin'), edge('xmax'), edge('ymin'), edge('ymax')),
    },
    { name: 'subtype', data: of(({ subtype }) => subtype ?? null), schema: [text('subtype')] },
    { name: 'class', data: of((feature) => feature.class ?? null), schema: [text('class')] },
    { name: 'names', data: of(({ name = null }) => ({ primary: name })), schema: group('names', [text('primary')]) },
    {
      name: 'categories',
      data: of(({ category = null, alternate = [] }) => ({ primary: category, alternate })),
      schema: group('categories', [text('primary')], texts('alternate')),
    },
    {
      name: 'taxonomy',
      data: of(({ hierarchy, alternate = [] }) =>
        hierarchy === undefined ? null : { primary: hierarchy.at(-1), hierarchy, alternates: alternate },
      ),
      schema: group('taxonomy', [text('primary')], texts('hierarchy'), texts('alternates')),
    },
    {
      name: 'basic_category',
      data: of(({ basicCategory }) => basicCategory ?? null),
      schema: [text('basic_category')],
    },
    { name: 'brand', data: of(() => null), schema: group('brand', group('names', [text('primary')])) },
    {
      name: 'sources',
      data: of(({ datasets = ['meta'] }) => datasets.map((dataset) => ({ dataset }))),
      schema: sources,
    },
    {
      name: 'confidence',
      data: of(({ confidence = 1 }) => confidence),
      schema: [{ name: 'confidence', type: 'DOUBLE', repetition_type: 'REQUIRED' }],
    },
    {
      name: 'operating_status',
      data: of(({ status = 'open' }) => status),
      schema: [text('operating_status')],
    },
  ];
}

/** The column of geometries in each form. */
const GEOMETRIES: Readonly<
  Record<NonNullable<OvertureLayout['geometry']>, (features: readonly OvertureFeature[]) => Omit<Column, 'name'>>
> = {
  wkb: (features) => ({
    data: features.map(wkbOf),
    schema: [{ name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' }],
  }),
  native: (features) => ({
    data: features.map(geojsonOf),
    schema: [{ name: 'geometry', type: 'BYTE_ARRAY', logical_type: { type: 'GEOMETRY' }, repetition_type: 'REQUIRED' }],
  }),
  text: (features) => ({
    data: features.map(() => 'POINT (0 0)'),
    schema: [{ name: 'geometry', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' }],
  }),
};

function geojsonOf(feature: OvertureFeature): { readonly type: string; readonly coordinates: unknown } {
  const flat = coordinatesOf(feature);
  const pairs = Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
  if (feature.point !== undefined) return { type: 'Point', coordinates: pairs[0] };
  return feature.line !== undefined
    ? { type: 'LineString', coordinates: pairs }
    : { type: 'Polygon', coordinates: [pairs] };
}

function coordinatesOf({ point, line, ring }: OvertureFeature): readonly number[] {
  return point ?? line ?? ring ?? [];
}

function boxOf(feature: OvertureFeature): Record<string, number> {
  const flat = coordinatesOf(feature);
  const xs = flat.filter((_, i) => i % 2 === 0);
  const ys = flat.filter((_, i) => i % 2 === 1);
  return { xmin: Math.min(...xs), xmax: Math.max(...xs), ymin: Math.min(...ys), ymax: Math.max(...ys) };
}

function wkbOf(feature: OvertureFeature): Uint8Array {
  const flat = coordinatesOf(feature);
  const head =
    feature.point !== undefined ? [1] : feature.line !== undefined ? [2, flat.length / 2] : [3, 1, flat.length / 2];
  const bytes = new DataView(new ArrayBuffer(1 + head.length * 4 + flat.length * 8));
  bytes.setUint8(0, 1);
  for (const [i, value] of head.entries()) bytes.setUint32(1 + i * 4, value, true);
  for (const [i, value] of flat.entries()) bytes.setFloat64(1 + head.length * 4 + i * 8, value, true);
  return new Uint8Array(bytes.buffer);
}
