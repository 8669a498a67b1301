import type { ProducerMatch } from '../../facilities/sources.ts';
import { geodesicDistanceM } from '../../geo/ellipsoid.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { nameSimilarity } from './name-similarity.ts';
import type { RegistryRecord } from './registry.ts';

export interface MatchRules {
  /** What a match is worth: the greater wins. */
  readonly worth: (match: Pick<ProducerMatch, 'nameSimilarity' | 'distanceM'>) => number;
  /** Metres within which a place counts for a record. */
  readonly nearM: number;
}

/** Likeness below which a record does not resemble a name. */
export const LEAST_SIMILARITY = 0.5;

/** The record that says most for a producer, or null when none resembles the name. The first among equals. */
export function bestMatch(
  registry: string,
  records: readonly RegistryRecord[],
  { name, shape }: { readonly name: string; readonly shape: Shape },
  rules: MatchRules,
): ProducerMatch | null {
  let best: ProducerMatch | null = null;
  for (const { id, names, at } of records) {
    const likeness = names.map((each) => nameSimilarity(name, each));
    const similarity = Math.max(0, ...likeness);
    if (similarity < LEAST_SIMILARITY) continue;
    const distanceM = at === null ? null : distanceToPlaceM(shape, at, rules.nearM);
    const found = {
      registry,
      recordId: id,
      name: names[likeness.indexOf(similarity)],
      nameSimilarity: similarity,
      distanceM,
    };
    if (best === null || isBetterMatch(found, best, rules)) best = found;
  }
  return best;
}

/** Whether a match is worth more: then by its name, then by its nearness. */
export function isBetterMatch(a: ProducerMatch, b: ProducerMatch, { worth }: Pick<MatchRules, 'worth'>): boolean {
  const more = worth(a) - worth(b) || a.nameSimilarity - b.nameSimilarity;
  return more > 0 || (more === 0 && (a.distanceM ?? Infinity) < (b.distanceM ?? Infinity));
}

/** Geodesic metres from a shape to a place: from its nearest part within `nearM`, beyond that from a point of it. */
export function distanceToPlaceM(shape: Shape, [lon, lat]: readonly [number, number], nearM: number): number {
  const near = distanceToShapeM(shape, lon, lat, nearM);
  return near === Infinity ? geodesicDistanceM(shape.inside[0], shape.inside[1], lon, lat) : near;
}
