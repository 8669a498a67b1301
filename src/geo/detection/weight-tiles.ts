import { BANDS } from '../segmentation/grid.ts';
import type { DenseLayer, DetectionHead } from './head.ts';

/** Outputs of the first layer that the kernel works at a time. */
export const FIRST_TILE = 16;
/** Outputs of any other layer that the kernel works at a time. */
export const DENSE_TILE = 8;

/** The weights of the first layer as `head-kernel.as` reads them, the last tile filled up with zeros. */
export function firstTiles({ width, binWeights, slopes, bias }: DetectionHead): Float32Array {
  const bins = binWeights.length / width;
  return tilesOf(FIRST_TILE, width, bins + BANDS + 1, (row, output) => {
    if (row < bins) return binWeights[row * width + output];
    return row < bins + BANDS ? slopes[(row - bins) * width + output] : bias[output];
  });
}

/** The weights of another layer: those of each input, then the bias. */
export function denseTiles({ inputs, outputs, weights, bias }: DenseLayer): Float32Array {
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
