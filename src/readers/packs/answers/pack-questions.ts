import type { Commodity } from '../../../facilities/commodity/commodities.ts';
import type { BuildingsNearby, BusinessesNearby, Nearby } from '../../../facilities/sources.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { buildingsNear } from './buildings-near.ts';
import { businessesNear } from './businesses-near.ts';
import { COMMODITIES_IN_ORDER } from '../layer/layer-plan.ts';
import { nearestOf, type PackLayer } from '../layer/pack-layer.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';

/** What is queried of each layer in turn. */
export interface Question<T> {
  look(layer: PackLayer, shape: Shape, withinM: number, signal: AbortSignal): MaybePromise<T>;
  /** Whether enough was found to answer; less has a meaning only where the whole circle is known. */
  found(value: T): boolean;
  /** Metres to what was found, where the nearer of two finds is the better one. */
  distanceM?(value: T): number;
}

export const NEAREST: Question<Nearby | null> = {
  look: nearestOf,
  found: (value) => value !== null,
  distanceM: (value) => value?.distanceM ?? Infinity,
};

export const BUILDINGS: Question<BuildingsNearby> = { look: buildingsNear, found: ({ count }) => count > 0 };

export const BUSINESSES = Object.fromEntries(
  COMMODITIES_IN_ORDER.map((commodity) => {
    const question: Question<BusinessesNearby> = {
      look: (layer, shape, withinM, signal) => businessesNear(layer, commodity, shape, withinM, signal),
      found: ({ count }) => count > 0,
    };
    return [commodity ?? 'none', question];
  }),
) as Readonly<Record<Commodity | 'none', Question<BusinessesNearby>>>;
