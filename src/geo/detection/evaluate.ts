import { loadKernel } from '../segmentation/kernels/load-kernel.ts';
import { BANDS, dequantise, NODATA } from '../segmentation/grid.ts';
import { calibrate } from './evaluate-plain.ts';
import type { Activation, DetectionHead, DenseLayer } from './head.ts';
import { HEAD_KERNEL_WASM } from './head-kernel.wasm.ts';

/** Outputs of the first layer that the kernel works at a time. */
const FIRST_TILE = 16;
/** Outputs of any other layer that the kernel works at a time. */
const DENSE_TILE = 8;

/** Evaluates one head. Its weights stay in memory of its own, 1 to 2 MB, for as long as it is kept. */
export interface Evaluator {
  /** Calibrated probabilities of pixels given as AEF codes, 64 a pixel; NaN where a code is -128. Runs never overlap. */
  evaluate(codes: Int8Array): Float32Array;
}

/** Pixels at a time: their numbers stay in the processor's nearest cache while a layer is worked. A multiple of 4. */
const BLOCK = 32;

/** `evaluatePlain` with WebAssembly SIMD, equal to it within 1e-5; the same bits on every machine. */
export function createEvaluator(head: DetectionHead): Evaluator {
  const kernel = loadKernel<Kernel>(HEAD_KERNEL_WASM);
  const place = layOut(head);
  const missing = place.end - kernel.memory.buffer.byteLength;
  if (missing > 0) kernel.memory.grow(Math.ceil(missing / 65_536));
  const { buffer } = kernel.memory;
  fill(head, place, buffer);
  const block = new Int8Array(buffer, place.codes, BLOCK * BANDS);

  /** Scores of the pixels in `block` before the logistic function: `sums[pixel * stride]`. */
  function run(): { readonly at: number; readonly stride: number } {
    kernel.lookUp(place.codes, BLOCK, place.bins, place.values, place.rows, place.xs);
    let [from, to] = [place.sums, place.others];
    let stride = place.firstTiles * FIRST_TILE;
    const tile = firstTileBytes(head);
    kernel.firstLayer(BLOCK, place.firstTiles, place.first, tile, place.rows, place.xs, from, stride);
    for (const { inputs, tiles, weights } of place.layers) {
      kernel.activate(KIND[head.activation], from, BLOCK * stride);
      kernel.denseLayer(BLOCK, inputs, tiles, weights, from, stride, to, tiles * DENSE_TILE);
      [from, to] = [to, from];
      stride = tiles * DENSE_TILE;
    }
    return { at: from, stride };
  }

  return {
    evaluate(codes) {
      const pixels = codes.length / BANDS;
      const out = new Float32Array(pixels);
      for (let first = 0; first < pixels; first += BLOCK) {
        const count = Math.min(BLOCK, pixels - first);
        block.set(codes.subarray(first * BANDS, (first + count) * BANDS));
        const { at, stride } = run();
        const sums = new Float32Array(buffer, at, BLOCK * stride);
        for (let i = 0; i < count; i++) {
          const isMasked = block.subarray(i * BANDS, (i + 1) * BANDS).includes(NODATA);
          const raw = 1 / (1 + Math.exp(-sums[i * stride]));
          out[first + i] = isMasked ? Number.NaN : calibrate(head.calibration, raw);
        }
      }
      return out;
    },
  };
}

const KIND: Readonly<Record<Activation, number>> = { tanh: 0, gelu: 1, relu: 2 };

