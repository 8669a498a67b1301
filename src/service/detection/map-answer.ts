import type { Answer, CommodityShare } from '../../facilities/sources.ts';
import { shareAbove, wilsonInterval, type Share } from '../../geo/detection/share.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { aboutMap } from './about.ts';
import { coveredPart, FARTHEST_M, isCovered, pixelsOf, remarks } from './answer.ts';
import type { MapReader } from './map-claims.ts';
import type { CommodityMap } from './maps.ts';

/**
 * Measures the share of pixels around a shape that a map counts as its subject. Null where too few of them lie in the
 * file or are known to it. Rejects when the file cannot be read or does not say where it lies.
 */
export function createMapAnswerer({
  around,
}: MapReader): (
  map: CommodityMap,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
) => Promise<Answer<CommodityShare> | null> {
  return async (map, shape, radiusM, signal) => {
    const { found, isComplete } = await around(map, shape, Math.min(radiusM, FARTHEST_M), signal);
    const share: Share = shareAbove(found, 1, isComplete);
    if (!isCovered(share)) return null;
    const detail = [
      `${pixelsOf(share, isComplete)} of the map ${mapName(map)}; counted where it says ${ruleOf(map)}.`,
      ...remarks(share, radiusM),
    ].join(' ');
    // A map counted whole is what it is; of a sample something is left open.
    const between = isComplete ? ([share.share, share.share] as const) : wilsonInterval(share);
    const value = { share: share.share, between, covered: coveredPart(share, radiusM), detail };
    return { dataset: { ...map.dataset, about: aboutMap() }, value };
  };
}

/** A map with the year it shows. */
export function mapName({ dataset, date }: CommodityMap): string {
  return date === null ? dataset.id : `${dataset.id}, ${date}`;
}

/** What a pixel of a map has to say to count. */
export function ruleOf({ threshold, classes }: CommodityMap): string {
  return threshold === null ? `class ${classes.join(' or ')}` : `${threshold} or more`;
}
