import type { Bbox } from '../../geo/shape.ts';
import type { ByteSource } from '../byte-source.ts';
import { decodeHeader, headerBytes, type FlatHeader } from './header.ts';
import { FlatGeobufError, indexBytes, indexLevels, MAX_HEADER_BYTES, NODE_BYTES } from './layout.ts';
import { pagedBytes, type PageMemory, type PagedBytes } from './paged-bytes.ts';

/** A feature found by its box. */
export interface Leaf {
  /** Bytes from the first feature. */
  readonly offset: number;
  readonly box: Bbox;
}

/** A FlatGeobuf file read in place, from disk or by ranges of an address, without loading it. */
export interface FlatGeobufFile {
  readonly place: string;
  readonly header: FlatHeader;
  readonly bytes: number;
  /** Every feature whose box touches one of the windows (degrees), in the order of the file. */
  search(windows: readonly Bbox[], signal: AbortSignal): Promise<Leaf[]>;
  /** Calls `visit` with each feature in turn: a view, and where its FlatBuffer begins behind the length. */
  read(leaves: readonly Leaf[], signal: AbortSignal, visit: FeatureVisitor): Promise<void>;
  /** The entries of one level of the index in order, the root at 0; past the page memory. */
  level(number: number, signal: AbortSignal): AsyncGenerator<Leaf, void>;
  /** Levels of the index; the last is that of the features. */
  readonly levels: number;
  /** The whole file in order, in pieces of about 1 MB of features; past the page memory. */
  scan(signal: AbortSignal): AsyncGenerator<FeatureBatch, void>;
}

export type FeatureVisitor = (view: DataView, at: number, index: number) => void;

/** Features that lie one after the other in memory: where the FlatBuffer of each begins. */
export interface FeatureBatch {
  readonly view: DataView;
  readonly starts: readonly number[];
}

const START_BYTES = 16_384;
const SCAN_BYTES = 1_048_576;
/** Largest feature that is read: 2 million vertices. */
const MAX_FEATURE_BYTES = 64_000_000;

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
  const index = 12 + length;
  const features = index + (header.nodeSize === 0 ? 0 : indexBytes(header.count, header.nodeSize));
  if (features > info.size) throw new FlatGeobufError(place, 'the file ends inside its index');
  const paged = pagedBytes(source, info.size, memory);
  return {
    place,
    header,
    bytes: info.size,
    search: (windows, inner) =>
      search({ place, header, index, isEmpty: features === info.size, paged }, windows, inner),
    read: (leaves, inner, visit) => readFeatures({ place, features, size: info.size, paged }, leaves, inner, visit),
    levels: header.nodeSize === 0 ? 0 : indexLevels(header.count, header.nodeSize).length,
    level: (number, inner) => readLevel(source, header, index, number, inner),
    scan: (inner) => scan(source, features, info.size, inner),
  };
}

async function fetchBytes(source: ByteSource, at: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = await source.fetch(at, length, { signal });
  if (bytes === null) throw new FlatGeobufError(source.id, 'there is no such file');
  return bytes;
}

interface Index {
  readonly place: string;
  readonly header: FlatHeader;
  /** Where it begins in the file. */
  readonly index: number;
  /** Whether no feature follows. */
  readonly isEmpty: boolean;
  readonly paged: PagedBytes;
}

async function search(
  { place, header, index, isEmpty, paged }: Index,
  windows: readonly Bbox[],
  signal: AbortSignal,
): Promise<Leaf[]> {
  const { count, nodeSize } = header;
  if (nodeSize === 0 && isEmpty) return [];
  if (nodeSize === 0)
    throw new FlatGeobufError(place, 'the file has no index; write it anew with ogr2ogr -lco SPATIAL_INDEX=YES');
  const levels = indexLevels(count, nodeSize);
  const found: Leaf[] = [];
  let nodes = levels.length === 0 ? [] : [0];
  for (const [depth, [, end]] of levels.entries()) {
    const ranges = nodes.map((first) => [first, Math.min(first + (depth === 0 ? 1 : nodeSize), end)] as const);
    const views = await loadNodes(paged, index, ranges, signal);
    const isLeaf = depth === levels.length - 1;
    nodes = [];
    for (const [i, [first, last]] of ranges.entries()) {
      for (let entry = first, at = 0; entry < last; entry++, at += NODE_BYTES) {
        if (!touches(views[i], at, windows)) continue;
        const offset = Number(views[i].getBigUint64(at + 32, true));
        if (isLeaf) found.push({ offset, box: boxAt(views[i], at) });
        else if (offset < levels[depth + 1][0] || offset >= levels[depth + 1][1])
          throw new FlatGeobufError(place, `a node of the index points to entry ${offset}; the file is damaged`);
        else nodes.push(offset);
      }
    }
  }
  return found;
}

/** The entries of every range; loads them together, so that neighbours share a request. */
async function loadNodes(
  paged: PagedBytes,
  index: number,
  ranges: readonly (readonly [number, number])[],
  signal: AbortSignal,
): Promise<DataView[]> {
  const places = ranges.map(([first, end]) => [index + first * NODE_BYTES, (end - first) * NODE_BYTES] as const);
  const there = places.map(([at, length]) => paged.peek(at, length));
  if (there.every((view) => view !== null)) return there;
  await paged.load(
    places.filter((_, i) => there[i] === null),
    signal,
  );
  return Promise.all(places.map(async ([at, length], i) => there[i] ?? (await paged.read(at, length, signal))));
}

function touches(view: DataView, at: number, windows: readonly Bbox[]): boolean {
  for (const [west, south, east, north] of windows)
    if (
      view.getFloat64(at, true) <= east &&
      view.getFloat64(at + 16, true) >= west &&
      view.getFloat64(at + 8, true) <= north &&
      view.getFloat64(at + 24, true) >= south
    )
      return true;
  return false;
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
    for (let at = 0; at < length; at += NODE_BYTES)
      yield { offset: Number(view.getBigUint64(at + 32, true)), box: boxAt(view, at) };
  }
}

function boxAt(view: DataView, at: number): Bbox {
  const edge = (i: number): number => view.getFloat64(at + i * 8, true);
  return [edge(0), edge(1), edge(2), edge(3)];
}

interface Features {
  readonly place: string;
  /** Where they begin in the file. */
  readonly features: number;
  readonly size: number;
  readonly paged: PagedBytes;
}

async function readFeatures(
  { place, features, size, paged }: Features,
  leaves: readonly Leaf[],
  signal: AbortSignal,
  visit: FeatureVisitor,
): Promise<void> {
  const lengthsAt = leaves.map(({ offset }) => [features + offset, 4] as const);
  if (lengthsAt.some(([at]) => paged.peek(at, 4) === null)) await paged.load(lengthsAt, signal);
  for (const [i, [at]] of lengthsAt.entries()) {
    const head = paged.peek(at, 4) ?? (await paged.read(at, 4, signal));
    const length = head.getUint32(0, true);
    if (length > MAX_FEATURE_BYTES || at + 4 + length > size)
      throw new FlatGeobufError(place, `a feature claims ${length} bytes; the file is damaged`);
    const view = paged.peek(at, 4 + length) ?? (await paged.read(at, 4 + length, signal));
    visit(view, 4, i);
  }
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
