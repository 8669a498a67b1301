import type { ByteSource } from '../../io/byte-source.ts';
import type { ByteRange } from '../../io/plan.ts';
import { FIRST_BYTES, openTiffBytes, type TiffBytes } from './tiff-bytes.ts';
import { TiffError } from './tiff-image.ts';

/** Tags that are read; all others are passed over. */
export const TAG = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripLengths: 279,
  planarConfiguration: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileLengths: 325,
  extraSamples: 338,
  sampleFormat: 339,
  modelPixelScale: 33_550,
  modelTiepoint: 33_922,
  modelTransformation: 34_264,
  geoKeys: 34_735,
  nodata: 42_113,
} as const;

interface FieldType {
  /** Bytes of one value. */
  readonly bytes: number;
  readonly read: (view: DataView, at: number, littleEndian: boolean) => number;
}

/** Types of a directory's fields, by their code. */
const FIELD_TYPES: Readonly<Record<number, FieldType>> = {
  1: { bytes: 1, read: (view, at) => view.getUint8(at) },
  2: { bytes: 1, read: (view, at) => view.getUint8(at) },
  3: { bytes: 2, read: (view, at, le) => view.getUint16(at, le) },
  4: { bytes: 4, read: (view, at, le) => view.getUint32(at, le) },
  11: { bytes: 4, read: (view, at, le) => view.getFloat32(at, le) },
  12: { bytes: 8, read: (view, at, le) => view.getFloat64(at, le) },
  13: { bytes: 4, read: (view, at, le) => view.getUint32(at, le) },
  // Above 2^53 the number is wrong, but it is larger than any file and refused as such.
  16: { bytes: 8, read: (view, at, le) => Number(view.getBigUint64(at, le)) },
  18: { bytes: 8, read: (view, at, le) => Number(view.getBigUint64(at, le)) },
};

/** The fields of a file's first directory. */
export interface TiffDirectory {
  readonly place: string;
  readonly littleEndian: boolean;
  /** Values of a tag; null when the directory has none. */
  readonly values: (tag: number) => Float64Array | null;
  /** A table of blocks that was not read with the directory; null: it was, or there is none. */
  readonly deferred: (tag: number) => DeferredTable | null;
}

/** A long table, to be read in pieces. */
export interface DeferredTable {
  /** Values in all. */
  readonly count: number;
  /** Where the values from `first` to `end`, exclusive, lie in the file. */
  range(first: number, end: number): ByteRange;
  /** Writes them from the bytes of that range into `out`, each in its place. */
  decode(bytes: Uint8Array, first: number, end: number, out: Float64Array): void;
}

interface Field {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** Where the values lie in the file. */
  readonly offset: number;
}

/** Shapes of the two layouts: where the first directory is named, and what its parts take in bytes. */
const LAYOUTS = {
  42: { header: 8, countBytes: 2, fieldBytes: 12, inlineBytes: 4 },
  43: { header: 16, countBytes: 8, fieldBytes: 20, inlineBytes: 8 },
} as const;

const BYTE_ORDERS: Readonly<Record<number, boolean>> = { 0x4949: true, 0x4d4d: false };
const READ_TAGS: ReadonlySet<number> = new Set(Object.values(TAG));
/** The tables of blocks, which may be long; every other field is short. */
const TABLES: ReadonlySet<number> = new Set([TAG.stripOffsets, TAG.stripLengths, TAG.tileOffsets, TAG.tileLengths]);
const TEXT = 2;
const MAX_FIELDS = 4096;
/** Blocks of 256 x 256 pixels for the whole Earth at 10 m are 2.4 million a band. */
const MAX_TABLE = 4_194_304;
const MAX_SHORT = 65_535;

/**
 * Reads the first directory and the values of the tags in `TAG`: one request for most files, two or three where the
 * directory or its values lie elsewhere. Other directories are not followed, so there is no chain to loop in. Tables of more
 * than `mostRead` blocks are left in the file.
 */
