import { ProtobufReader } from '../formats/osm/protobuf.ts';
import { crc32c } from '../../geo/crc32c.ts';
import { ModelError } from './model-error.ts';
import { fields, numbers, readable, text } from './saved-model.ts';
import { decodeElements, readShape, type Tensor } from './tensor.ts';
import { readVariablesTable, unmask } from './variables-table.ts';

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
