import { codesOf } from '../../../messages/recognised/codes-of.ts';
import { Problem } from '../../../errors.ts';
import type { Commodity } from '../../../facilities/commodity/commodities.ts';
import type { FacilitySources } from '../../../facilities/sources.ts';
import { describeFailure } from '../../../forest/warnings.ts';
import { round } from '../../../geo/round.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';

/** What a detection head or a map of a crop says of a piece of ground, or why none does. */
export type CropShare = { readonly crop: string } & (
  | {
      readonly status: 'measured';
      readonly dataset: string;
      readonly version: string;
      readonly synthetic: boolean;
      /** Share of the ground that was looked at, 0 to 1, after correction for known errors. */
      readonly share: number;
      /** What sampling and known errors leave open of it. */
      readonly between: readonly [lowest: number, highest: number] | null;
      /** Part of the ground that was looked at. */
      readonly covered: number;
      readonly detail: string;
      readonly messages?: ReturnType<typeof codesOf>['messages'];
    }
  | {
      readonly status: 'unknown';
      readonly reason: string;
      readonly messages?: ReturnType<typeof codesOf>['messages'];
    }
);

/** Who measures crops: the sources of facility checks. */
export type CropSources = Pick<FacilitySources, 'commodityShare' | 'plantationShare'>;

/** Crops that have heads or maps; `plantation` is the union of those that are planted. */
const CROPS = ['palm', 'rubber', 'cocoa', 'coffee', 'soy', 'timber', 'plantation'] as const satisfies readonly (
  | Commodity
  | 'plantation'
)[];
const NOT_DETECTED = 'no detection head or map of it covers the ground';

/** The share of each crop on a piece of ground; each has `timeoutMs`. Rejects only with the reason of the signal. */
export async function measureCrops(
  sources: CropSources,
  shape: Shape,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CropShare[]> {
  const shares: CropShare[] = [];
  for (const crop of CROPS) {
    const inner = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      // Within 0 m: the pixels whose centres lie in the outline.
      const answer = await (crop === 'plantation'
        ? sources.plantationShare(shape, 0, inner)
        : sources.commodityShare(crop, shape, 0, inner));
      if (answer === null)
        shares.push({ crop, status: 'unknown', reason: NOT_DETECTED, ...codesOf({ reason: NOT_DETECTED }) });
      else {
        const { id: dataset, version, synthetic } = answer.dataset;
        const { share, between, covered = 1, detail } = answer.value;
        shares.push({
          crop,
          status: 'measured',
          dataset,
          version,
          synthetic,
          share: round(share, 4),
          between: between === undefined ? null : [round(between[0], 4), round(between[1], 4)],
          covered: round(covered, 4),
          detail,
          ...codesOf({ detail }),
        });
      }
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Problem ? error.message : `the detector failed: ${describeFailure(error)}`;
      shares.push({ crop, status: 'unknown', reason, ...codesOf({ reason }) });
    }
  }
  return shares;
}
