import { stat } from 'node:fs/promises';
import type { Calibration, DenseLayer, DetectionHead } from '../../geo/detection/head.ts';
import { Problem } from '../../errors.ts';
import { openZipArchive, type ZipArchive } from '../formats/tables/zip-archive.ts';
import { ModelError, readSavedModel } from './saved-model.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import { type MatchedLayer, matchLayers } from './match-layers.ts';
import { constantOf, expectOp, type Origin, originOfOutput } from './trace.ts';
import { readVariables } from './variables.ts';
import { textsOf } from './tensor.ts';

/** Largest archive that is opened; the published ones have 4 MB. */
const MOST_ARCHIVE_BYTES = 200_000_000;

/**
 * Reads the head of a zipped SavedModel: one folder with `saved_model.pb` and the variables. Throws a `ModelError` for an
 * archive that is damaged, holds something else or is built in another way.
 */
export async function readModelArchive(path: string): Promise<DetectionHead> {
  const { size } = await stat(path);
  if (size > MOST_ARCHIVE_BYTES)
    throw new ModelError(`wanted an archive of at most ${MOST_ARCHIVE_BYTES} bytes, got ${size}`);
  try {
    await using archive = await openZipArchive(path, size);
    const graph = await bytesOf(archive, 'saved_model.pb');
    const index = await bytesOf(archive, 'variables/variables.index');
    const data = await bytesOf(archive, 'variables/variables.data-00000-of-00001');
    return readHead({ graph, index, data });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new ModelError(error.message, { cause: error });
  }
}

/** The file of this name, in whatever folder the model lies. */
async function bytesOf(archive: ZipArchive, name: string): Promise<Buffer> {
  const found = archive.entries.filter(({ path }) => path === name || path.endsWith(`/${name}`));
  if (found.length !== 1) throw new ModelError(`wanted one file ${name} in the archive, got ${found.length}`);
  return archive.bytes(found[0]);
}

/** The class whose score means that the commodity is there. */
const PRESENT = '1';

