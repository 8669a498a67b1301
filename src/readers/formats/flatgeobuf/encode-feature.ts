import { COLUMN_TYPES, GEOMETRY, type Column } from './layout.ts';

/** A geometry to be written: rings and lines flat, `[lon0, lat0, ...]`, in degrees. */
export type FlatGeometry =
  | { readonly type: 'point'; readonly lon: number; readonly lat: number }
  | { readonly type: 'lineString'; readonly line: Float64Array }
  | { readonly type: 'multiLineString'; readonly lines: readonly Float64Array[] }
  /** Exterior ring and holes, closed. */
  | { readonly type: 'polygon'; readonly rings: readonly Float64Array[] }
  | { readonly type: 'multiPolygon'; readonly polygons: readonly (readonly Float64Array[])[] };

/** The lines of a geometry: those of a line, or the rings of an area; none of a point. */
export function linesOf(geometry: FlatGeometry): readonly Float64Array[] {
  switch (geometry.type) {
    case 'point':
      return [];
    case 'lineString':
      return [geometry.line];
    case 'multiLineString':
      return geometry.lines;
    case 'polygon':
      return geometry.rings;
    case 'multiPolygon':
      return geometry.polygons.flat();
  }
}

/** One place of a geometry: a vertex in the middle of its first line. */
export function placeOf(geometry: FlatGeometry): readonly [lon: number, lat: number] {
  if (geometry.type === 'point') return [geometry.lon, geometry.lat];
  const [line] = linesOf(geometry);
  const middle = (line.length >> 2) * 2;
  return [line[middle], line[middle + 1]];
}

export type ColumnValue = string | number | null;

/** Encodes features of one file one after the other into memory that is used again. */
export class FeatureEncoder {
  readonly #columns: readonly Column[];
  readonly #text = new TextEncoder();
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** A feature with its length in front; valid until the next call. `values` stand in the order of the columns; null leaves one out. */
  encode(geometry: FlatGeometry, values: readonly ColumnValue[]): Uint8Array {
    // Offsets count from the length. The root points to the feature's table after its vtable of two fields.
    this.#room(64);
    this.#at = 0;
    this.#u32(0);
    this.#u32(12);
    this.#u16s(8, 12, 4, 8);
    this.#u32(8);
    const place = this.#at;
    this.#u32(0);
    this.#u32(0);
    this.#link(place, this.#geometry(geometry));
    this.#link(place + 4, this.#properties(values));
    this.#align(8, 0);
    this.#view.setUint32(0, this.#at - 4, true);
    return this.#bytes.subarray(0, this.#at);
  }

  #geometry(geometry: FlatGeometry): number {
    if (geometry.type === 'point')
      return this.#table(GEOMETRY.point, [Float64Array.of(geometry.lon, geometry.lat)], []);
    if (geometry.type === 'lineString') return this.#table(GEOMETRY.lineString, [geometry.line], []);
    if (geometry.type === 'multiLineString') return this.#table(GEOMETRY.multiLineString, geometry.lines, []);
    if (geometry.type === 'polygon') return this.#table(GEOMETRY.polygon, geometry.rings, []);
    return this.#table(GEOMETRY.multiPolygon, [], geometry.polygons);
  }

  /** A geometry's table: coordinates of its lines or rings in one row with their ends, or other geometries as parts. */
  #table(type: number, lines: readonly Float64Array[], polygons: readonly (readonly Float64Array[])[]): number {
    this.#room(128);
    this.#align(4, 0);
    this.#u16s(
      20,
      20,
      lines.length > 1 ? 8 : 0,
      lines.length > 0 ? 12 : 0,
      0,
      0,
      0,
      0,
      4,
      polygons.length > 0 ? 16 : 0,
    );
    const table = this.#at;
    this.#u32(20);
    this.#u32(type);
    this.#u32(0);
    this.#u32(0);
    this.#u32(0);
    if (lines.length > 1) this.#link(table + 8, this.#ends(lines));
    if (lines.length > 0) this.#link(table + 12, this.#coordinates(lines));
    if (polygons.length > 0) this.#link(table + 16, this.#parts(polygons));
    return table;
  }

  #ends(lines: readonly Float64Array[]): number {
    this.#room(lines.length * 4 + 8);
    const start = this.#at;
    this.#u32(lines.length);
    let end = 0;
    for (const line of lines) this.#u32((end += line.length / 2));
    return start;
  }

  #coordinates(lines: readonly Float64Array[]): number {
    let length = 0;
    for (const line of lines) length += line.length;
    this.#room(length * 8 + 16);
    this.#align(8, 4);
    const start = this.#at;
    this.#u32(length);
    for (const line of lines) {
      for (let i = 0; i < line.length; i++, this.#at += 8) this.#view.setFloat64(this.#at, line[i], true);
    }
    return start;
  }

  #parts(polygons: readonly (readonly Float64Array[])[]): number {
    this.#room(polygons.length * 4 + 8);
    const start = this.#at;
    this.#u32(polygons.length);
    this.#at += polygons.length * 4;
    for (const [i, rings] of polygons.entries())
      this.#link(start + 4 + i * 4, this.#table(GEOMETRY.polygon, rings, []));
    return start;
  }

  #properties(values: readonly ColumnValue[]): number {
    this.#align(4, 0);
    const start = this.#at;
    this.#room(8);
    this.#at += 4;
    for (let i = 0; i < this.#columns.length; i++) {
      const value = values[i];
      if (value === null || value === undefined) continue;
      this.#value(i, this.#columns[i], value);
    }
    this.#view.setUint32(start, this.#at - start - 4, true);
    return start;
  }

  #value(number: number, { type }: Column, value: string | number): void {
    this.#room(16);
    this.#view.setUint16(this.#at, number, true);
    this.#at += 2;
    const { bytes } = COLUMN_TYPES[type];
    if (bytes === null) this.#string(String(value));
    else {
      const amount = Number(value);
      if (type === 'float') this.#view.setFloat32(this.#at, amount, true);
      else if (type === 'double') this.#view.setFloat64(this.#at, amount, true);
      else if (type === 'long' || type === 'ulong') this.#view.setBigInt64(this.#at, BigInt(Math.trunc(amount)), true);
      else if (bytes === 4) this.#view.setInt32(this.#at, amount, true);
      else if (bytes === 2) this.#view.setInt16(this.#at, amount, true);
      else this.#view.setInt8(this.#at, amount);
      this.#at += bytes;
    }
  }

  #string(text: string): void {
    this.#room(text.length * 3 + 8);
    const { written } = this.#text.encodeInto(text, this.#bytes.subarray(this.#at + 4));
    this.#view.setUint32(this.#at, written, true);
    this.#at += 4 + written;
  }

  #u32(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  #u16s(...values: readonly number[]): void {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true);
      this.#at += 2;
    }
  }

  #link(place: number, target: number): void {
    this.#view.setUint32(place, target - place, true);
  }

  #align(size: number, rest: number): void {
    this.#room(size);
    while (this.#at % size !== rest) this.#bytes[this.#at++] = 0;
  }

  #room(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const grown = new Uint8Array((this.#at + count) * 2);
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
