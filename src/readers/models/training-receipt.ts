/** How a head does on a part of the ground it was fitted without. */
export interface PartReceipt {
  /** `fold 1` and so on, or the name of a region. */
  readonly name: string;
  readonly positive: number;
  readonly negative: number;
  /** Null when the part has only one class. */
  readonly auc: number | null;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
}

/** Everything by which a trained head can be evaluated, and made again from the same labels. Numbers have four decimals. */
export interface TrainingReceipt {
  readonly labels: {
    readonly file: string;
    /** SHA-256 of the file, in hexadecimal. */
    readonly sha256: string;
    readonly rows: number;
    /** Pixels the head was fitted on. */
    readonly positive: number;
    readonly negative: number;
    /** Rows beyond the first of a pixel, rows of pixels with both labels, rows without embeddings. */
    readonly duplicates: number;
    readonly contradictions: number;
    readonly without_embeddings: number;
    readonly column: string;
    readonly positive_class: string | null;
  };
  readonly embeddings: readonly string[];
  readonly years: readonly number[];
  readonly blocks: { readonly degrees: number; readonly count: number };
  /** Inverse strength of the penalty, as scikit-learn's C. */
  readonly strength: number;
  readonly scores: {
    readonly auc: number;
    readonly f1: number;
    readonly precision: number;
    readonly recall: number;
    /** Part of the pixels without the class that were claimed; absent in receipts of older versions. */
    readonly false_positive_rate?: number;
    readonly folds: readonly PartReceipt[];
    readonly regions: readonly PartReceipt[];
    /** Regions that hold too little of a class to be evaluated. */
    readonly regions_too_small: number;
  };
  /**
   * How far probabilities were from what they say, on labels the head had not seen: the expected error of calibration of the
   * head as kept, and before where it was calibrated. Absent in receipts of older versions.
   */
  readonly calibration?: {
    readonly method: 'platt' | null;
    readonly error: number;
    readonly error_before?: number;
  };
  /** Sentences; empty when nothing is amiss. */
  readonly warnings: readonly string[];
  /** In ISO 8601. */
  readonly trained_at: string;
}
