import type { Commodity } from '../src/facilities/commodities.ts';
import type { Shape } from '../src/geo/shape.ts';
import type { PackData } from '../src/service/packs-data.ts';

/** What packs in memory say of one place. */
export interface Asked {
  readonly road: number | null;
  readonly water: number | null;
  readonly port: number | null;
  readonly buildings: number;
  readonly area: number;
  readonly businesses: number;
  readonly dense: boolean;
}

/** All local checks of a place by their real limits; sources in memory answer at once. */
export function askAtOnce({ sources }: PackData, shape: Shape, commodity: Commodity, signal: AbortSignal): Asked {
  const now = <T>(answer: T): Exclude<T, Promise<unknown>> => answer as Exclude<T, Promise<unknown>>;
  const buildings = now(sources.buildings(shape, 100, signal))?.value;
  return {
    road: now(sources.nearestRoad(shape, 1_000, signal))?.value?.distanceM ?? null,
    water: now(sources.nearestWater(shape, 5_000, signal))?.value?.distanceM ?? null,
    port: now(sources.nearestPort(shape, 50_000, signal))?.value?.distanceM ?? null,
    buildings: buildings?.count ?? 0,
    area: buildings?.togetherM2 ?? 0,
    businesses: now(sources.businesses(commodity, shape, 2_000, signal))?.value.count ?? 0,
    dense: now(sources.density(shape, signal))?.value.dense ?? false,
  };
}
