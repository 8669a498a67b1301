import type { Rings } from './rings.ts';

/**
 * Marks the structural corners of traced rings with 1: vertices whose two adjoining straight runs are both at least
 * `minRun` metres long. Such a corner is a corner of the land, not a step of the raster's staircase, and is kept.
 *
 * @param rings corners of cells; every vertex is a right angle.
 * @param cell metres of a cell east-west and north-south.
 */
export function findStructuralCorners(
  rings: Rings<Int32Array>,
  cell: { readonly width: number; readonly height: number },
  minRun: number,
): Uint8Array {
  const { coords, starts } = rings;
  const structural = new Uint8Array(coords.length / 2);
  // A run of exactly the required length counts, whatever the rounding of metres per degree.
  const wanted = minRun * (1 - 1e-9);
  for (let r = 0; r + 1 < starts.length; r++) {
    const last = starts[r + 1] - 1;
    let before = runLength(coords, last, starts[r], cell);
    for (let v = starts[r]; v <= last; v++) {
      const after = runLength(coords, v, v === last ? starts[r] : v + 1, cell);
      structural[v] = before >= wanted && after >= wanted ? 1 : 0;
      before = after;
    }
  }
  return structural;
}

function runLength(coords: Int32Array, a: number, b: number, cell: { width: number; height: number }): number {
  const dx = Math.abs(coords[2 * b] - coords[2 * a]);
  const dy = Math.abs(coords[2 * b + 1] - coords[2 * a + 1]);
  return dx * cell.width + dy * cell.height;
}
