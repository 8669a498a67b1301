import { gzipSync, zstdCompressSync, brotliCompressSync } from 'node:zlib';
import { geojsonToWkb, parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer';
import { boxPolygon } from '../../made-up-rasters.ts';

/** A row of the public index. */
export interface IndexRow {
  readonly path: string;
  readonly year: number;
  readonly epsg: number;
  /** West, south, east, north in metres of the zone. */
  readonly utm: readonly [number, number, number, number];
  /** The same in degrees, as the index of Source Cooperative gives it. */
  readonly wgs84: readonly [number, number, number, number];
}

export interface IndexFileOptions {
  readonly codec?: 'SNAPPY' | 'GZIP' | 'ZSTD' | 'BROTLI' | 'UNCOMPRESSED';
  /** Columns left out. */
  readonly without?: readonly string[];
  /** Columns by another name. */
  readonly renamed?: Readonly<Record<string, string>>;
  readonly rowGroupSize?: number;
}

const COMPRESSORS = {
  GZIP: (bytes: Uint8Array) => gzipSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes),
};

/** A GeoParquet index with the columns of the public one, geometry included, which nobody needs. */
export function indexParquet(rows: readonly IndexRow[], options: IndexFileOptions = {}): Uint8Array {
  const { codec = 'SNAPPY', without = [], renamed = {}, rowGroupSize = 1_000 } = options;
  const zoneName = (epsg: number): string => `${epsg % 100}${epsg < 32_700 ? 'N' : 'S'}`;
  const columnData: ColumnSource[] = [
    { name: 'fid', data: rows.map((_, i) => i), type: 'INT32' },
    { name: 'path', data: rows.map(({ path }) => path), type: 'STRING' },
    { name: 'year', data: rows.map(({ year }) => year), type: 'INT32' },
    { name: 'utm_zone', data: rows.map(({ epsg }) => zoneName(epsg)), type: 'STRING' },
    { name: 'crs', data: rows.map(({ epsg }) => `EPSG:${epsg}`), type: 'STRING' },
    ...['west', 'south', 'east', 'north'].flatMap((side, i): ColumnSource[] => [
      { name: `utm_${side}`, data: rows.map(({ utm }) => utm[i]), type: 'DOUBLE' },
      { name: `wgs84_${side}`, data: rows.map(({ wgs84 }) => wgs84[i]), type: 'DOUBLE' },
    ]),
    { name: 'geometry', data: rows.map(({ wgs84 }) => geojsonToWkb(boxPolygon(...wgs84))), type: 'BYTE_ARRAY' },
  ];
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columnData
        .filter(({ name }) => !without.includes(name))
        .map((column) => ({ ...column, name: renamed[column.name] ?? column.name })),
      codec,
      compressors: COMPRESSORS,
      rowGroupSize,
      pageSize: 4_096,
    }),
  );
}
