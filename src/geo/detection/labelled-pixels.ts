/** Pixels whose class is known, as a head is fitted on them. */
export interface LabelledPixels {
  /** Values of pixel i from `i * bands` on. */
  readonly values: Float64Array;
  readonly bands: number;
  /** 1 where the class is there, 0 where it is not. */
  readonly labels: Uint8Array;
}

/** How many of some pixels have the class. */
export function countPositive({ labels }: LabelledPixels, rows: Int32Array): number {
  return rows.reduce((sum, row) => sum + labels[row], 0);
}
