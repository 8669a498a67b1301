import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../../geo/parse-json.ts';
import { takeLargeGeometryTurn } from '../../../geo/shapes/large-geometry.ts';
import { GeojsonDocument, type GeojsonLayout, type GeojsonLimits } from './document.ts';
import { geojsonItem, type GeojsonItem } from './item.ts';
import { Problem } from '../../../errors.ts';

/**
 * Reads GeoJSON that comes in chunks of any size, feature by feature, in flat memory: a FeatureCollection with its
 * members in any order, a single Feature or geometry, an array of either, or texts after one another (one a line, or
 * RFC 8142). Every item of the file is yielded once, in order: what is not a usable feature comes as a fault. A file
 * that is broken as a whole throws `Problem('malformed_file' | 'too_large')` that says where; features before the
 * place may have been yielded by then, which `validateGeojsonStructure` beforehand rules out.
 */
export async function* readGeojsonFeatures(
  chunks: AsyncIterable<Uint8Array>,
  limits: GeojsonLimits = {},
): AsyncGenerator<GeojsonItem, void> {
  let found: GeojsonItem[] = [];
  const document = new GeojsonDocument((bytes, index, layout) => {
    found.push(geojsonItem(index, parse(bytes), layout));
  }, limits);
  for await (const _ of feedGeojson(chunks, document)) {
    if (found.length === 0) continue;
    yield* found;
    found = [];
  }
}

/** Features of one file as they were cut out of it, to be read elsewhere. */
export interface GeojsonPart {
  /** Their texts, one after another. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each text ends in `bytes`. */
  readonly ends: readonly number[];
  /** Of the first one in the file, from 0. */
  readonly index: number;
  readonly layout: GeojsonLayout;
}

/** A part is complete with so many features, or with so many bytes; a feature that is longer is a part of its own. */
export interface PartSize {
  readonly features: number;
  readonly bytes: number;
}

/** Cuts GeoJSON into parts without building values; throws what `readGeojsonFeatures` throws. `readGeojsonPart` reads the parts. */
export async function* cutGeojson(
  chunks: AsyncIterable<Uint8Array>,
  limits: GeojsonLimits,
  size: PartSize,
): AsyncGenerator<GeojsonPart, void> {
  let parts: GeojsonPart[] = [];
  const held = new Uint8Array(size.bytes);
  let [ends, used, lastLayout]: [number[], number, GeojsonLayout] = [[], 0, 'sequence'];
  const close = (next: number): void => {
    if (ends.length === 0) return;
    parts.push({ bytes: held.slice(0, used), ends, index: next - ends.length, layout: lastLayout });
    [ends, used] = [[], 0];
  };
  const document = new GeojsonDocument((bytes, index, layout) => {
    if (used + bytes.length > size.bytes) close(index);
    if (bytes.length > size.bytes) {
      parts.push({ bytes: new Uint8Array(bytes), ends: [bytes.length], index, layout });
      return;
    }
    held.set(bytes, used);
    used += bytes.length;
    ends.push(used);
    lastLayout = layout;
    if (ends.length === size.features) close(index + 1);
  }, limits);
  for await (const _ of feedGeojson(chunks, document)) {
    yield* parts;
    parts = [];
  }
  close(document.features);
  yield* parts;
}

/** The items of a part, as `readGeojsonFeatures` yields them. */
export function* readGeojsonPart({ bytes, ends, index, layout }: GeojsonPart): Generator<GeojsonItem, void> {
  for (let i = 0; i < ends.length; i++)
    yield geojsonItem(index + i, parse(bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i])), layout);
}

function parse(bytes: Uint8Array): unknown {
  takeLargeGeometryTurn(bytes.length);
  return parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
}

export interface GeojsonStructure {
  /** Items `readGeojsonFeatures` will yield, faults included. */
  readonly features: number;
  readonly layout: GeojsonLayout;
}

/**
 * Checks a whole GeoJSON text without building values, so that a broken file is known before an answer begins: after
 * it returns, `readGeojsonFeatures` with the same limits yields exactly `features` items from the same bytes and
 * throws nothing. Throws what that would throw.
 */
export async function validateGeojsonStructure(
  chunks: AsyncIterable<Uint8Array>,
  limits: GeojsonLimits = {},
): Promise<GeojsonStructure> {
  const document = new GeojsonDocument(null, limits);
  for await (const _ of feedGeojson(chunks, document)) continue;
  return { features: document.features, layout: document.layout ?? 'sequence' };
}

/** Bytes at the beginning of a file that `refuseOtherFormats` wants to see, where the file has as many. */
const SNIFFED_BYTES = 64;

const SIGNATURES: readonly (readonly [signature: string, looksLike: string])[] = [
  ['PK\x03\x04', 'a ZIP archive (a zipped Shapefile, a KMZ or a spreadsheet)'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\x1f\x8b', 'a gzip file; send it unpacked'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file; send it unpacked'],
  ['SQLite format 3\0', 'a GeoPackage or another SQLite database'],
  ['PAR1', 'a Parquet file'],
  ['fgb\x03', 'a FlatGeobuf file'],
  ['%PDF', 'a PDF document'],
  ['\0\0\x27\x0a', 'a Shapefile'],
  ['\x89PNG', 'a PNG picture'],
  ['II*\0', 'a TIFF picture'],
  ['MM\0*', 'a TIFF picture'],
];

