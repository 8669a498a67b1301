import { ProtobufReader } from '../formats/osm/protobuf.ts';

/** One operation of a graph. */
export interface GraphNode {
  readonly name: string;
  readonly op: string;
  /** `name`, `name:output:index` in a function or `name:index` in the main graph; `^name` only orders. */
  readonly inputs: readonly string[];
  /** Messages `AttrValue`, undecoded. */
  readonly attributes: ReadonlyMap<string, Uint8Array>;
}

/** Nodes that call each other by name: the main graph, or the body of a function. */
export interface Graph {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** Names of the arguments, in order; empty for the main graph. */
  readonly parameters: readonly string[];
  /** What each output refers to, in order; empty for the main graph. */
  readonly results: readonly string[];
}

/** A TensorFlow SavedModel: its graph, its functions, and the outputs of its default signature by name. */
export interface SavedModel {
  readonly main: Graph;
  /** Functions are decoded when they are needed: most of a model is never looked at. */
  function(name: string): Graph;
  readonly outputs: ReadonlyMap<string, string>;
}

const MOST_FUNCTIONS = 10_000;
const MOST_NODES = 100_000;
const SIGNATURE = 'serving_default';

/**
 * Reads a `saved_model.pb`. Field numbers are those of TensorFlow's `saved_model.proto`, `meta_graph.proto`,
 * `graph.proto`, `node_def.proto` and `function.proto`. Throws a `ModelError` when the bytes are no such file.
 */
export function readSavedModel(bytes: Uint8Array): SavedModel {
  return readable('saved_model.pb', () => {
    const metaGraph = only(bytes, 2, 'graph');
    const graphDef = only(metaGraph, 2, 'graph definition');
    const functions = new Map<string, Uint8Array>();
    for (const library of fields(graphDef, 2)) {
      for (const body of fields(library, 1)) {
        if (functions.size === MOST_FUNCTIONS)
          throw new ModelError(`the model has more than ${MOST_FUNCTIONS} functions`);
        functions.set(text(only(only(body, 1, 'function signature'), 1, 'function name')), body);
      }
    }
    const decoded = new Map<string, Graph>();
    return {
      main: { name: 'main', nodes: readNodes(fields(graphDef, 1)), parameters: [], results: [] },
      function(name) {
        let found = decoded.get(name);
        if (found === undefined) {
          const body = functions.get(name);
          if (body === undefined) throw new ModelError(`the model calls the function ${name}, which it does not have`);
          found = readable(`the function ${name}`, () => readFunction(name, body));
          decoded.set(name, found);
        }
        return found;
      },
      outputs: readOutputs(metaGraph),
    };
  });
}

function readFunction(name: string, body: Uint8Array): Graph {
  const signature = only(body, 1, 'function signature');
  const names = (field: number): string[] => fields(signature, field).map((arg) => text(only(arg, 1, 'argument name')));
  const returned = new Map(fields(body, 4).map(readPair));
  const results = names(3).map((output) => {
    const reference = returned.get(output);
    if (reference === undefined)
      throw new ModelError(`the function ${name} does not say where its output ${output} is`);
    return text(reference);
  });
  return { name, nodes: readNodes(fields(body, 3)), parameters: names(2), results };
}

function readNodes(messages: readonly Uint8Array[]): Map<string, GraphNode> {
  if (messages.length > MOST_NODES) throw new ModelError(`wanted at most ${MOST_NODES} nodes, got ${messages.length}`);
  const nodes = new Map<string, GraphNode>();
  for (const message of messages) {
    const name = text(only(message, 1, 'node name'));
    const op = text(only(message, 2, 'operation'));
    const inputs = fields(message, 3).map(text);
    nodes.set(name, { name, op, inputs, attributes: new Map(fields(message, 5).map(readPair)) });
  }
  return nodes;
}

function readOutputs(metaGraph: Uint8Array): Map<string, string> {
  const definition = new Map(fields(metaGraph, 5).map(readPair)).get(SIGNATURE);
  if (definition === undefined) throw new ModelError(`wanted a model with the signature ${SIGNATURE}, got one without`);
  const outputs = fields(definition, 2).map(readPair);
  return new Map(outputs.map(([name, tensor]) => [name, text(only(tensor, 1, 'tensor name'))] as const));
}

/** An entry of a protobuf map with keys of text and values of messages or text. */
function readPair(entry: Uint8Array): readonly [string, Uint8Array] {
  return [text(only(entry, 1, 'key')), fields(entry, 2)[0] ?? new Uint8Array(0)];
}

/** Every value of a field with a length, undecoded. */
export function fields(message: Uint8Array, number: number): Uint8Array[] {
  const reader = new ProtobufReader(message);
  const wanted = number * 8 + 2;
  const found: Uint8Array[] = [];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === wanted) found.push(reader.data());
    else reader.skip(tag);
  }
  return found;
}

/** The values of a field of whole numbers, whether one by one or packed. */
export function numbers(message: Uint8Array, number: number): number[] {
  const reader = new ProtobufReader(message);
  const found: number[] = [];
  for (let tag = reader.next(); tag !== 0; tag = reader.next()) {
    if (tag === number * 8) found.push(reader.varint());
    else if (tag === number * 8 + 2) {
      const packed = reader.message();
      while (packed.at < packed.end) found.push(packed.varint());
    } else reader.skip(tag);
  }
  return found;
}

/** The first value of a field that has to be there. */
function only(message: Uint8Array, number: number, what: string): Uint8Array {
  const value = fields(message, number)[0];
  if (value === undefined) throw new ModelError(`wanted a ${what} in field ${number} of its message, got none`);
  return value;
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Runs a decoder; bytes that end early or have no meaning become a `ModelError` that names the file. */
export function readable<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ModelError || !(error instanceof RangeError)) throw error;
    throw new ModelError(`${what} is damaged: ${error.message}`, { cause: error });
  }
}

/** A model file that cannot be used, and what was wanted of it. Never thrown for a fault of the disk or the network. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}
