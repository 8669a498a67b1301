import type { Lattice } from '../../geo/outline/lattice.ts';
import type { Rings } from '../../geo/outline/rings.ts';
import type { Dataset } from '../catalogue/dataset.ts';

/**
 * What a label store knows of a cell. `outside`: nothing was built there. `unresolved`: a segment larger than the build
 * could prove; it has to be looked up live.
 */
export type CellStatus = 'outside' | 'nodata' | 'background' | 'forest' | 'unresolved';

/** The cell that holds a place. */
export interface LabelPlace {
  readonly status: CellStatus;
  /** Year of the embeddings the labels were made from. */
  readonly year: number;
  /** Name and version of the algorithm with its parameters, the same text that a live lookup puts into `segmentId`. */
  readonly algorithm: string;
  /** The lattice of cells (not pixels). */
  readonly lattice: Lattice;
  /** The outline of the segment of a `forest` cell: corners on the lattice, inside on the right. Reads the chunks it needs. */
  segment(signal: AbortSignal): Promise<LabelSegment>;
}

export interface LabelSegment {
  /** Column, row pairs on the lattice: the exterior ring, then holes. */
  readonly corners: Rings<Int32Array>;
  /** Number of cells. */
  readonly area: number;
}

/** A precomputed store of segment labels. */
export interface LabelSource {
  readonly dataset: Dataset;
  /** Newest year that was built there; null where no array of the store covers the place in degrees. */
  at(lon: number, lat: number, signal: AbortSignal): Promise<LabelPlace | null>;
  close(): Promise<void>;
}