const ENCODINGS: readonly (readonly [signature: string, name: string])[] = [
  ['\0\0\xfe\xff', 'UTF-32'],
  ['\xff\xfe\0\0', 'UTF-32'],
  ['\xfe\xff', 'UTF-16'],
  ['\xff\xfe', 'UTF-16'],
];

/** Checks that chunks of any size make up valid UTF-8 together; reports the first byte that breaks it. */
class GeojsonUtf8 {
  #carried: Uint8Array = new Uint8Array(0);
  #bytesBefore = 0;

  /** Returns the offset in the whole text of a byte that is not UTF-8, or null while all is well. */
  push(chunk: Uint8Array): number | null {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const end = bytes.length - unfinishedTail(bytes);
    if (!isUtf8(bytes.subarray(0, end))) return this.#bytesBefore + firstInvalid(bytes.subarray(0, end));
    this.#carried = bytes.slice(end);
    this.#bytesBefore += end;
    return null;
  }

  /** Like `push`, after the last chunk. */
  finish(): number | null {
    return this.#carried.length === 0 ? null : this.#bytesBefore;
  }
}

/** Larger chunks are cut, so that neither memory nor the time between two turns of the event loop grows with them. */
const MAX_CHUNK_BYTES = 262_144;

/**
 * Feeds chunks to the document and yields after each, so that what the document has found can be taken away. Throws
 * `Problem('malformed_file')` for another format, another encoding and bytes that are not UTF-8.
 */
async function* feedGeojson(chunks: AsyncIterable<Uint8Array>, document: GeojsonDocument): AsyncGenerator<void, void> {
  const utf8 = new GeojsonUtf8();
  for await (const chunk of withWholeHead(chunks)) {
    for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES) {
      const part = chunk.subarray(start, start + MAX_CHUNK_BYTES);
      refuseInvalid(utf8.push(part));
      document.push(part);
      yield;
    }
  }
  refuseInvalid(utf8.finish());
  document.finish();
  yield;
}

/** Joins the first chunks until there is enough to recognise the format, and reports it. */
async function* withWholeHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let head: Uint8Array | null = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < SNIFFED_BYTES) continue;
    refuseOtherFormats(head);
    yield head;
    head = null;
  }
  if (head === null) return;
  refuseOtherFormats(head);
  yield head;
}

function refuseInvalid(offset: number | null): void {
  if (offset === null) return;
  const detail = `wanted text in UTF-8, got a byte that is not UTF-8 (byte ${offset}); save the file as UTF-8`;
  throw new Problem('malformed_file', detail, { errors: [{ pointer: '', code: 'invalid_utf8', detail }] });
}

/** How many bytes at the end may be the beginning of a character whose rest comes with the next chunk: 0 to 3. */
function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) return back < characterLength(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** Bisects for the shortest valid prefix; called once, when the bytes are known to be broken. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let broken = bytes.length;
  while (broken - valid > 1) {
    const middle = (valid + broken) >>> 1;
    if (isUtf8(bytes.subarray(0, middle - unfinishedTail(bytes.subarray(0, middle))))) valid = middle;
    else broken = middle;
  }
  return valid - unfinishedTail(bytes.subarray(0, valid));
}

/** Throws `Problem('malformed_file')` that names what the file looks like when its first bytes are not those of UTF-8 JSON. */
function refuseOtherFormats(head: Uint8Array): void {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES)).toString('latin1');
  const encoding = ENCODINGS.find(([signature]) => text.startsWith(signature))?.[1] ?? encodingWithoutMark(head);
  if (encoding !== null)
    refuse('unsupported_encoding', `wanted text in UTF-8, got ${encoding}; save the file as UTF-8`);
  const format = SIGNATURES.find(([signature]) => text.startsWith(signature))?.[1] ?? markup(text);
  if (format !== null) refuse('not_geojson', `wanted GeoJSON, got what looks like ${format}`);
}

/** ASCII characters of UTF-16 and UTF-32 have zero bytes next to them. */
function encodingWithoutMark(head: Uint8Array): string | null {
  const zeros = [0, 1, 2, 3].map((i) => head[i] === 0);
  if (head.length < 4 || zeros.every((zero) => zero)) return null;
  if ((zeros[0] && zeros[1] && zeros[2]) || (zeros[1] && zeros[2] && zeros[3])) return 'UTF-32';
  return (zeros[0] && zeros[2]) || (zeros[1] && zeros[3]) ? 'UTF-16' : null;
}

function markup(text: string): string | null {
  const begins = text
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase();
  if (/^<(!doctype html|html|head|body)/.test(begins)) return 'an HTML page';
  if (begins.startsWith('<kml') || begins.includes('<kml')) return 'KML';
  return begins.startsWith('<') ? 'XML' : null;
}

function refuse(code: string, detail: string): never {
  throw new Problem('malformed_file', detail, { errors: [{ pointer: '', code, detail }] });
}