/** Addresses in the kernel's memory. */
function layOut(head: DetectionHead) {
  let end = 1024;
  const next = (bytes: number): number => {
    const at = end;
    end = (at + bytes + 63) & ~63;
    return at;
  };
  const tiles = Math.ceil(head.width / FIRST_TILE);
  const widest = Math.max(tiles * FIRST_TILE, ...head.layers.map(({ outputs }) => outputs + DENSE_TILE));
  return {
    codes: next(BLOCK * BANDS),
    bins: next(BANDS * 256 * 4),
    values: next(256 * 4),
    rows: next(BLOCK * BANDS * 4),
    xs: next(BLOCK * BANDS * 4),
    sums: next(BLOCK * widest * 4),
    others: next(BLOCK * widest * 4),
    firstTiles: tiles,
    first: next(tiles * firstTileBytes(head)),
    layers: head.layers.map(({ inputs, outputs }) => {
      const denseCount = Math.ceil(outputs / DENSE_TILE);
      return { inputs, tiles: denseCount, weights: next(denseCount * (inputs + 1) * DENSE_TILE * 4) };
    }),
    end,
  };
}

/** Bytes of one tile of the first layer: every bin, every band's slope, the bias. */
function firstTileBytes({ edges }: DetectionHead): number {
  const bins = edges.reduce((sum, own) => sum + own.length + 1, 0);
  return (bins + BANDS + 1) * FIRST_TILE * 4;
}

function fill(head: DetectionHead, place: ReturnType<typeof layOut>, buffer: ArrayBuffer): void {
  const values = Float32Array.from({ length: 256 }, (_, byte) => {
    const value = dequantise((byte << 24) >> 24);
    return Number.isNaN(value) ? 0 : value;
  });
  new Float32Array(buffer, place.values, 256).set(values);
  const bins = new Uint32Array(buffer, place.bins, BANDS * 256);
  let firstBin = 0;
  head.edges.forEach((edges, band) => {
    values.forEach((value, byte) => {
      const bin = firstBin + edges.filter((edge) => edge <= value).length;
      bins[band * 256 + byte] = bin * FIRST_TILE * 4;
    });
    firstBin += edges.length + 1;
  });
  new Float32Array(buffer, place.first).set(firstTiles(head));
  head.layers.forEach((layer, i) => new Float32Array(buffer, place.layers[i].weights).set(denseTiles(layer)));
}

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  readonly lookUp: (codes: number, pixels: number, bins: number, values: number, rows: number, xs: number) => void;
  readonly firstLayer: (
    pixels: number,
    tiles: number,
    weights: number,
    tile: number,
    rows: number,
    xs: number,
    out: number,
    stride: number,
  ) => void;
  readonly denseLayer: (
    pixels: number,
    inputs: number,
    tiles: number,
    weights: number,
    from: number,
    fromStride: number,
    out: number,
    stride: number,
  ) => void;
  readonly activate: (kind: number, at: number, count: number) => void;
}

/** The weights of the first layer as `head-kernel.as` reads them, the last tile filled up with zeros. */
function firstTiles({ width, binWeights, slopes, bias }: DetectionHead): Float32Array {
  const bins = binWeights.length / width;
  return tilesOf(FIRST_TILE, width, bins + BANDS + 1, (row, output) => {
    if (row < bins) return binWeights[row * width + output];
    return row < bins + BANDS ? slopes[(row - bins) * width + output] : bias[output];
  });
}

/** The weights of another layer: those of each input, then the bias. */
function denseTiles({ inputs, outputs, weights, bias }: DenseLayer): Float32Array {
  return tilesOf(DENSE_TILE, outputs, inputs + 1, (row, output) =>
    row < inputs ? weights[row * outputs + output] : bias[output],
  );
}

/** Rows of `outputs` numbers, cut into tiles of `tile` columns that lie one after the other. */
function tilesOf(
  tile: number,
  outputs: number,
  rows: number,
  weight: (row: number, output: number) => number,
): Float32Array {
  const tiles = Math.ceil(outputs / tile);
  const out = new Float32Array(tiles * rows * tile);
  for (let output = 0; output < outputs; output++) {
    const first = Math.floor(output / tile) * rows * tile + (output % tile);
    for (let row = 0; row < rows; row++) out[first + row * tile] = weight(row, output);
  }
  return out;
}
