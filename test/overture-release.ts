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
  readonly category?: string;
  readonly alternate?: readonly string[];
  readonly confidence?: number;
  readonly status?: string;
}

/** Writes features as the GeoParquet of one type, `rowGroup` rows to a group, as Overture lays files out. */
export async function writeOverture(
  root: string,
  release: string,
  folder: string,
  features: readonly OvertureFeature[],
  rowGroup = 100,
): Promise<string> {
  const path = join(root, 'release', release, folder, 'part-00000.zstd.parquet');
  await mkdir(join(path, '..'), { recursive: true });
  const boxes = features.map(boxOf);
  const optional = (name: string) =>
    ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }) as const;
  const edge = (name: string) => ({ name, type: 'FLOAT', repetition_type: 'REQUIRED' }) as const;
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'id', data: features.map(({ id }) => id) },
      { name: 'geometry', data: features.map(wkbOf) },
      { name: 'bbox', data: boxes },
      { name: 'subtype', data: features.map((feature) => feature.subtype ?? null) },
      { name: 'class', data: features.map((feature) => feature.class ?? null) },
      { name: 'names', data: features.map(({ name = null }) => ({ primary: name })) },
      {
        name: 'categories',
        data: features.map(({ category = null, alternate = [] }) => ({ primary: category, alternate })),
      },
      { name: 'confidence', data: features.map(({ confidence = 1 }) => confidence) },
      { name: 'operating_status', data: features.map(({ status = 'open' }) => status) },
    ],
    schema: [
      { name: 'root', num_children: 9 },
      optional('id'),
      { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
      { name: 'bbox', num_children: 4, repetition_type: 'REQUIRED' },
      edge('xmin'),
      edge('xmax'),
      edge('ymin'),
      edge('ymax'),
      optional('subtype'),
      optional('class'),
      { name: 'names', num_children: 1, repetition_type: 'OPTIONAL' },
      optional('primary'),
      { name: 'categories', num_children: 2, repetition_type: 'OPTIONAL' },
      optional('primary'),
      { name: 'alternate', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      optional('element'),
      { name: 'confidence', type: 'DOUBLE', repetition_type: 'REQUIRED' },
      optional('operating_status'),
    ],
    rowGroupSize: rowGroup,
  });
  await writeFile(path, new Uint8Array(buffer));
  return path;
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
