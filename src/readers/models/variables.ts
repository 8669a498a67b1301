import { snappyUncompress } from 'hyparquet';
import { ProtobufReader } from '../formats/osm/protobuf.ts';
import { crc32c } from '../../geo/crc32c.ts';
import { fields, ModelError, numbers, readable, text } from './saved-model.ts';
import { decodeElements, readShape, type Tensor } from './tensor.ts';

const INDEX = 'variables.index';
const OBJECT_GRAPH = '_CHECKPOINTABLE_OBJECT_GRAPH';

/**
 * The variables of a SavedModel by the name its graph calls them. Every value's checksum is compared when it is read.
 * Only bundles of one data file are read, which is what models of this size have.
 */
export function readVariables(index: Uint8Array, data: Uint8Array): (name: string) => Tensor {
  const entries = readVariablesTable(index, INDEX);
  const header = entries.get('');
  const shards = header === undefined ? 0 : (numbers(header, 1)[0] ?? 0);
  if (shards !== 1) throw new ModelError(`${INDEX}: wanted variables in one data file, got ${shards}`);
  const keys = checkpointKeys(bytesOfEntry(entryOf(entries, OBJECT_GRAPH), data, OBJECT_GRAPH));
  return (name) => {
    const key = keys.get(name);
    if (key === undefined) throw new ModelError(`${INDEX}: wanted the variable ${name}, got none of that name`);
    return readable(name, () => {
      const entry = entryOf(entries, key);
      const type = numbers(entry, 1)[0] ?? 0;
      const shape = readShape(fields(entry, 2)[0] ?? new Uint8Array(0));
      return decodeElements(type, shape, bytesOfEntry(entry, data, name), name);
    });
  };
}

function entryOf(entries: ReadonlyMap<string, Uint8Array>, key: string): Uint8Array {
  const entry = entries.get(key);
  if (entry === undefined) throw new ModelError(`${INDEX}: wanted an entry ${key}, got none`);
  return entry;
}

/** The bytes a message `BundleEntryProto` points at: offset in field 4, size in field 5, masked checksum in field 6. */
function bytesOfEntry(entry: Uint8Array, data: Uint8Array, what: string): Uint8Array {
  const [offset = 0, size = 0] = [numbers(entry, 4)[0], numbers(entry, 5)[0]];
  if (offset + size > data.length)
    throw new ModelError(`${what}: wanted ${size} bytes at ${offset} of the data file, got a file of ${data.length}`);
  const bytes = data.subarray(offset, offset + size);
  const stored = checksumOf(entry);
  if (stored === null) throw new ModelError(`${what}: wanted a checksum, got none`);
  // A single text is stored as its length, a checksum of the length, and the text; the checksum covers all but itself.
  if (numbers(entry, 1)[0] === STRING) return singleText(bytes, stored, what);
  if (crc32c(bytes) !== stored) throw new ModelError(`${what}: the checksum of the variable does not match`);
  return bytes;
}

/** The number TensorFlow gives the type of texts. */
const STRING = 7;

function singleText(bytes: Uint8Array, stored: number, what: string): Uint8Array {
  const reader = new ProtobufReader(bytes);
  const length = reader.varint();
  const body = bytes.subarray(reader.at + 4);
  if (length !== body.length) throw new ModelError(`${what}: wanted a text of ${length} bytes, got ${body.length}`);
  const covered = new Uint8Array(8 + length);
  new DataView(covered.buffer).setUint32(0, length, true);
  covered.set(bytes.subarray(reader.at, reader.at + 4), 4);
  covered.set(body, 8);
  if (crc32c(covered) !== stored) throw new ModelError(`${what}: the checksum of the text does not match`);
  return body;
}

function checksumOf(entry: Uint8Array): number | null {
  const reader = new ProtobufReader(entry);
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === 6 * 8 + 5 && reader.at + 4 <= entry.length)
      return unmask(new DataView(entry.buffer, entry.byteOffset).getUint32(reader.at, true));
    reader.skip(tag);
  }
  return null;
}

/** From a message `TrackableObjectGraph`: the full name of each variable and the key its value is stored under. */
function checkpointKeys(graph: Uint8Array): Map<string, string> {
  return readable(OBJECT_GRAPH, () => {
    const keys = new Map<string, string>();
    for (const node of fields(graph, 1)) {
      for (const attribute of fields(node, 2)) {
        const [name, key] = [fields(attribute, 2)[0], fields(attribute, 3)[0]];
        if (name !== undefined && key !== undefined) keys.set(text(name), text(key));
      }
    }
    return keys;
  });
}

