import type { Bbox } from '../../../geo/shapes/shape.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { decodeHeader, headerBytes, type FlatHeader } from './header.ts';
import { FlatGeobufError, indexBytes, indexLevels, MAX_HEADER_BYTES, NODE_BYTES } from './layout.ts';
import { Leaves, offsetAt } from './leaves.ts';
import type { PageMemory } from './page-memory.ts';
import { pagedBytes, type PagedBytes } from './paged-bytes.ts';
import { searchIndex } from './search-index.ts';

/** Largest feature that is read: 2 million vertices. */
const MAX_FEATURE_BYTES = 64_000_000;

/** A feature or a node as the index has it. */
export interface Leaf {
  /** Bytes from the first feature. */
  readonly offset: number;
  readonly box: Bbox;
}

/** A FlatGeobuf file read in place, from disk or by ranges of an address, without loading it. */
export interface FlatGeobufFile extends FlatReads {
  readonly place: string;
  readonly bytes: number;
  /** Reads several times for one answer; whether the file was written into meanwhile is looked at once, at the end. */
  answer<T>(job: (file: FlatReads) => Promise<T>): Promise<T>;
  /** The entries of one level of the index in order, the root at 0; past the page memory. */
  level(number: number, signal: AbortSignal): AsyncGenerator<Leaf, void>;
  /** The features from number `from` up to, not including, `to`, with their boxes; past the page memory. */
  entries(from: number, to: number, signal: AbortSignal): Promise<Leaves>;
  /** Levels of the index; the last is that of the features. */
  readonly levels: number;
  /** The whole file in order, in pieces of about 1 MB of features; past the page memory. */
  scan(signal: AbortSignal): AsyncGenerator<FeatureBatch, void>;
}

/** What is found by the index of a file. */
export interface FlatReads {
  readonly header: FlatHeader;
  /** Every feature whose box touches one of the windows (degrees), in the order of the file; added to `out` when it is given. */
  search(windows: readonly Bbox[], signal: AbortSignal, out?: Leaves): Promise<Leaves>;
  /** Calls `visit` with each feature in turn. */
  read(leaves: Leaves, signal: AbortSignal, visit: FeatureVisitor): Promise<void>;
}

/** Features that lie one after the other in memory: where the FlatBuffer of each begins. */
interface FeatureBatch {
  readonly view: DataView;
  readonly starts: readonly number[];
}

const START_BYTES = 16_384;
const SCAN_BYTES = 1_048_576;
/** Most bytes of a feature that are fetched before its length is known. */
const MOST_USUAL = 65_536;

/** Opens a file: reads its header and nothing else. Throws a `FlatGeobufError` that says what is wrong with it. */
export async function openFlatGeobuf(
  source: ByteSource,
  memory: PageMemory,
  signal: AbortSignal,
): Promise<FlatGeobufFile> {
  const place = source.id;
  const info = await source.stat({ signal });
  if (info === null) throw new FlatGeobufError(place, 'there is no such file');
  if (info.size < 12) throw new FlatGeobufError(place, `wanted a FlatGeobuf file, got ${info.size} bytes`);
  const start = await fetchBytes(source, 0, Math.min(START_BYTES, info.size), signal);
  const length = headerBytes(place, start);
  if (length > MAX_HEADER_BYTES || 12 + length > info.size)
    throw new FlatGeobufError(place, `the header claims ${length} bytes; the file has ${info.size}`);
  const whole = 12 + length <= start.length ? start : await fetchBytes(source, 0, 12 + length, signal);
  const header = decodeHeader(place, whole.subarray(12, 12 + length));
  if (header.crs !== 0 && header.crs !== 4326)
    throw new FlatGeobufError(
      place,
      `wanted coordinates in EPSG:4326, got EPSG:${header.crs}; convert it with ogr2ogr -t_srs EPSG:4326`,
    );
  // Levels of such an index would never become smaller.
  if (header.nodeSize === 1)
    throw new FlatGeobufError(place, 'wanted 2 or more entries in each node of the index, got 1; the file is damaged');
  const index = 12 + length;
  const hasIndex = header.nodeSize > 0;
  const features = index + (hasIndex ? indexBytes(header.count, header.nodeSize) : 0);
  if (features > info.size) throw new FlatGeobufError(place, 'the file ends inside its index');
  const paged = pagedBytes(source, info.size, memory);
  const usual = Math.min(MOST_USUAL, Math.ceil((2 * (info.size - features)) / Math.max(1, header.count)));
  const reads: FlatReads = {
    header,
    async search(windows, inner, out = new Leaves()) {
      if (hasIndex) await searchIndex({ place, header, start: index, paged }, windows, inner, out);
      else if (features < info.size)
        throw new FlatGeobufError(place, 'the file has no index; write it again with ogr2ogr -lco SPATIAL_INDEX=YES');
      return out;
    },
    read: (leaves, inner, visit) =>
      readLeaves({ place, start: features, size: info.size, usual, paged }, leaves, inner, visit),
  };
  async function answer<T>(job: (file: FlatReads) => Promise<T>): Promise<T> {
    try {
      return await job(reads);
    } finally {
      // Of a file that was written into, that is what is wrong with it.
      await paged.check();
    }
  }
  return {
    place,
    header,
    bytes: info.size,
    answer,
    search: (windows, inner, out) => answer((file) => file.search(windows, inner, out)),
    read: (leaves, inner, visit) => answer((file) => file.read(leaves, inner, visit)),
    levels: hasIndex ? indexLevels(header.count, header.nodeSize).length : 0,
    level: (number, inner) => readLevel(source, header, index, number, inner),
    entries: (from, to, inner) => readEntries(source, header, index, from, to, inner),
    scan: (inner) => scan(source, features, info.size, inner),
  };
}

