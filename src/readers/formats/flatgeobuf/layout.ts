import { faultOf } from '../../io/source-fault.ts';

/** The first eight bytes of a FlatGeobuf file of version 3; the last is the patch level, which readers ignore. */
export const MAGIC = Uint8Array.of(0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62, 1);
/** Children of a node of the index. */
export const NODE_SIZE = 16;
/** Bytes of an entry of the index: west, south, east, north as doubles, then the offset as a 64-bit number. */
export const NODE_BYTES = 40;
/** Largest header that is read. */
export const MAX_HEADER_BYTES = 10_000_000;

/** Geometry types of FlatGeobuf, by their numbers. */
export const GEOMETRY = {
  unknown: 0,
  point: 1,
  lineString: 2,
  polygon: 3,
  multiPoint: 4,
  multiLineString: 5,
  multiPolygon: 6,
  collection: 7,
} as const;

/** Column types of FlatGeobuf, by their numbers, with the bytes of a value; null: a length comes first. */
export const COLUMN_TYPES = {
  byte: { code: 0, bytes: 1 },
  ubyte: { code: 1, bytes: 1 },
  bool: { code: 2, bytes: 1 },
  short: { code: 3, bytes: 2 },
  ushort: { code: 4, bytes: 2 },
  int: { code: 5, bytes: 4 },
  uint: { code: 6, bytes: 4 },
  long: { code: 7, bytes: 8 },
  ulong: { code: 8, bytes: 8 },
  float: { code: 9, bytes: 4 },
  double: { code: 10, bytes: 8 },
  string: { code: 11, bytes: null },
  json: { code: 12, bytes: null },
  datetime: { code: 13, bytes: null },
  binary: { code: 14, bytes: null },
} as const;

export type ColumnType = keyof typeof COLUMN_TYPES;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** What is wrong with a FlatGeobuf file, and where. */
export class FlatGeobufError extends faultOf('FlatGeobufError', 'make the file again') {}

/** The levels of an index over so many features, the root first: number of its first entry, and of the one after its last. */
export function indexLevels(count: number, nodeSize = NODE_SIZE): readonly (readonly [first: number, end: number])[] {
  if (count === 0) return [];
  const sizes = [count];
  do sizes.unshift(Math.ceil(sizes[0] / nodeSize));
  while (sizes[0] > 1);
  let first = 0;
  return sizes.map((size) => [first, (first += size)] as const);
}

/** Bytes of the index over so many features. */
export function indexBytes(count: number, nodeSize = NODE_SIZE): number {
  return (indexLevels(count, nodeSize).at(-1)?.[1] ?? 0) * NODE_BYTES;
}
