import { AREA, LINE, POINT } from '../../../geo/features/feature-set.ts';
import type { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import { fieldOf, FlatTable } from './flat-table.ts';
import { type Column, COLUMN_TYPES, GEOMETRY } from './layout.ts';

/** Values of the requested columns, in their order; null where a feature has none. */
export type Values = (string | number | null)[];

/**
 * Adds one encoded feature to a builder; `at` is where its FlatBuffer begins in the view, after the length. Geometries of several kinds
 * keep their first. Gives false for one without geometry, of a kind that is not read (curves, surfaces), or too short to measure.
 */
export function decodeGeometry(view: DataView, at: number, headerType: number, out: FeatureBuilder): boolean {
  const field = fieldOf(view, at + view.getUint32(at, true), 0);
  if (field === 0) return false;
  const geometry = new FlatTable(view, field + view.getUint32(field, true));
  const type = KINDS[kindOf(geometry, headerType)];
  if (type === undefined) return false;
  out.begin(type);
  addParts(geometry, headerType, type, out, 0);
  return out.end();
}

const KINDS: Readonly<Record<number, number | undefined>> = {
  [GEOMETRY.point]: POINT,
  [GEOMETRY.multiPoint]: POINT,
  [GEOMETRY.lineString]: LINE,
  [GEOMETRY.multiLineString]: LINE,
  [GEOMETRY.polygon]: AREA,
  [GEOMETRY.multiPolygon]: AREA,
};
/** Parts of parts of a geometry; deeper ones are not read. */
const MAX_DEPTH = 4;

/** The kind of a geometry; a collection has that of its first member. */
function kindOf(geometry: FlatTable, headerType: number): number {
  const own = geometry.byte(6);
  const type = own === GEOMETRY.unknown ? headerType : own;
  if (type !== GEOMETRY.collection) return type;
  return geometry.tables(7)[0]?.byte(6) ?? GEOMETRY.unknown;
}

function addParts(geometry: FlatTable, headerType: number, type: number, out: FeatureBuilder, depth: number): void {
  if (depth < MAX_DEPTH && geometry.field(7) !== 0)
    for (const part of geometry.tables(7))
      if (KINDS[kindOf(part, headerType)] === type) addParts(part, headerType, type, out, depth + 1);
  const xy = geometry.vector(1, 8);
  if (xy === null) return;
  const ends = type === POINT ? null : geometry.vector(0, 4);
  const { view } = geometry;
  const vertices = xy.length >> 1;
  let vertex = 0;
  for (let part = 0; part < (ends?.length ?? 1); part++) {
    const end = ends === null ? vertices : Math.min(vertices, view.getUint32(ends.start + part * 4, true));
    for (; vertex < end; vertex++) {
      const at = xy.start + vertex * 16;
      out.vertex(view.getFloat64(at, true), view.getFloat64(at + 8, true));
      if (type === POINT) out.endPart();
    }
    if (type !== POINT) out.endPart();
  }
}

/** For each column of a file: where it goes in the requested values, -1 is left out, and the bytes of a value, 0 where a length comes first. */
export function planColumns(columns: readonly Column[], wanted: readonly string[]): Int32Array {
  return Int32Array.from(columns.flatMap(({ name, type }) => [wanted.indexOf(name), COLUMN_TYPES[type].bytes ?? 0]));
}

/** Reads the columns of a feature that a plan requests into `out`. */
export function decodeValues(
  view: DataView,
  at: number,
  columns: readonly Column[],
  plan: Int32Array,
  out: Values,
): void {
  for (let i = 0; i < out.length; i++) out[i] = null;
  const field = fieldOf(view, at + view.getUint32(at, true), 1);
  if (field === 0) return;
  const vector = field + view.getUint32(field, true);
  const end = vector + 4 + view.getUint32(vector, true);
  if (end > view.byteLength) throw new RangeError('the values of a feature reach past the end');
  for (let place = vector + 4; place < end;) {
    const number = view.getUint16(place, true);
    if (number >= columns.length) throw new RangeError(`a feature names column ${number} of ${columns.length}`);
    const size = plan[number * 2 + 1];
    const length = size === 0 ? view.getUint32(place + 2, true) : size;
    const start = place + (size === 0 ? 6 : 2);
    if (start + length > end) throw new RangeError('a value reaches past the end of its feature');
    const wanted = plan[number * 2];
    if (wanted >= 0) out[wanted] = valueAt(view, start, length, columns[number]);
    place = start + length;
  }
}

const UTF8 = new TextDecoder();

function valueAt(view: DataView, at: number, length: number, { type }: Column): string | number | null {
  switch (type) {
    case 'byte':
      return view.getInt8(at);
    case 'ubyte':
    case 'bool':
      return view.getUint8(at);
    case 'short':
      return view.getInt16(at, true);
    case 'ushort':
      return view.getUint16(at, true);
    case 'int':
      return view.getInt32(at, true);
    case 'uint':
      return view.getUint32(at, true);
    case 'long':
      return wholeNumber(view.getBigInt64(at, true));
    case 'ulong':
      return wholeNumber(view.getBigUint64(at, true));
    case 'float':
      return view.getFloat32(at, true);
    case 'double':
      return view.getFloat64(at, true);
    case 'binary':
      return null;
    default:
      return UTF8.decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
  }
}

/** Text where a double would lose digits, which are those of an identifier. */
function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/**
 * The polygons of one encoded feature, each an exterior ring and holes, with their coordinates to the last bit; `at` is where
 * its FlatBuffer begins in the view. Empty for a feature that is no area. Throws a `RangeError` for one that is damaged.
 */
export function decodePolygons(view: DataView, at: number, headerType: number): Float64Array[][] {
  const geometry = FlatTable.root(view, at).table(0);
  const polygons: Float64Array[][] = [];
  if (geometry !== null) addPolygons(geometry, headerType, polygons, 0);
  return polygons;
}

function addPolygons(geometry: FlatTable, headerType: number, out: Float64Array[][], depth: number): void {
  const own = geometry.byte(6);
  const type = own === GEOMETRY.unknown ? headerType : own;
  if (type === GEOMETRY.multiPolygon || type === GEOMETRY.collection) {
    // The parts of a MultiPolygon need not say that they are polygons.
    const partType = type === GEOMETRY.multiPolygon ? GEOMETRY.polygon : GEOMETRY.unknown;
    if (depth < MAX_DEPTH) for (const part of geometry.tables(7)) addPolygons(part, partType, out, depth + 1);
    return;
  }
  if (type !== GEOMETRY.polygon) return;
  const rings = ringsOf(geometry);
  if (rings.length > 0) out.push(rings);
}

function ringsOf(geometry: FlatTable): Float64Array[] {
  const xy = geometry.vector(1, 8);
  if (xy === null) return [];
  const ends = geometry.vector(0, 4);
  const vertices = xy.length >> 1;
  const rings: Float64Array[] = [];
  let from = 0;
  for (let ring = 0; ring < (ends?.length ?? 1); ring++) {
    const to = ends === null ? vertices : geometry.view.getUint32(ends.start + ring * 4, true);
    if (to < from || to > vertices) throw new RangeError(`a ring ends at vertex ${to} of ${vertices}`);
    const out = new Float64Array((to - from) * 2);
    for (let i = 0; i < out.length; i++) out[i] = geometry.view.getFloat64(xy.start + from * 16 + i * 8, true);
    if (out.length >= 8) rings.push(out);
    from = to;
  }
  return rings;
}