const FOOTER_BYTES = 48;
/** After each block: how it is compressed (1 byte) and a masked checksum (4 bytes). */
const TRAILER_BYTES = 5;
const MAGIC = 0xdb4775248b80fb57n;
const MOST_BLOCK_BYTES = 16_000_000;

/**
 * Keys and values of a table in LevelDB's format, which TensorFlow writes its index of variables in: blocks of entries
 * that share the beginning of their key with the one before, an index block that points at them, a footer that points at
 * the index. Every block's checksum is compared. Throws a `ModelError` for anything else.
 */
export function readVariablesTable(bytes: Uint8Array, what: string): Map<string, Uint8Array> {
  return readable(what, () => {
    const index = readBlock(bytes, indexHandle(bytes, what), what);
    const found = new Map<string, Uint8Array>();
    for (const [, handle] of entriesOf(index, what)) {
      const reader = new ProtobufReader(handle);
      const block = readBlock(bytes, { offset: reader.varint(), size: reader.varint() }, what);
      for (const [key, value] of entriesOf(block, what)) found.set(key, value);
    }
    return found;
  });
}

interface Handle {
  readonly offset: number;
  readonly size: number;
}

function indexHandle(bytes: Uint8Array, what: string): Handle {
  if (bytes.length < FOOTER_BYTES)
    throw new ModelError(`${what}: wanted at least ${FOOTER_BYTES} bytes, got ${bytes.length}`);
  const footer = bytes.subarray(bytes.length - FOOTER_BYTES);
  const magic = viewOf(footer).getBigUint64(FOOTER_BYTES - 8, true);
  if (magic !== MAGIC)
    throw new ModelError(`${what}: wanted a table that ends in ${MAGIC.toString(16)}, got ${magic.toString(16)}`);
  const reader = new ProtobufReader(footer);
  reader.varint();
  reader.varint();
  return { offset: reader.varint(), size: reader.varint() };
}

function readBlock(bytes: Uint8Array, { offset, size }: Handle, what: string): Uint8Array {
  if (!(offset + size + TRAILER_BYTES <= bytes.length))
    throw new ModelError(`${what}: wanted a block of ${size} bytes at ${offset}, got a file of ${bytes.length}`);
  const checked = bytes.subarray(offset, offset + size + 1);
  const stored = unmask(viewOf(bytes).getUint32(offset + size + 1, true));
  if (crc32c(checked) !== stored)
    throw new ModelError(`${what}: the checksum of the block at ${offset} does not match`);
  const block = bytes.subarray(offset, offset + size);
  const compression = bytes[offset + size];
  if (compression === 0) return block;
  if (compression === 1) return unpackSnappy(block, what);
  throw new ModelError(`${what}: wanted blocks that are plain or Snappy, got compression ${compression}`);
}

function unpackSnappy(block: Uint8Array, what: string): Uint8Array {
  const length = new ProtobufReader(block).varint();
  if (length > MOST_BLOCK_BYTES)
    throw new ModelError(`${what}: wanted blocks of at most ${MOST_BLOCK_BYTES} bytes, got ${length}`);
  const out = new Uint8Array(length);
  try {
    snappyUncompress(block, out);
  } catch (error) {
    throw new ModelError(`${what}: a block cannot be decompressed`, { cause: error });
  }
  return out;
}

/** Entries of a block; after them stand the places where keys are written whole, and how many. */
function* entriesOf(block: Uint8Array, what: string): Generator<readonly [string, Uint8Array]> {
  const restarts = block.length < 4 ? -1 : viewOf(block).getUint32(block.length - 4, true);
  const end = block.length - 4 * (restarts + 1);
  if (restarts < 0 || end < 0) throw new ModelError(`${what}: a block is too short for its table of restarts`);
  const reader = new ProtobufReader(block, 0, end);
  let key = new Uint8Array(0);
  while (reader.at < end) {
    const shared = reader.varint();
    const own = reader.varint();
    const size = reader.varint();
    const valueAt = reader.at + own;
    if (shared > key.length || valueAt + size > end) throw new ModelError(`${what}: an entry reaches past its block`);
    key = Uint8Array.from([...key.subarray(0, shared), ...block.subarray(reader.at, valueAt)]);
    yield [text(key), block.subarray(valueAt, valueAt + size)];
    reader.at = valueAt + size;
  }
}

/** Checksums are stored rotated by 15 bits with a constant added (LevelDB's `crc32c::Mask`). */
function unmask(masked: number): number {
  const rotated = (masked - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
