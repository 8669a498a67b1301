import { BANDS } from '../../geo/segmentation/grid.ts';
import { ModelError } from './model-error.ts';
import { textsOf } from './tensor.ts';
import { constantOf, expectOp, type Origin } from './trace.ts';

/** One part of the features, `width` numbers next to each other. */
export type Feature =
  | { readonly kind: 'bins'; readonly band: number; readonly edges: Float64Array; readonly width: number }
  | {
      readonly kind: 'value';
      readonly band: number;
      readonly mean: number;
      readonly deviation: number;
      readonly width: 1;
    };

/**
 * Reads what each input of the concatenation is: a one-hot of the bin a band's value falls in, or the value less its mean
 * over its deviation. Each band has to come once in each form.
 */
export function matchFeatures(concatenation: Origin): readonly Feature[] {
  const features = Array.from({ length: concatenation.inputs - 1 }, (_, i) => matchFeature(concatenation.input(i)));
  for (const kind of ['bins', 'value'] as const) {
    const bands = new Set(features.filter((feature) => feature.kind === kind).map(({ band }) => band));
    if (bands.size === BANDS && features.length === 2 * BANDS) continue;
    throw new ModelError(
      `wanted each of the ${BANDS} bands once as its bin and once as its value, got ${features.length} inputs`,
    );
  }
  return features;
}

function matchFeature(input: Origin): Feature {
  if (input.op === 'SparseToDense') {
    const counts = expectOp(input.input(2), 'SparseCountSparseOutput');
    const bin = expectOp(counts.input(1), 'UpperBound');
    const edges = constantOf(bin.input(0)).values;
    if (!edges.every((edge, i) => i === 0 || edges[i - 1] <= edge))
      throw new ModelError(`${bin.node.name}: wanted edges that rise, got ${edges.join(', ')}`);
    const width = constantOf(expectOp(input.input(1), 'Pack').input(1)).values[0];
    if (width !== edges.length + 1)
      throw new ModelError(
        `${input.node.name}: wanted ${edges.length + 1} bins for ${edges.length} edges, got ${width}`,
      );
    return { kind: 'bins', band: bandOf(bin.input(1)), edges, width };
  }
  const score = expectOp(expectOp(expectOp(input, 'Select').input(2), 'SparseToDense').input(2), 'SelectV2');
  const quotient = expectOp(score.input(1), 'RealDiv');
  const difference = expectOp(quotient.input(0), 'Sub');
  const deviation = Math.sqrt(constantOf(expectOp(quotient.input(1), 'Sqrt').input(0)).values[0]);
  const mean = constantOf(difference.input(1)).values[0];
  const band = bandOf(difference.input(0));
  if (deviation > 0 && Number.isFinite(mean)) return { kind: 'value', band, mean, deviation, width: 1 };
  throw new ModelError(
    `${input.node.name}: wanted a finite mean and a deviation above 0, got ${mean} and ${deviation}`,
  );
}

/** The band whose value an origin is: an output of the example parser, whose keys are A00 to A63. */
function bandOf(value: Origin): number {
  const parser = expectOp(value, 'ParseExampleV2');
  const { name, index } = parser.output;
  const key = name === 'sparse_values' ? textsOf(constantNode(parser.input(2)))[index] : undefined;
  const band = /^A(\d\d)$/.exec(key ?? '');
  if (band !== null && Number(band[1]) < BANDS) return Number(band[1]);
  throw new ModelError(`${parser.node.name}: wanted a band A00 to A63, got ${key ?? `${name}:${index}`}`);
}

function constantNode(origin: Origin) {
  return expectOp(origin, 'Const').node;
}
