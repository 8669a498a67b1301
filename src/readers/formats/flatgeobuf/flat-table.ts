/** Where a field of the table at `table` is, or 0 when it is absent: for loops in which an object for each table costs too much. */
export function fieldOf(view: DataView, table: number, number: number): number {
  const vtable = table - view.getInt32(table, true);
  const slot = 4 + number * 2;
  if (slot + 2 > view.getUint16(vtable, true)) return 0;
  const offset = view.getUint16(vtable + slot, true);
  return offset === 0 ? 0 : table + offset;
}

/**
 * Reads one table of a FlatBuffer without copying. Fields are numbered from 0; an absent one gives its default. Every access is checked
 * against the bytes by `DataView`, which throws a `RangeError` for a damaged table.
 */
export class FlatTable {
  readonly view: DataView;
  readonly #at: number;

  /** `at` is where the table begins. */
  constructor(view: DataView, at: number) {
    this.view = view;
    this.#at = at;
  }

  /** The root table of a buffer that begins at `start`. */
  static root(view: DataView, start: number): FlatTable {
    return new FlatTable(view, start + view.getUint32(start, true));
  }

  /** Where a field's bytes are, or 0 when it is absent. */
  field(number: number): number {
    return fieldOf(this.view, this.#at, number);
  }

  byte(number: number, fallback = 0): number {
    const at = this.field(number);
    return at === 0 ? fallback : this.view.getUint8(at);
  }

  uint16(number: number, fallback: number): number {
    const at = this.field(number);
    return at === 0 ? fallback : this.view.getUint16(at, true);
  }

  int32(number: number, fallback = 0): number {
    const at = this.field(number);
    return at === 0 ? fallback : this.view.getInt32(at, true);
  }

  uint64(number: number): number {
    const at = this.field(number);
    return at === 0 ? 0 : Number(this.view.getBigUint64(at, true));
  }

  table(number: number): FlatTable | null {
    const at = this.field(number);
    return at === 0 ? null : new FlatTable(this.view, at + this.view.getUint32(at, true));
  }

  /** Where the elements of a vector begin and how many there are; `bytes` is the size of one. */
  vector(number: number, bytes: number): { readonly start: number; readonly length: number } | null {
    const field = this.field(number);
    if (field === 0) return null;
    const at = field + this.view.getUint32(field, true);
    const length = this.view.getUint32(at, true);
    const start = at + 4;
    if (start + length * bytes > this.view.byteLength)
      throw new RangeError(`a vector of ${length} entries reaches past the end`);
    return { start, length };
  }

  tables(number: number): FlatTable[] {
    const found = this.vector(number, 4);
    return Array.from({ length: found?.length ?? 0 }, (_, i) => {
      const at = (found?.start ?? 0) + i * 4;
      return new FlatTable(this.view, at + this.view.getUint32(at, true));
    });
  }

  text(number: number): string | null {
    const found = this.vector(number, 1);
    return found === null ? null : UTF8.decode(bytesOf(this.view, found.start, found.length));
  }
}

const UTF8 = new TextDecoder();

function bytesOf(view: DataView, start: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + start, length);
}
