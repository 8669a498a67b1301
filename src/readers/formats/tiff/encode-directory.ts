/** A field of a directory: its tag, the code of its type, and its values. */
export interface TiffField {
  readonly tag: number;
  readonly type: keyof typeof TYPES;
  readonly values: ArrayLike<number>;
}

const TYPES = {
  2: { bytes: 1, write: (view: DataView, at: number, value: number) => view.setUint8(at, value) },
  3: { bytes: 2, write: (view: DataView, at: number, value: number) => view.setUint16(at, value, true) },
  4: { bytes: 4, write: (view: DataView, at: number, value: number) => view.setUint32(at, value, true) },
  12: { bytes: 8, write: (view: DataView, at: number, value: number) => view.setFloat64(at, value, true) },
} as const;

const HEADER_BYTES = 8;
const FIELD_BYTES = 12;
const INLINE_BYTES = 4;

/** A classic little-endian TIFF up to its first block: header, directory, and the values that do not fit into it. */
export function encodeDirectory(fields: readonly TiffField[]): Uint8Array {
  const sorted = fields.toSorted((a, b) => a.tag - b.tag);
  let end = HEADER_BYTES + 2 + FIELD_BYTES * sorted.length + 4;
  const places = sorted.map(({ type, values }) => {
    const bytes = TYPES[type].bytes * values.length;
    if (bytes <= INLINE_BYTES) return null;
    const at = end;
    // Values begin at a multiple of 8.
    end += (bytes + 7) & ~7;
    return at;
  });
  // The first value lies at a multiple of 8 too.
  const shift = (8 - ((HEADER_BYTES + 2 + FIELD_BYTES * sorted.length + 4) % 8)) % 8;
  const view = new DataView(new ArrayBuffer(end + shift));
  view.setUint16(0, 0x4949);
  view.setUint16(2, 42, true);
  view.setUint32(4, HEADER_BYTES, true);
  view.setUint16(HEADER_BYTES, sorted.length, true);
  sorted.forEach(({ tag, type, values }, i) => {
    const at = HEADER_BYTES + 2 + FIELD_BYTES * i;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, values.length, true);
    const place = places[i] === null ? at + 8 : places[i] + shift;
    if (places[i] !== null) view.setUint32(at + 8, place, true);
    const { bytes, write } = TYPES[type];
    for (let k = 0; k < values.length; k++) write(view, place + k * bytes, values[k]);
  });
  return new Uint8Array(view.buffer);
}
