/** What training requires of labels, and when it doubts what came of them. All of it stands in `docs/detection-models.md`. */
export const TRAINING_RULES = {
  /** Most labels of one file. */
  mostLabels: 50_000,
  /** Fewest pixels of each class, duplicates counted once. */
  leastOfClass: 50,
  /** Fewest blocks that hold a class, of each. */
  leastBlocks: 5,
  folds: 5,
  /** Degrees of a block's side when nothing else is requested, and the bounds of what may be. */
  blockDegrees: { default: 0.1, least: 0.002, most: 10 },
  /** Blocks along the side of a region, where the labels name no regions. */
  regionBlocks: 10,
  /** Fewest pixels of each class of a region that is held out. */
  leastOfRegion: 10,
  /** Most regions that are held out; those with the most pixels of their rarer class. */
  mostRegions: 12,
  /** Below this area under the curve the head is not kept: it says next to nothing. */
  refusedArea: 0.65,
  /** Expected error of calibration, on labels left out, above which probabilities are calibrated. */
  mostCalibrationError: 0.05,
  /** Below these a head is kept, and called poor. */
  poor: { area: 0.85, f1: 0.7, precision: 0.5, regionArea: 0.75, regionF1: 0.5 },
} as const;

/** Labels that no head is made of; the message says what was wanted and what there is. */
export class TrainingRefused extends Error {
  override readonly name = 'TrainingRefused';
}
