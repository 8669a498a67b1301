import { fields, type Graph, type GraphNode, ModelError, type SavedModel } from './saved-model.ts';
import { readTensor, type Tensor } from './tensor.ts';

/** A graph as it runs: a function knows where it was called from. */
interface Frame {
  readonly graph: Graph;
  readonly call: { readonly from: Frame; readonly inputs: readonly string[] } | null;
}

/** What makes a value: an operation, looked at through all calls and all operations that pass a value on. */
export interface Origin {
  readonly op: string;
  readonly node: GraphNode;
  /** Which of the node's outputs: its name where it has several names, and its number. */
  readonly output: { readonly name: string; readonly index: number };
  /** The origin of an input; throws a `ModelError` when there is no such input. */
  input(index: number): Origin;
  readonly inputs: number;
}

const CALLS = new Set(['PartitionedCall', 'StatefulPartitionedCall']);
/** Operations that do not change the numbers of their first input, only its shape or type, or nothing at all. */
const PASSED_ON = new Set(['Identity', 'ReadVariableOp', 'Reshape', 'EnsureShape', 'Cast', 'ExpandDims', 'Squeeze']);
const MOST_STEPS = 10_000;

/** The origin of an output of the model's signature. */
export function originOfOutput(model: SavedModel, reference: string): Origin {
  return originOf(model, { graph: model.main, call: null }, reference);
}

function originOf(model: SavedModel, startFrame: Frame, startReference: string): Origin {
  let [frame, reference] = [startFrame, startReference];
  for (let step = 0; step < MOST_STEPS; step++) {
    const [name, ...rest] = reference.split(':');
    const parameter = frame.graph.parameters.indexOf(name);
    if (parameter >= 0 && frame.call !== null) {
      reference = at(frame.call.inputs, parameter, name);
      frame = frame.call.from;
      continue;
    }
    const node = frame.graph.nodes.get(name);
    if (node === undefined) throw new ModelError(`${frame.graph.name} refers to ${name}, which it does not have`);
    const index = Number(rest.at(-1) ?? 0);
    const inputs = node.inputs.filter((input) => !input.startsWith('^'));
    if (CALLS.has(node.op)) {
      const graph = model.function(calledBy(node));
      frame = { graph, call: { from: frame, inputs } };
      reference = at(graph.results, index, node.name);
    } else if (PASSED_ON.has(node.op)) reference = at(inputs, 0, node.name);
    else {
      const here = frame;
      const output = { name: rest.length === 2 ? rest[0] : '', index };
      const input = (i: number): Origin => originOf(model, here, at(inputs, i, node.name));
      return { op: node.op, node, output, input, inputs: inputs.length };
    }
  }
  throw new ModelError(`${startReference} goes round in circles`);
}

function at(list: readonly string[], index: number, name: string): string {
  const value = list[index];
  if (value === undefined) throw new ModelError(`${name}: wanted input or output ${index}, got ${list.length} of them`);
  return value;
}

/** The function a call names: attribute `f`, field 10 of `AttrValue`, whose field 1 is the name. */
function calledBy(node: GraphNode): string {
  const called = fields(node.attributes.get('f') ?? new Uint8Array(0), 10)[0];
  const name = called === undefined ? undefined : fields(called, 1)[0];
  if (name === undefined) throw new ModelError(`${node.name} calls a function without a name`);
  return Buffer.from(name).toString('utf8');
}

/** The value of a constant: attribute `value`, field 8 of `AttrValue`. */
export function constantOf(origin: Origin): Tensor {
  const { node } = expectOp(origin, 'Const');
  return readTensor(fields(node.attributes.get('value') ?? new Uint8Array(0), 8)[0] ?? new Uint8Array(0), node.name);
}

/** The origin itself when it is made by the operation, else a `ModelError` that says what was found. */
export function expectOp(origin: Origin, ...ops: string[]): Origin {
  if (ops.includes(origin.op)) return origin;
  throw new ModelError(
    `wanted ${ops.join(' or ')} at ${origin.node.name}, got ${origin.op}: the model is built in another way than those this version reads`,
  );
}