async function fetchBytes(source: ByteSource, at: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = await source.fetch(at, length, { signal });
  if (bytes === null) throw new FlatGeobufError(source.id, 'there is no such file');
  return bytes;
}

async function* readLevel(
  source: ByteSource,
  { count, nodeSize }: FlatHeader,
  index: number,
  number: number,
  signal: AbortSignal,
): AsyncGenerator<Leaf, void> {
  const [first, end] = indexLevels(count, nodeSize)[number];
  const atOnce = Math.floor(SCAN_BYTES / NODE_BYTES);
  for (let entry = first; entry < end; entry += atOnce) {
    const length = Math.min(atOnce, end - entry) * NODE_BYTES;
    const bytes = await fetchBytes(source, index + entry * NODE_BYTES, length, signal);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < length; at += NODE_BYTES) yield { offset: offsetAt(view, at), box: boxAt(view, at) };
  }
}

async function readEntries(
  source: ByteSource,
  { count, nodeSize }: FlatHeader,
  index: number,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Leaves> {
  const [first] = indexLevels(count, nodeSize).at(-1) ?? [0];
  const found = new Leaves();
  if (to <= from) return found;
  const bytes = await fetchBytes(source, index + (first + from) * NODE_BYTES, (to - from) * NODE_BYTES, signal);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let number = from; number < to; number++) found.addEntry(number, view, (number - from) * NODE_BYTES);
  return found;
}

function boxAt(view: DataView, at: number): Bbox {
  const edge = (i: number): number => view.getFloat64(at + i * 8, true);
  return [edge(0), edge(1), edge(2), edge(3)];
}

async function* scan(
  source: ByteSource,
  features: number,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<FeatureBatch, void> {
  for (let at = features, wanted = SCAN_BYTES; at < size;) {
    const bytes = await fetchBytes(source, at, Math.min(wanted, size - at), signal);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const starts: number[] = [];
    let place = 0;
    let missing = 0;
    while (place + 4 <= bytes.length) {
      const length = view.getUint32(place, true);
      if (length > MAX_FEATURE_BYTES || at + place + 4 + length > size)
        throw new FlatGeobufError(source.id, `a feature claims ${length} bytes; the file is damaged`);
      if (place + 4 + length > bytes.length) {
        missing = 4 + length;
        break;
      }
      starts.push(place + 4);
      place += 4 + length;
    }
    if (starts.length === 0 && missing === 0) throw new FlatGeobufError(source.id, 'the file ends inside a feature');
    yield { view, starts };
    at += place;
    wanted = Math.max(SCAN_BYTES, missing);
  }
}

/** The features of a file, after its index. */
interface FlatFeatures {
  readonly place: string;
  /** Where they begin in the file. */
  readonly start: number;
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes of most features, the length in front of each with them. */
  readonly usual: number;
  readonly paged: PagedBytes;
}

/** A view, where a feature's FlatBuffer begins in it after the length, and which of the leaves it is; the view is good until it returns. */
type FeatureVisitor = (view: DataView, at: number, index: number) => void;

/** Calls `visit` with the feature of each leaf in turn. */
async function readLeaves(
  { place, start, size, usual, paged }: FlatFeatures,
  { offsets, length: count }: Leaves,
  signal: AbortSignal,
  visit: FeatureVisitor,
): Promise<void> {
  const pages: number[] = [];
  /** Loads `bytes` of a feature and what most of the next ones need; gives the first that was left out. */
  async function loadFrom(first: number, bytes: number): Promise<number> {
    let i = first;
    for (let wanted = bytes; i < count && pages.length < paged.atOnce; wanted = usual) {
      const at = start + offsets[i++];
      paged.missing(at, Math.max(4, Math.min(wanted, size - at)), pages);
    }
    if (pages.length > 0) await paged.load(pages, signal);
    pages.length = 0;
    return i;
  }

  let loaded = 0;
  for (let i = 0; i < count; i++) {
    const at = start + offsets[i];
    if (i === loaded) loaded = await loadFrom(i, usual);
    const head = paged.find(at, 4);
    const length = head < 0 ? (await paged.read(at, 4, signal)).getUint32(0, true) : paged.view.getUint32(head, true);
    if (length > MAX_FEATURE_BYTES || at + 4 + length > size)
      throw new FlatGeobufError(place, `a feature claims ${length} bytes; the file is damaged`);
    let found = paged.find(at, 4 + length);
    if (found < 0 && length <= paged.pageBytes * paged.atOnce) {
      loaded = await loadFrom(i, 4 + length);
      found = paged.find(at, 4 + length);
    }
    if (found >= 0) visit(paged.view, found + 4, i);
    else visit(await paged.read(at, 4 + length, signal), 4, i);
  }
}
