/** A window cut into segments. */
export interface Segmentation {
  /** Cells in a row. */
  readonly width: number;
  readonly height: number;
  /** `labels[row * width + column]`: 1 to `markers.length`, or 0 where the cell is masked. */
  readonly labels: Int32Array;
  /** The lowest cell of each segment, `row * width + column`: that of label `n` at `n - 1`, in raster order. */
  readonly markers: Int32Array;
}
