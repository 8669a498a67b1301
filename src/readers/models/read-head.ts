import { BANDS } from '../../geo/segmentation/grid.ts';
import type { DenseLayer, DetectionHead } from '../../geo/detection/head.ts';
import { matchCalibration } from './match-calibration.ts';
import { matchFeatures, type Feature } from './match-features.ts';
import { matchLayers, type MatchedLayer } from './match-layers.ts';
import { ModelError } from './model-error.ts';
import { readSavedModel } from './saved-model.ts';
import { originOfOutput } from './trace.ts';
import { readVariables } from './variables.ts';

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
