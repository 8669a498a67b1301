import type { Polygon } from '../geo/geometry.ts';
import type { DatasetRef } from './sources.ts';
import type { ForestWarning } from './warnings.ts';

/** Tier 1, the precomputed labels, or Tier 2, a live segmentation of the embeddings. */
type PatchTier = 'plotids-store' | 'aef-watershed';

/** What is said of a patch. Every property is always there, so that none of the input can pass for it. */
export interface PatchProperties {
  /** Longitude and latitude as they came; null where no two numbers came. */
  readonly input_point: readonly [lon: number, lat: number] | null;
  /** Null where nothing answered. */
  readonly source: PatchTier | null;
  /** Year of the embeddings. */
  readonly source_year: number | null;
  readonly warnings: readonly ForestWarning[];
  /** Geodesic, holes taken off; 4 decimals. */
  readonly area_ha: number | null;
  /** Geodesic, holes included; 1 decimal. */
  readonly perimeter_m: number | null;
  /** The same for every point of the segment. */
  readonly segment_id: string | null;
  /** By smoothing, in per cent of the raster's own area; 3 decimals. */
  readonly area_change_pct: number | null;
  /** Id and version of the dataset that answered. */
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  /** True when that dataset was generated and describes no real place. */
  readonly synthetic: boolean;
  /** The outline along the cells before smoothing, in the output CRS; present only when it was requested and there is a patch. */
  readonly raw_outline?: Polygon | null;
}

/** The answer to one point. */
export interface Patch {
  /** In the output CRS; null when there is no forest segment, which `warnings` explain. */
  readonly geometry: Polygon | null;
  readonly properties: PatchProperties;
}

/** Who gave an answer. */
export interface PatchOrigin {
  readonly source: PatchTier;
  readonly year: number;
  readonly dataset: DatasetRef;
}

/** The answer where there is no patch; `origin` null where no source gave it. */
export function noPatch(
  inputPoint: PatchProperties['input_point'],
  warning: ForestWarning,
  origin: PatchOrigin | null = null,
): Patch {
  return {
    geometry: null,
    properties: {
      input_point: inputPoint,
      source: origin?.source ?? null,
      source_year: origin?.year ?? null,
      warnings: [warning],
      area_ha: null,
      perimeter_m: null,
      segment_id: null,
      area_change_pct: null,
      dataset: origin?.dataset.id ?? null,
      dataset_version: origin?.dataset.version ?? null,
      synthetic: origin?.dataset.synthetic ?? false,
    },
  };
}
