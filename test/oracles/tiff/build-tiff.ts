/** A field as a test wants it in the file, true or not. */
export interface BuiltField {
  readonly tag: number;
  /** 3: 16 bits, 4: 32, 16: 64, 12: float64, 2: text. */
  readonly type: 2 | 3 | 4 | 12 | 16;
  readonly values: readonly number[];
  /** What the directory claims in place of the number of values. */
  readonly count?: number;
  /** Where the values lie in place of where they are put. */
  readonly at?: number;
}

export interface BuiltOptions {
  /** BigTIFF. */
  readonly big?: boolean;
  /** Byte of the directory; values follow it. */
  readonly directoryAt?: number;
  /** Byte of the values that do not fit into the directory. */
  readonly valuesAt?: number;
  /** Length of the file; default as long as is needed. */
  readonly size?: number;
}

const BYTES = { 2: 1, 3: 2, 4: 4, 12: 8, 16: 8 } as const;

/** A little-endian TIFF with the given fields, whatever they say. */
export function buildTiff(fields: readonly BuiltField[], options: BuiltOptions = {}): Uint8Array<ArrayBuffer> {
  const { big = false, directoryAt = 16 } = options;
  const [countBytes, fieldBytes, inlineBytes] = big ? [8, 20, 8] : [2, 12, 4];
  const end = directoryAt + countBytes + fields.length * fieldBytes + inlineBytes;
  let next = options.valuesAt ?? end;
  const places = fields.map(({ type, values, at }) => {
    const length = BYTES[type] * values.length;
    if (at !== undefined || length <= inlineBytes) return at ?? null;
    next += length;
    return next - length;
  });
  const view = new DataView(new ArrayBuffer(options.size ?? Math.max(end, next)));
  const setWord = (at: number, value: number): void => {
    if (big) view.setBigUint64(at, BigInt(value), true);
    else view.setUint32(at, value, true);
  };
  view.setUint16(0, 0x4949);
  view.setUint16(2, big ? 43 : 42, true);
  if (big) view.setUint16(4, 8, true);
  setWord(big ? 8 : 4, directoryAt);
  if (big) view.setBigUint64(directoryAt, BigInt(fields.length), true);
  else view.setUint16(directoryAt, fields.length, true);
  fields.forEach(({ tag, type, values, count }, i) => {
    const at = directoryAt + countBytes + i * fieldBytes;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    setWord(at + 4, count ?? values.length);
    const place = places[i];
    if (place !== null) setWord(at + fieldBytes - inlineBytes, place);
    if (fields[i].at === undefined)
      values.forEach((value, k) =>
        setValue(view, (place ?? at + fieldBytes - inlineBytes) + k * BYTES[type], type, value),
      );
  });
  return new Uint8Array(view.buffer);
}

function setValue(view: DataView, at: number, type: BuiltField['type'], value: number): void {
  if (type === 2) view.setUint8(at, value);
  if (type === 3) view.setUint16(at, value, true);
  if (type === 4) view.setUint32(at, value, true);
  if (type === 12) view.setFloat64(at, value, true);
  if (type === 16) view.setBigUint64(at, BigInt(value), true);
}

/** The fields of a plain image of one band of bytes in tiles of 16 x 16, without compression. */
export function plainFields(change: Readonly<Record<number, Partial<BuiltField> | null>> = {}): BuiltField[] {
  const fields: BuiltField[] = [
    { tag: 256, type: 4, values: [16] },
    { tag: 257, type: 4, values: [32] },
    { tag: 258, type: 3, values: [8] },
    { tag: 259, type: 3, values: [1] },
    { tag: 277, type: 3, values: [1] },
    { tag: 322, type: 3, values: [16] },
    { tag: 323, type: 3, values: [16] },
    { tag: 324, type: 4, values: [1000, 2000] },
    { tag: 325, type: 4, values: [256, 256] },
  ];
  const tags = new Set([...fields.map(({ tag }) => tag), ...Object.keys(change).map(Number)]);
  return [...tags]
    .toSorted((a, b) => a - b)
    .filter((tag) => change[tag] !== null)
    .map((tag) => ({ tag, type: 3, values: [], ...fields.find((field) => field.tag === tag), ...change[tag] }));
}
