import type { CodeWindow } from '../geo/segmentation/code-window.ts';
import type { CellMemory } from '../geo/segmentation/cell-memory.ts';
import type { BlockPhase } from '../geo/segmentation/detect-block-phase.ts';
import type { Lattice } from '../geo/outline/lattice.ts';
import type { Rings } from '../geo/outline/rings.ts';

/** Which dataset an answer came from: the receipt. */
export interface DatasetRef {
  readonly id: string;
  readonly version: string;
  /** True for generated data that describes no real place. */
  readonly synthetic: boolean;
}

/** One lattice of AEF codes of one year. Pixels are counted from its upper left corner, rows run south. */
export interface PatchRaster {
  readonly id: string;
  /** Year of the embeddings. */
  readonly year: number;
  /** North-up: `x = a * column + c`, `y = e * row + f` from pixel corners to units of `crs`, as `[a, 0, c, 0, e, f]`. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  /** `EPSG:4326` or a UTM zone on WGS84. */
  readonly crs: string;
  /** Where its 2 x 2 blocks begin: the same answer for every lookup. */
  phase(signal: AbortSignal): Promise<BlockPhase>;
  /** Whether the dataset reaches the pixel at all; a pixel that it does may still have no data. */
  covers(x: number, y: number): boolean;
  /** `width` x `height` pixels from (`x0`, `y0`), which may lie outside: what is not covered is -128. */
  window(x0: number, y0: number, width: number, height: number, signal: AbortSignal): Promise<CodeWindow>;
  /** Names the bytes that a window is made of, with their version; absent where they cannot be distinguished from others. */
  version?(x0: number, y0: number, width: number, height: number, signal: AbortSignal): Promise<string>;
}

/** A dataset of embeddings: Tier 2. A throw of any method means that it is broken or was not reached in time. */
export interface PatchEmbeddings {
  readonly dataset: DatasetRef;
  /** The newest raster at a place in degrees, and column and row of the place in pixels; null outside coverage. */
  at(
    lon: number,
    lat: number,
    signal: AbortSignal,
  ): Promise<{ readonly raster: PatchRaster; readonly x: number; readonly y: number } | null>;
}

/** The cell of a label store that holds a place. */
export interface LabelledPlace {
  /** `outside`: nothing was built there; `unresolved`: the segment has to be looked up live. */
  readonly status: 'outside' | 'nodata' | 'background' | 'forest' | 'unresolved';
  /** Year of the embeddings the labels were made from. */
  readonly year: number;
  /** What made the labels, as `ALGORITHM` writes it. */
  readonly algorithm: string;
  /** The lattice of cells. */
  readonly lattice: Lattice;
  /** The outline of a `forest` cell's segment: corners on the lattice, inside on the right. */
  segment(signal: AbortSignal): Promise<{ readonly corners: Rings<Int32Array> }>;
}

/** A precomputed store of segment labels: Tier 1. */
export interface PatchLabels {
  readonly dataset: DatasetRef;
  /** Null where no array of the store covers the place in degrees. */
  at(lon: number, lat: number, signal: AbortSignal): Promise<LabelledPlace | null>;
}

/** Everything that a lookup reads, in the order in which it is queried. */
export interface PatchSources {
  readonly labels: readonly PatchLabels[];
  readonly embeddings: readonly PatchEmbeddings[];
  /** What was computed of the cells of the embeddings; absent: every lookup reads them. */
  readonly cells?: CellMemory;
  /** Called with every source that failed, for the log. */
  readonly reportFailure?: (dataset: string, error: unknown) => void;
}
