import { checkPixels, evaluatePlain } from '../../geo/detection/evaluate-plain.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import type { Activation, DenseLayer, DetectionHead } from '../../geo/detection/head.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { createPack, packArray, type Pack } from '../packs/pack-file.ts';
import type { TrainingReceipt } from './training-receipt.ts';

/** What is kept of a head in addition to its numbers. */
export interface HeadMeta {
  /** Of the model it belongs to, such as `fdp-2025b`. */
  readonly model: string;
  readonly version: string;
  /** What it finds: a commodity, `plantation`, or `built-up`; null: it answers no queries. */
  readonly commodity: string | null;
  readonly licence: string;
  readonly attribution: string;
  readonly threshold: number;
  readonly thresholdSource: string;
  /** Degrees from the equator beyond which it says nothing. */
  readonly latitude: number;
  /** The ground it was fitted on, beyond which it says nothing; absent: all up to `latitude`. */
  readonly bbox?: Bbox;
  /** SHA-256 of the archive or labels it came from, and where they came from. */
  readonly sha256: string;
  readonly from: string;
  /** How it was fitted here; absent of a published model. */
  readonly training?: TrainingReceipt;
  /** Fitted on generated embeddings, and of use on those alone. */
  readonly synthetic?: true;
}

/** Name of the layout of a head's file; another one means that the model has to be installed again. */
export const HEAD_LAYOUT = 'detection-head-1';

interface Layout {
  readonly about: HeadMeta;
  readonly width: number;
  readonly activation: Activation;
  readonly edges: readonly number[];
  readonly layers: readonly { readonly inputs: number; readonly outputs: number }[];
}

/** Made-up pixels whose probabilities are kept with a head. */
const CHECKED = 64;

/** A head as a pack, about 1.5 MB, with what the plain way to evaluate it gives of some made-up pixels. */
export function packHead(id: string, head: DetectionHead, about: HeadMeta): Pack {
  const { edges, width, activation, layers, calibration } = head;
  const layout: Layout = {
    about,
    width,
    activation,
    edges: edges.map(({ length }) => length),
    layers: layers.map(({ inputs, outputs }) => ({ inputs, outputs })),
  };
  const arrays: Record<string, Uint8Array> = {
    edges: bytesOf(Float32Array.from(edges.flatMap((own) => [...own]))),
    binWeights: bytesOf(head.binWeights),
    slopes: bytesOf(head.slopes),
    bias: bytesOf(head.bias),
    thresholds: bytesOf(calibration.thresholds),
    calibrationSlopes: bytesOf(calibration.slopes),
    intercepts: bytesOf(calibration.intercepts),
    checked: bytesOf(evaluatePlain(head, checkPixels(CHECKED))),
  };
  layers.forEach((layer, i) => {
    arrays[`weights${i}`] = bytesOf(layer.weights);
    arrays[`bias${i}`] = bytesOf(layer.bias);
  });
  return createPack(id, HEAD_LAYOUT, arrays, layout);
}

/** The head of a pack whose checksum was compared already; throws when an array is missing. */
export function headOfPack(pack: Pack): { readonly head: DetectionHead; readonly about: HeadMeta } {
  const { about, width, activation, edges: counts, layers } = pack.header.meta as Layout;
  const floats = (name: string): Float32Array => new Float32Array(copyOf(pack, name));
  const doubles = (name: string): Float64Array => new Float64Array(copyOf(pack, name));
  const all = floats('edges');
  let at = 0;
  const edges = counts.map((count) => all.subarray(at, (at += count)));
  if (edges.length !== BANDS)
    throw new Error(`Wanted edges of ${BANDS} bands in ${pack.header.dataset}, got ${edges.length}`);
  const head = {
    edges,
    width,
    activation,
    binWeights: floats('binWeights'),
    slopes: floats('slopes'),
    bias: floats('bias'),
    layers: layers.map(({ inputs, outputs }, i): DenseLayer => ({
      inputs,
      outputs,
      weights: floats(`weights${i}`),
      bias: floats(`bias${i}`),
    })),
    calibration: {
      thresholds: doubles('thresholds'),
      slopes: doubles('calibrationSlopes'),
      intercepts: doubles('intercepts'),
    },
  };
  return { head, about };
}

/** Probabilities of the first made-up pixels as they were when the head was stored; empty of one stored before they were kept. */
export function checkedOf(pack: Pack): Float64Array {
  return Object.hasOwn(pack.header.arrays, 'checked') ? new Float64Array(copyOf(pack, 'checked')) : new Float64Array(0);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function copyOf(pack: Pack, name: string): ArrayBuffer {
  return packArray(pack, name, 'Uint8Array').slice().buffer as ArrayBuffer;
}
