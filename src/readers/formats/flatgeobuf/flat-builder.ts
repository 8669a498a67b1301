/** A field of a table that is being written, with its number in the schema. */
type FlatField =
  | { readonly id: number; readonly kind: 'byte' | 'uint16' | 'int32' | 'uint64'; readonly value: number }
  | FarField;

/** A field whose value lies elsewhere, with an offset in the table. */
type FarField =
  | { readonly id: number; readonly kind: 'text'; readonly value: string }
  | { readonly id: number; readonly kind: 'doubles'; readonly value: readonly number[] }
  | { readonly id: number; readonly kind: 'tables'; readonly value: readonly (readonly FlatField[])[] }
  | { readonly id: number; readonly kind: 'table'; readonly value: readonly FlatField[] };

const INLINE = { byte: 1, uint16: 2, int32: 4, uint64: 8, text: 4, doubles: 4, tables: 4, table: 4 } as const;

/**
 * A small FlatBuffer, its length in front. Made for headers, which are written once; tables and what they point to follow
 * their parents, every value at a multiple of its size counted from the length.
 */
export function buildFlatBuffer(root: readonly FlatField[]): Uint8Array {
  const out = new Output();
  out.at = 8;
  out.view.setUint32(4, out.table(root) - 4, true);
  out.align(8, 0);
  out.view.setUint32(0, out.at - 4, true);
  return out.bytes.slice(0, out.at);
}

class Output {
  bytes = new Uint8Array(1024);
  view = new DataView(this.bytes.buffer);
  at = 0;

  /** Writes a table and everything below it; gives where it begins. */
  table(fields: readonly FlatField[]): number {
    const slots = Math.max(-1, ...fields.map(({ id }) => id)) + 1;
    this.align(8, 4);
    const vtableBytes = 4 + slots * 2;
    // The table begins at a multiple of 8, after its vtable.
    while ((this.at + vtableBytes) % 8 !== 0) this.at += 2;
    const vtable = this.at;
    this.room(vtableBytes + 4 + fields.length * 16);
    const table = vtable + vtableBytes;
    let end = 4;
    const places = new Map<FlatField, number>();
    for (const field of [...fields].sort((a, b) => INLINE[b.kind] - INLINE[a.kind])) {
      const size = INLINE[field.kind];
      end = Math.ceil(end / size) * size;
      places.set(field, table + end);
      this.view.setUint16(vtable + 4 + field.id * 2, end, true);
      end += size;
    }
    this.view.setUint16(vtable, vtableBytes, true);
    this.view.setUint16(vtable + 2, end, true);
    this.view.setInt32(table, table - vtable, true);
    this.at = table + end;
    for (const [field, place] of places) this.field(field, place);
    return table;
  }

  field(field: FlatField, place: number): void {
    if (field.kind === 'byte') this.view.setUint8(place, field.value);
    else if (field.kind === 'uint16') this.view.setUint16(place, field.value, true);
    else if (field.kind === 'int32') this.view.setInt32(place, field.value, true);
    else if (field.kind === 'uint64') this.view.setBigUint64(place, BigInt(field.value), true);
    else {
      const target = this.target(field as FarField);
      this.view.setUint32(place, target - place, true);
    }
  }

  target(field: FarField): number {
    if (field.kind === 'table') return this.table(field.value);
    if (field.kind === 'text') return this.vector(new TextEncoder().encode(`${field.value}\0`), 1, 1);
    if (field.kind === 'doubles') return this.vector(new Uint8Array(Float64Array.from(field.value).buffer), 8, 0);
    this.align(4, 0);
    const start = this.at;
    this.room(4 + field.value.length * 4);
    this.view.setUint32(start, field.value.length, true);
    this.at += 4 + field.value.length * 4;
    for (const [i, fields] of field.value.entries()) {
      const place = start + 4 + i * 4;
      const table = this.table(fields);
      this.view.setUint32(place, table - place, true);
    }
    return start;
  }

  /** `hidden` bytes at the end do not count: the zero after a text. */
  vector(bytes: Uint8Array, size: number, hidden: number): number {
    this.align(Math.max(4, size), size === 8 ? 4 : 0);
    const start = this.at;
    this.room(4 + bytes.length);
    this.view.setUint32(start, (bytes.length - hidden) / size, true);
    this.bytes.set(bytes, start + 4);
    this.at += 4 + bytes.length;
    return start;
  }

  /** Moves on to the next place that is `rest` more than a multiple of `size`. */
  align(size: number, rest: number): void {
    this.room(size);
    while (this.at % size !== rest) this.at++;
  }

  room(count: number): void {
    if (this.at + count + 64 <= this.bytes.length) return;
    const grown = new Uint8Array((this.bytes.length + count) * 2);
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