/** The three files of a SavedModel that are read. */
export interface SavedModelFiles {
  readonly graph: Uint8Array;
  readonly index: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * Reads a detection head out of a TensorFlow SavedModel, without TensorFlow: its graph is followed from the output back
 * to the bands, and must be built as the heads of this family are; anything else throws a `ModelError` that names the
 * node. Means, deviations and batch norms are folded into the weights.
 */
export function readHead({ graph, index, data }: SavedModelFiles): DetectionHead {
  const model = readSavedModel(graph);
  const [output, ...others] = model.outputs.values();
  if (output === undefined || others.length > 0)
    throw new ModelError(`wanted a model with one output, got ${model.outputs.size}`);
  const { calibration, raw } = matchCalibration(originOfOutput(model, output));
  const { layers, activation, features } = matchLayers(raw, readVariables(index, data));
  const first = foldFeatures(layers[0], matchFeatures(features));
  const rest = layers.slice(1).map(foldNorm);
  checkChain(first.width, rest);
  return { ...first, activation, layers: rest, calibration };
}

function foldFeatures({ weights, bias }: MatchedLayer, features: readonly Feature[]) {
  const [inputs, width] = weights.shape;
  const wanted = features.reduce((sum, feature) => sum + feature.width, 0);
  if (inputs !== wanted) throw new ModelError(`wanted a first layer of ${wanted} inputs, got ${inputs}`);
  const rows = rowsOf(features);
  const edges: Float32Array[] = [];
  const binRows: Float64Array[] = [];
  const slopes = new Float32Array(BANDS * width);
  const sums = Float64Array.from(bias.values);
  for (let band = 0; band < BANDS; band++) {
    const { bins, value } = rows[band];
    edges.push(Float32Array.from(bins.feature.edges));
    binRows.push(weights.values.subarray(bins.row * width, (bins.row + bins.feature.width) * width));
    const { mean, deviation } = value.feature;
    for (let i = 0; i < width; i++) {
      const slope = weights.values[value.row * width + i] / deviation;
      slopes[band * width + i] = slope;
      sums[i] -= slope * mean;
    }
  }
  const binWeights = new Float32Array(binRows.reduce((sum, row) => sum + row.length, 0));
  let at = 0;
  for (const row of binRows) {
    binWeights.set(row, at);
    at += row.length;
  }
  return { edges, width, binWeights, slopes, bias: Float32Array.from(sums) };
}

type At<K extends Feature['kind']> = { readonly feature: Extract<Feature, { kind: K }>; readonly row: number };

/** By band, its two features and the first row of weights of each. */
function rowsOf(features: readonly Feature[]): { bins: At<'bins'>; value: At<'value'> }[] {
  const bins: At<'bins'>[] = [];
  const values: At<'value'>[] = [];
  let row = 0;
  for (const feature of features) {
    if (feature.kind === 'bins') bins[feature.band] = { feature, row };
    else values[feature.band] = { feature, row };
    row += feature.width;
  }
  return bins.map((bin, band) => ({ bins: bin, value: values[band] }));
}

/** A layer without the batch norm before it: `(v * scale + shift) W + b = v (scale W) + (shift W + b)`. */
function foldNorm({ scale, shift, weights, bias }: MatchedLayer): DenseLayer {
  const [inputs, outputs] = weights.shape;
  const folded = new Float32Array(inputs * outputs);
  const sums = Float64Array.from(bias.values);
  for (let i = 0; i < inputs; i++) {
    for (let o = 0; o < outputs; o++) {
      const weight = weights.values[i * outputs + o];
      folded[i * outputs + o] = weight * (scale?.[i] ?? 1);
      sums[o] += weight * (shift?.[i] ?? 0);
    }
  }
  return { inputs, outputs, weights: folded, bias: Float32Array.from(sums) };
}

function checkChain(width: number, layers: readonly DenseLayer[]): void {
  let before = width;
  for (const { inputs, outputs } of layers) {
    if (inputs !== before) throw new ModelError(`wanted a layer of ${before} inputs, got ${inputs}`);
    before = outputs;
  }
  if (before !== 1 || layers.length === 0) throw new ModelError(`wanted one score at the end, got ${before}`);
}

/**
 * Reads how the model's output comes from its raw score: where the class is "1", `slope * raw + intercept`, the pair
 * chosen by the number of thresholds that are not above the score. Gives the table and the raw score.
 */
function matchCalibration(output: Origin): { readonly calibration: Calibration; readonly raw: Origin } {
  const byClass = expectOp(expectOp(output, 'SelectV2').input(2), 'SelectV2');
  const isPresent = expectOp(expectOp(byClass.input(0), 'StatelessIf').input(1), 'Equal');
  const [label] = textsOf(expectOp(isPresent.input(1), 'Const').node);
  if (label !== PRESENT) throw new ModelError(`wanted a model with the class "${PRESENT}", got "${label}"`);
  const line = expectOp(expectOp(byClass.input(1), 'Tile').input(0), 'AddV2');
  const product = expectOp(line.input(0), 'Mul');
  const slopes = expectOp(product.input(0), 'GatherV2');
  const intercepts = expectOp(line.input(1), 'GatherV2');
  const comparison = expectOp(expectOp(slopes.input(1), 'Sum').input(0), 'LessEqual');
  const calibration = {
    thresholds: constantOf(comparison.input(0)).values,
    slopes: constantOf(slopes.input(0)).values,
    intercepts: constantOf(intercepts.input(0)).values,
  };
  checkTable(calibration);
  const masked = expectOp(expectOp(product.input(1), 'GatherV2').input(0), 'SelectV2');
  return { calibration, raw: expectOp(expectOp(masked.input(2), 'StatelessIf').input(1), 'Sigmoid') };
}

function checkTable({ thresholds, slopes, intercepts }: Calibration): void {
  const pieces = thresholds.length + 1;
  if (slopes.length !== pieces || intercepts.length !== pieces)
    throw new ModelError(
      `wanted a calibration of ${pieces} pieces, got ${slopes.length} slopes and ${intercepts.length} intercepts`,
    );
  if (!thresholds.every((threshold, i) => i === 0 || thresholds[i - 1] <= threshold))
    throw new ModelError('wanted thresholds of the calibration that rise');
}

/** One part of the features, `width` numbers next to each other. */
type Feature =
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
function matchFeatures(concatenation: Origin): readonly Feature[] {
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
    if (edges.length > 0 && !(edges[0] >= -1 && edges[edges.length - 1] <= 1))
      throw new ModelError(
        `${bin.node.name}: wanted edges of embeddings, from -1 to 1, got ${edges[0]} to ${edges[edges.length - 1]}`,
      );
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
