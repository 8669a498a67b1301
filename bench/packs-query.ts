import type { Commodity } from '../src/facilities/commodity/commodities.ts';
import type { Shape } from '../src/geo/shapes/shape.ts';
import type { PackData } from '../src/service/world/packs-data.ts';
import type { PostgisAnswer } from './packs-postgis.ts';

/** What packs in memory say of one place. */
export interface PackAnswer {
  readonly road: number | null;
  readonly water: number | null;
  readonly port: number | null;
  readonly buildings: number;
  readonly area: number;
  readonly businesses: number;
  readonly dense: boolean;
}

/** All local checks of a place by their real limits; sources in memory answer at once. */
export function queryAtOnce(
  { sources }: PackData,
  shape: Shape,
  commodity: Commodity,
  signal: AbortSignal,
): PackAnswer {
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

/** Every decision at a place on which the two disagree, and every distance that is larger than theirs. */
export function differences(own: PackAnswer, theirs: PostgisAnswer, [lon, lat]: readonly [number, number]): string[] {
  const isNear = (metres: number | null, limit: number): boolean => metres !== null && metres <= limit;
  const decisions = {
    road: [own.road !== null, isNear(theirs.road, 1_000)],
    water: [own.water !== null, isNear(theirs.water, 5_000)],
    port: [own.port !== null, isNear(theirs.port, 50_000)],
    buildings: [own.buildings, theirs.buildings],
    businesses: [own.businesses, theirs.businesses],
  };
  const lines = Object.entries(decisions)
    .filter(([, [a, b]]) => a !== b)
    .map(([name, [a, b]]) => `${name} at ${lon}, ${lat}: ${a}, PostGIS ${b}`);
  // PostGIS ranks by a sphere and may take another than the nearest; never a nearer one.
  for (const name of ['road', 'water', 'port'] as const) {
    const metres = own[name];
    const other = theirs[name] ?? Infinity;
    if (metres !== null && metres - other > 0.5 + other * 2e-3)
      lines.push(`${name} at ${lon}, ${lat}: ${metres} m, PostGIS ${other} m`);
  }
  return lines;
}
