import { codesOf } from '../../../messages/recognised/codes-of.ts';
import type { Feature, Polygon, UncheckedFeature } from '../../../geo/geometry.ts';
import { round } from '../../../geo/round.ts';
import { ALGORITHM } from '../../../geo/segmentation/find-segment.ts';
import type { Confidence, DescribedGround, SplitResult } from '../../../plots/split/describe-split.ts';
import type { CropShare } from './crop-shares.ts';
import type { LayerCover } from './land-cover.ts';

/** What the maps and detectors say of a piece of ground. */
export interface GroundCover {
  readonly land_cover: readonly LayerCover[];
  readonly crops: readonly CropShare[];
}

/** One polygon of a proposed split. */
export type PartFeature = Feature<
  {
    /** Name of its ground and a number: `A1`. */
    readonly part: string;
    readonly ground: string;
    readonly area_ha: number;
    /** Of the plot, 0 to 1. */
    readonly share: number;
    /** Hectares in it without data. */
    readonly unknown_ha: number;
    /** Hectares in it of grounds too small for a part of their own. */
    readonly other_ground_ha: number;
    readonly tree_probability: number | null;
  } & GroundCover,
  Polygon
>;

/** The computed properties of a plot. */
export type SplitProperties = {
  /** null: nobody can say. */
  readonly split_proposed: boolean | null;
  readonly split_result: SplitResult;
  readonly split_reason: string;
  readonly split_confidence: Confidence | null;
  readonly split_confidence_reasons: readonly string[];
  /** What the texts say, as codes with parameters. */
  readonly messages?: ReturnType<typeof codesOf>['messages'];
  readonly area_ha: number | null;
  /** Hectares without embeddings; null where none were read. */
  readonly unknown_ha: number | null;
  readonly grounds: readonly DescribedGround[];
  readonly embeddings: {
    readonly dataset: string;
    readonly version: string;
    readonly year: number;
    readonly synthetic: boolean;
    readonly algorithm: string;
    readonly segments: number;
  } | null;
  readonly parts: { readonly type: 'FeatureCollection'; readonly features: readonly PartFeature[] } | null;
} & GroundCover;

/** A plot with what was found of it: its id, geometry and properties are kept, a computed property wins. */
export type SplitFeature = UncheckedFeature<SplitProperties & Readonly<Record<string, unknown>>>;

/** The embeddings as a receipt names them. */
export function embeddingsRef(
  { id, version, synthetic }: { readonly id: string; readonly version: string; readonly synthetic: boolean },
  year: number,
  segments: number,
): NonNullable<SplitProperties['embeddings']> {
  return { dataset: id, version, year, synthetic, algorithm: ALGORITHM, segments };
}

/** What is said of a plot that could not be looked at. */
export function unknownSplit(result: SplitResult, reason: string, areaHa: number | null): SplitProperties {
  return {
    split_proposed: null,
    split_result: result,
    split_reason: reason,
    split_confidence: null,
    split_confidence_reasons: [],
    ...codesOf({ split_reason: reason }),
    area_ha: areaHa === null ? null : round(areaHa, 4),
    unknown_ha: areaHa === null ? null : round(areaHa, 4),
    grounds: [],
    embeddings: null,
    parts: null,
    land_cover: [],
    crops: [],
  };
}

/**
 * The parts of plots as one flat list, to be drawn or handed on: each with the properties of its plot's input and of its own. A plot without a split is one
 * feature, itself.
 */
export function flattenParts(plots: readonly SplitFeature[]): UncheckedFeature[] {
  return plots.flatMap((plot, number): UncheckedFeature[] => {
    const { parts, grounds: _, ...rest } = plot.properties;
    const shared = { plot: number, ...(plot.id === undefined ? {} : { plot_id: plot.id }) };
    if (parts === null) return [{ ...plot, properties: { ...rest, ...shared, part: null } }];
    const { split_confidence_reasons: _reasons, messages: _messages, embeddings: _embeddings, ...brief } = rest;
    return parts.features.map(({ geometry, properties }) => ({
      type: 'Feature',
      geometry,
      properties: { ...brief, ...shared, ...properties },
    }));
  });
}
