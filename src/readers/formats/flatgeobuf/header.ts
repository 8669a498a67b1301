import type { Bbox } from '../../../geo/shapes/shape.ts';
import { buildFlatBuffer } from './flat-builder.ts';
import { FlatTable } from './flat-table.ts';
import { COLUMN_TYPES, FlatGeobufError, MAGIC, NODE_SIZE, type Column, type ColumnType } from './layout.ts';

/** What a FlatGeobuf file says of itself. */
export interface FlatHeader {
  readonly name: string;
  /** Number of a `GEOMETRY` type; `unknown` where features have several. */
  readonly geometryType: number;
  readonly columns: readonly Column[];
  /** 0 where the writer did not know. */
  readonly count: number;
  /** Children of a node of the index; 0 without index. */
  readonly nodeSize: number;
  /** Around all features; null where the writer did not say. */
  readonly envelope: Bbox | null;
  /** EPSG code; 0 where the writer did not say. */
  readonly crs: number;
}

/** Magic bytes and header of a file in EPSG:4326, as they stand in front of the index. */
export function encodeHeader(header: Omit<FlatHeader, 'crs' | 'nodeSize'>): Uint8Array {
  const { name, geometryType, columns, count, envelope } = header;
  const table = buildFlatBuffer([
    { id: 0, kind: 'text', value: name },
    ...(envelope === null ? [] : [{ id: 1, kind: 'doubles', value: envelope } as const]),
    { id: 2, kind: 'byte', value: geometryType },
    {
      id: 7,
      kind: 'tables',
      value: columns.map((column) => [
        { id: 0, kind: 'text', value: column.name },
        { id: 1, kind: 'byte', value: COLUMN_TYPES[column.type].code },
      ]),
    },
    { id: 8, kind: 'uint64', value: count },
    { id: 9, kind: 'uint16', value: count === 0 ? 0 : NODE_SIZE },
    {
      id: 10,
      kind: 'table',
      value: [
        { id: 0, kind: 'text', value: 'EPSG' },
        { id: 1, kind: 'int32', value: 4326 },
      ],
    },
  ]);
  const bytes = new Uint8Array(MAGIC.length + table.length);
  bytes.set(MAGIC);
  bytes.set(table, MAGIC.length);
  return bytes;
}

/** Bytes of the header after the length in front of it, from the first 12 bytes of a file; throws when they are no FlatGeobuf. */
export function headerBytes(place: string, start: Uint8Array): number {
  const isFile = start.length >= 12 && MAGIC.every((byte, i) => i === 7 || start[i] === byte);
  if (!isFile) throw new FlatGeobufError(place, 'wanted a FlatGeobuf file of version 3, got other bytes');
  return new DataView(start.buffer, start.byteOffset, start.byteLength).getUint32(8, true);
}

/** Reads a header; `bytes` begin after its length. */
export function decodeHeader(place: string, bytes: Uint8Array): FlatHeader {
  try {
    const table = FlatTable.root(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
    const box = table.vector(1, 8);
    const at = (i: number): number => table.view.getFloat64((box?.start ?? 0) + i * 8, true);
    return {
      name: table.text(0) ?? '',
      geometryType: table.byte(2),
      columns: table.tables(7).map((column) => ({ name: column.text(0) ?? '', type: columnType(column.byte(1)) })),
      count: table.uint64(8),
      nodeSize: table.uint16(9, NODE_SIZE),
      envelope: box?.length === 4 ? [at(0), at(1), at(2), at(3)] : null,
      crs: table.table(10)?.int32(1) ?? 0,
    };
  } catch (error) {
    throw new FlatGeobufError(place, `the header is damaged (${(error as Error).message})`, { cause: error });
  }
}

function columnType(code: number): ColumnType {
  for (const [name, type] of Object.entries(COLUMN_TYPES)) if (type.code === code) return name as ColumnType;
  throw new RangeError(`there is no column type ${code}`);
}
