import type { Lattice } from '../geo/outline/lattice.ts';
import type { Rings } from '../geo/outline/rings.ts';
import type { PatchOrigin } from './patch.ts';
import type { ForestWarning } from './warnings.ts';

/** The forest segment of a place, before it is smoothed. */
export interface FoundPatch {
  readonly origin: PatchOrigin;
  /** Column, row pairs on the lattice of cells, inside on the right: the exterior ring, then holes. */
  readonly corners: Rings<Int32Array>;
  readonly lattice: Lattice;
  /** What decided its cells, as `ALGORITHM` writes it. */
  readonly algorithm: string;
  /** How much was looked at when the segment goes on beyond it, such as `10.2 km`; null for a whole segment. */
  readonly truncatedAt: string | null;
}

/** That there is no forest segment at a place. */
interface NoForest {
  readonly origin: PatchOrigin;
  readonly warning: ForestWarning;
  /** Mean probability of forest over the segment, 0 to 1, where it was measured. */
  readonly meanForest?: number;
}

/** What a source says of a place that it covers: the segment, or that there is none. */
export type Answer = FoundPatch | NoForest;