export async function readDirectory(source: ByteSource, mostRead: number, signal: AbortSignal): Promise<TiffDirectory> {
  const bytes = await openTiffBytes(source, signal);
  const { place } = bytes;
  const { littleEndian, layout, start } = readHeader(bytes);
  const isNear = start + layout.countBytes <= FIRST_BYTES;
  const ahead = isNear ? layout.countBytes : Math.max(layout.countBytes, Math.min(FIRST_BYTES, bytes.size - start));
  await bytes.load([{ offset: start, length: ahead }]);
  const countView = bytes.view(start, layout.countBytes);
  const count = FIELD_TYPES[layout.countBytes === 2 ? 3 : 16].read(countView, 0, littleEndian);
  if (count < 1 || count > MAX_FIELDS)
    throw new TiffError('damaged', place, `wanted 1 to ${MAX_FIELDS} fields in the directory, got ${count}`);
  const first = start + layout.countBytes;
  await bytes.load([{ offset: first, length: count * layout.fieldBytes }]);
  const fields = new Map<number, Field>();
  for (let i = 0; i < count; i++) {
    const field = readField(bytes, first + i * layout.fieldBytes, layout, littleEndian);
    if (field !== null && !fields.has(field.tag)) fields.set(field.tag, field);
  }
  const isDeferred = ({ tag, count }: Field): boolean => TABLES.has(tag) && count > mostRead;
  const [later, now] = [true, false].map((kind) => [...fields.values()].filter((field) => isDeferred(field) === kind));
  await bytes.load(now.map(({ offset, count, type }) => ({ offset, length: count * FIELD_TYPES[type].bytes })));
  // What lies outside of the file is found out here, as with tables that are read.
  for (const { offset, count, type } of later) bytes.assertInside(offset, count * FIELD_TYPES[type].bytes);
  return {
    place,
    littleEndian,
    values: (tag) => valuesOf(bytes, fields.get(tag), littleEndian),
    deferred: (tag) =>
      deferredTable(
        later.find((field) => field.tag === tag),
        littleEndian,
      ),
  };
}

function deferredTable(field: Field | undefined, littleEndian: boolean): DeferredTable | null {
  if (field === undefined) return null;
  const { bytes: step, read } = FIELD_TYPES[field.type];
  return {
    count: field.count,
    range: (first, end) => ({ offset: field.offset + first * step, length: (end - first) * step }),
    decode(bytes, first, end, out) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let i = first; i < end; i++) out[i] = read(view, (i - first) * step, littleEndian);
    },
  };
}

function readHeader(bytes: TiffBytes) {
  const { place, size } = bytes;
  if (size < 8) throw new TiffError('not_tiff', place, `wanted a TIFF file, got ${size} bytes`);
  const view = bytes.view(0, Math.min(16, size));
  const order = view.getUint16(0);
  const littleEndian = BYTE_ORDERS[order];
  const version = view.getUint16(2, littleEndian);
  const layout = LAYOUTS[version as keyof typeof LAYOUTS];
  if (littleEndian === undefined || layout === undefined)
    throw new TiffError('not_tiff', place, `wanted a TIFF file, got one that begins with ${hex(view)}`);
  if (size < layout.header) throw new TiffError('truncated', place, `wanted a header of 16 bytes, got ${size}`);
  if (version === 43 && (view.getUint16(4, littleEndian) !== 8 || view.getUint16(6, littleEndian) !== 0))
    throw new TiffError('damaged', place, 'wanted BigTIFF offsets of 8 bytes, got other ones');
  const start = version === 43 ? Number(view.getBigUint64(8, littleEndian)) : view.getUint32(4, littleEndian);
  if (start < layout.header)
    throw new TiffError('damaged', place, `wanted a directory after the header, got one at byte ${start}`);
  return { littleEndian, layout, start };
}

function hex(view: DataView): string {
  return Array.from({ length: 4 }, (_, i) => view.getUint8(i).toString(16).padStart(2, '0')).join(' ');
}

function readField(
  bytes: TiffBytes,
  at: number,
  { countBytes, fieldBytes, inlineBytes }: (typeof LAYOUTS)[keyof typeof LAYOUTS],
  littleEndian: boolean,
): Field | null {
  const view = bytes.view(at, fieldBytes);
  const tag = view.getUint16(0, littleEndian);
  const type = view.getUint16(2, littleEndian);
  if (!READ_TAGS.has(tag)) return null;
  const big = countBytes === 8;
  const count = big ? Number(view.getBigUint64(4, littleEndian)) : view.getUint32(4, littleEndian);
  const fault = (detail: string) => new TiffError('damaged', bytes.place, `tag ${tag}: ${detail}`, { tag });
  if (FIELD_TYPES[type] === undefined || (type === TEXT) !== (tag === TAG.nodata))
    throw fault(`got the field type ${type}, which is no type for it`);
  const max = TABLES.has(tag) ? MAX_TABLE : MAX_SHORT;
  if (count < 1 || count > max) throw fault(`wanted 1 to ${max} values, got ${count}`);
  const inlineAt = fieldBytes - inlineBytes;
  if (count * FIELD_TYPES[type].bytes <= inlineBytes) return { tag, type, count, offset: at + inlineAt };
  const offset = big ? Number(view.getBigUint64(inlineAt, littleEndian)) : view.getUint32(inlineAt, littleEndian);
  return { tag, type, count, offset };
}

function valuesOf(bytes: TiffBytes, field: Field | undefined, littleEndian: boolean): Float64Array | null {
  if (field === undefined) return null;
  const { bytes: step, read } = FIELD_TYPES[field.type];
  const view = bytes.view(field.offset, field.count * step);
  const values = new Float64Array(field.count);
  for (let i = 0; i < field.count; i++) values[i] = read(view, i * step, littleEndian);
  return values;
}
