import { type Lattice, latticeProjection } from '../geo/outline/lattice.ts';
import { type Rings, toPolygon } from '../geo/outline/rings.ts';
import type { PatchOrigin } from './patch.ts';
import type { ForestWarning } from './warnings.ts';
import type { BlockPhase } from '../geo/segmentation/detect-block-phase.ts';
import type { CutSegment } from '../geo/segmentation/find-segment.ts';
import type { DatasetRef, PatchRaster } from './sources.ts';
import type { Polygon } from '../geo/geometry.ts';

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

/** What a live lookup read and cut. */
export interface LiveCut {
  readonly raster: PatchRaster;
  readonly phase: BlockPhase;
  readonly found: CutSegment;
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

/** The outline of a segment along its cells, before any smoothing, in degrees. */
export function rawOutline({ corners, lattice }: Pick<FoundPatch, 'corners' | 'lattice'>): Polygon {
  const degrees = new Float64Array(corners.coords.length);
  const { originX, originY, cellWidth, cellHeight, crs } = lattice;
  const projection = latticeProjection(crs);
  for (let i = 0; i < degrees.length; i += 2)
    projection.toLonLat(
      originX + (corners.coords[i] ?? 0) * cellWidth,
      originY - (corners.coords[i + 1] ?? 0) * cellHeight,
      degrees,
      i,
    );
  return toPolygon({ coords: degrees, starts: corners.starts });
}
