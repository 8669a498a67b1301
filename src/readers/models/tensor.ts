import { ProtobufReader } from '../formats/osm/protobuf.ts';
import { fields, type GraphNode, ModelError, numbers, readable, text } from './saved-model.ts';

/** Numbers with a shape; an empty shape is a single number. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** Bytes of one element by the number TensorFlow gives its type (`types.proto`), and how it is read. */
const TYPES: Readonly<
  Record<number, { readonly bytes: number; readonly read: (view: DataView, at: number) => number }>
> = {
  1: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  2: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  3: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  9: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
};
/** Fields of `TensorProto` that hold single values of a type, in addition to `tensor_content`. */
const VALUE_FIELDS: Readonly<Record<number, number>> = { 1: 5, 2: 6, 3: 7, 9: 10 };
const MOST_ELEMENTS = 10_000_000;

/** Decodes raw little-endian elements of a TensorFlow type; throws a `ModelError` when their number is not the shape's. */
export function decodeElements(type: number, shape: readonly number[], bytes: Uint8Array, what: string): Tensor {
  const element = typeOf(type, what);
  const count = elementsOf(shape, what);
  if (bytes.length !== count * element.bytes)
    throw new ModelError(`${what}: wanted ${count * element.bytes} bytes of elements, got ${bytes.length}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = Float64Array.from({ length: count }, (_, i) => element.read(view, i * element.bytes));
  return { shape, values };
}

/** The value of a `Const` node, a message `TensorProto`; an element that is left out repeats the one before. */
export function readTensor(message: Uint8Array, what: string): Tensor {
  return readable(what, () => {
    const type = numbers(message, 1)[0] ?? 0;
    const shape = readShape(fields(message, 2)[0] ?? new Uint8Array(0));
    const content = fields(message, 4)[0];
    if (content !== undefined && content.length > 0) return decodeElements(type, shape, content, what);
    const given = singleValues(message, type, what);
    const count = elementsOf(shape, what);
    const values = Float64Array.from({ length: count }, (_, i) => given[Math.min(i, given.length - 1)] ?? 0);
    return { shape, values };
  });
}

/** A message `TensorShapeProto`. */
export function readShape(message: Uint8Array): number[] {
  return fields(message, 2).map((dimension) => numbers(dimension, 1)[0] ?? 0);
}

function singleValues(message: Uint8Array, type: number, what: string): number[] {
  const { bytes, read } = typeOf(type, what);
  if (type === 3 || type === 9) return numbers(message, VALUE_FIELDS[type]).map(asSigned);
  const packed = fields(message, VALUE_FIELDS[type])[0] ?? new Uint8Array(0);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const values = Array.from({ length: Math.floor(packed.length / bytes) }, (_, i) => read(view, i * bytes));
  return values.length > 0 ? values : unpacked(message, VALUE_FIELDS[type], bytes, read);
}

/** Fixed-size numbers written one by one. */
function unpacked(
  message: Uint8Array,
  number: number,
  bytes: number,
  read: (view: DataView, at: number) => number,
): number[] {
  const reader = new ProtobufReader(message);
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const wanted = number * 8 + (bytes === 4 ? 5 : 1);
  const values: number[] = [];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === wanted) values.push(read(view, reader.at));
    reader.skip(tag);
  }
  return values;
}

/** Negative numbers are written as 64 bits, which a reader of unsigned numbers takes for just below 2^64. */
function asSigned(value: number): number {
  return value >= 2 ** 63 ? -1 : value;
}

function typeOf(type: number, what: string) {
  const element = TYPES[type];
  if (element === undefined)
    throw new ModelError(
      `${what}: wanted elements of type 1, 2, 3 or 9 (float, double, int32, int64), got type ${type}`,
    );
  return element;
}

function elementsOf(shape: readonly number[], what: string): number {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count >= 0 && count <= MOST_ELEMENTS && shape.every((size) => size >= 0)) return count;
  throw new ModelError(`${what}: wanted at most ${MOST_ELEMENTS} elements, got the shape ${shape.join(' x ')}`);
}

/** The texts of a `Const` node. */
export function textsOf(node: GraphNode): string[] {
  const value = fields(node.attributes.get('value') ?? new Uint8Array(0), 8)[0] ?? new Uint8Array(0);
  return readable(node.name, () => fields(value, 8).map(text));
}
