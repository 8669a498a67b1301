/** What a hidden layer does to its sums: `gelu` in the form with tanh. */
export type Activation = 'tanh' | 'gelu' | 'relu';

/** A layer in which every input reaches every output. */
export interface DenseLayer {
  readonly inputs: number;
  readonly outputs: number;
  /** `weights[input * outputs + output]`. */
  readonly weights: Float32Array;
  readonly bias: Float32Array;
}

/** A table that turns a raw score into a probability: `slopes[k] * raw + intercepts[k]`, k being the thresholds <= raw. */
export interface Calibration {
  /** Rising; one shorter than the other two. */
  readonly thresholds: Float64Array;
  readonly slopes: Float64Array;
  readonly intercepts: Float64Array;
}

/**
 * A small neural network over the 64 values of an AEF pixel that says how sure one commodity is there. Its first layer
 * takes each band twice: as the bin the value falls in, and as the value itself.
 */
export interface DetectionHead {
  /** Edges of the bins of each band, rising; a value is in bin k when k edges are <= the value as a 32-bit float. */
  readonly edges: readonly Float32Array[];
  /** Outputs of the first layer. */
  readonly width: number;
  /** Of the first layer, by band and bin: all bins of band 0, then of band 1, and so on, `width` numbers each. */
  readonly binWeights: Float32Array;
  /** Of the first layer, by band: `slopes[band * width + output]` times the value. */
  readonly slopes: Float32Array;
  readonly bias: Float32Array;
  /** Applied to the sums of every layer but the last, which has one output and is followed by the logistic function. */
  readonly activation: Activation;
  readonly layers: readonly DenseLayer[];
  readonly calibration: Calibration;
}
