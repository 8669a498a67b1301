import type { BlockPhase } from '../geo/segmentation/detect-block-phase.ts';
import type { FoundSegment } from '../geo/segmentation/find-segment.ts';
import type { Answer } from './answer.ts';
import type { DatasetRef, PatchRaster } from './sources.ts';

/** What a live lookup read and cut. */
export interface LiveCut {
  readonly raster: PatchRaster;
  readonly phase: BlockPhase;
  readonly found: FoundSegment;
  /** Mean probability of forest over the segment, 0 to 1. */
  readonly probability: number;
}

/** What a live lookup says, and what it cut; nothing where there is no data or another lookup has cut it. */
export interface LiveAnswer {
  readonly answer: Answer;
  readonly cut: LiveCut | null;
}

/** Where a lookup cuts. Pixels are counted from the raster's upper left corner. */
export interface CutPlace extends Pick<LiveCut, 'raster' | 'phase'> {
  readonly dataset: DatasetRef;
  readonly x: number;
  readonly y: number;
}
