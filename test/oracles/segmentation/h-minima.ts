import type { EdgeImage } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';

/**
 * The minima of depth `depth` or more, 4-connected: 1 on their lowest cells, 0 elsewhere. Gives what scikit-image 0.19
 * gives for `h_minima(image, depth, footprint=diamond(1))` on the same numbers as 64-bit floats, its allowance for
 * rounding included, with two differences that are meant: masked cells (NaN) are walls, and the lowest cells of a
 * connected part are marked also when the part is shallower than `depth` (scikit-image then marks nothing).
 *
 * The image raised by `depth` is eroded, again and again, but never below the image itself; where it then still stands
 * `depth` above the image, there is a minimum. (Soille, Morphological Image Analysis, chapter 6.) Plain and slow: the
 * reference for `segmentEdgesPlain`.
 */
export function hMinima(image: EdgeImage, depth: number): Uint8Array {
  const { values } = image;
  const raised = Float64Array.from(values, (value) => value + depth + 2 * RESOLUTION * value);
  erodeAbove(image, raised);
  return Uint8Array.from(values, (value, cell) => (raised[cell] - value >= depth ? 1 : 0));
}

/** What scikit-image allows for rounding: numpy's `finfo(float64).resolution`. */
const RESOLUTION = 1e-15;

/** Sweeps down and up until nothing changes: `out` becomes the lowest its neighbours allow, at least the image. */
function erodeAbove({ width, height, values }: EdgeImage, out: Float64Array): void {
  for (let changed = true; changed;) {
    changed = false;
    for (let cell = 0; cell < out.length; cell++) {
      if (cell % width > 0) changed = lower(cell, cell - 1) || changed;
      if (cell >= width) changed = lower(cell, cell - width) || changed;
    }
    for (let cell = out.length - 1; cell >= 0; cell--) {
      if (cell % width < width - 1) changed = lower(cell, cell + 1) || changed;
      if (cell < width * (height - 1)) changed = lower(cell, cell + width) || changed;
    }
  }

  function lower(cell: number, neighbour: number): boolean {
    const possible = Math.max(values[cell], out[neighbour]);
    if (!(possible < out[cell])) return false;
    out[cell] = possible;
    return true;
  }
}
