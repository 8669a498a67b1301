import type { Activation } from '../../geo/detection/head.ts';
import { ModelError } from './saved-model.ts';
import type { Tensor } from './tensor.ts';
import { constantOf, expectOp, type Origin } from './trace.ts';

/** A layer as the graph has it: the values that go in are scaled and shifted first, when a batch norm stands there. */
export interface MatchedLayer {
  readonly scale: Float64Array | null;
  readonly shift: Float64Array | null;
  /** `inputs x outputs`. */
  readonly weights: Tensor;
  readonly bias: Tensor;
}

interface MatchedNetwork {
  /** First layer first; the last one is followed by the logistic function. */
  readonly layers: readonly MatchedLayer[];
  readonly activation: Activation;
  /** What goes into the first layer: a `ConcatV2`. */
  readonly features: Origin;
}

const MOST_LAYERS = 16;

/** Walks from the logistic function at the end back to the features, and takes the variables met on the way. */
export function matchLayers(sigmoid: Origin, variable: (name: string) => Tensor): MatchedNetwork {
  const read = (origin: Origin): Tensor => variable(expectOp(origin, 'VarHandleOp').node.name);
  const layers: MatchedLayer[] = [];
  const activations = new Set<Activation>();
  let sums = expectOp(sigmoid, 'Sigmoid').input(0);
  while (layers.length < MOST_LAYERS) {
    const product = expectOp(expectOp(sums, 'BiasAdd').input(0), 'MatMul');
    const weights = read(product.input(1));
    const bias = read(sums.input(1));
    checkShapes(weights, bias, sums.node.name);
    const values = product.input(0);
    if (values.op === 'ConcatV2') {
      layers.unshift({ scale: null, shift: null, weights, bias });
      return { layers, activation: single(activations), features: values };
    }
    const norm = values.op === 'AddV2' ? matchBatchNorm(values, read) : null;
    layers.unshift({ scale: norm?.scale ?? null, shift: norm?.shift ?? null, weights, bias });
    const activated = matchActivation(norm?.values ?? values);
    activations.add(activated.activation);
    sums = activated.sums;
  }
  throw new ModelError(`wanted at most ${MOST_LAYERS} layers`);
}

function checkShapes(weights: Tensor, bias: Tensor, name: string): void {
  if (weights.shape.length === 2 && bias.shape.length === 1 && weights.shape[1] === bias.shape[0]) return;
  throw new ModelError(
    `${name}: wanted weights of inputs x outputs, got ${weights.shape.join(' x ')} and ${bias.shape.join(' x ')}`,
  );
}

function single(activations: ReadonlySet<Activation>): Activation {
  const [first, ...others] = activations;
  if (first !== undefined && others.length === 0) return first;
  throw new ModelError(`wanted one kind of activation in all layers, got ${[...activations].join(', ') || 'none'}`);
}

/** `values * m + (beta - mean * m)` with `m = gamma / sqrt(variance + epsilon)`. */
function matchBatchNorm(sum: Origin, read: (origin: Origin) => Tensor) {
  const scaled = expectOp(sum.input(0), 'Mul');
  const shifted = expectOp(sum.input(1), 'Sub');
  const factor = expectOp(scaled.input(1), 'Mul');
  const variance = expectOp(expectOp(factor.input(0), 'Rsqrt').input(0), 'AddV2');
  const epsilon = constantOf(variance.input(1)).values[0];
  const gamma = read(factor.input(1)).values;
  const scale = read(variance.input(0)).values.map((value, i) => gamma[i] / Math.sqrt(value + epsilon));
  const mean = read(expectOp(shifted.input(1), 'Mul').input(0)).values;
  const shift = read(shifted.input(0)).values.map((beta, i) => beta - mean[i] * scale[i]);
  return { values: scaled.input(0), scale, shift };
}

function matchActivation(values: Origin): { readonly activation: Activation; readonly sums: Origin } {
  if (values.op === 'Tanh') return { activation: 'tanh', sums: values.input(0) };
  if (values.op === 'Relu') return { activation: 'relu', sums: values.input(0) };
  const half = expectOp(expectOp(values, 'Tanh', 'Relu', 'Mul').input(0), 'Mul');
  const plusOne = expectOp(values.input(1), 'AddV2');
  const inner = expectOp(expectOp(plusOne.input(1), 'Tanh').input(0), 'Mul');
  const cubic = expectOp(expectOp(inner.input(1), 'AddV2').input(1), 'Mul');
  const power = expectOp(cubic.input(1), 'Pow');
  const numbers = [half.input(0), plusOne.input(0), inner.input(0), cubic.input(0), power.input(1)];
  const got = numbers.map((origin) => constantOf(origin).values[0]);
  if (!GELU.every((wanted, i) => Math.abs(got[i] - wanted) < 1e-6))
    throw new ModelError(
      `${values.node.name}: wanted the activation GELU with tanh, got one with the numbers ${got.join(', ')}`,
    );
  return { activation: 'gelu', sums: half.input(1) };
}

/** `0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`, in the order the numbers are met. */
const GELU = [0.5, 1, Math.sqrt(2 / Math.PI), 0.044715, 3];
