import type { Nearby } from '../../facilities/sources.ts';
import { NearestEdge } from '../../geo/edges/nearest-edge.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import type { Pack } from '../packs/pack-file.ts';
import { WATER_KINDS, LAKE, RIVER, SEA, type WaterMeta } from './build/build-water.ts';
import { packedEdgeSet } from './pack-arrays.ts';

interface FoundWater {
  readonly nearby: Nearby;
  /** True when it comes from the coarse outlines, 1 to 4 km off at places. */
  readonly coarse: boolean;
}

/** Answers what water is near. Not to be used by two threads at once; each opens its own over the same pack. */
export interface Water {
  /**
   * The nearest water of the outlines at 250 m, or where they have none within reach the nearest of the coarse ones, which
   * know reservoirs and great rivers that the others lack. Null when there is neither.
   */
  nearest(shape: Shape, withinM: number): FoundWater | null;
  /** Metres to the nearest sea, or null when it is farther. */
  toSea(shape: Shape, withinM: number): number | null;
  /** The water whose outline holds a point, from the coarse outlines only where the others have none; null on land. */
  areaAt(lon: number, lat: number): { readonly kind: (typeof WATER_KINDS)[number]; readonly coarse: boolean } | null;
  /** Whether a point lies in a lake or river. */
  isInland(lon: number, lat: number): boolean;
  /** Whether a point lies in a river that is wide enough to be drawn as an area. */
  isRiver(lon: number, lat: number): boolean;
}

export function openWater(pack: Pack): Water {
  const meta = pack.header.meta as WaterMeta;
  const exact = new NearestEdge(packedEdgeSet(pack, 'exact', meta.exact));
  const coarse = new NearestEdge(packedEdgeSet(pack, 'coarse', meta.coarse));
  return {
    nearest(shape, withinM) {
      const near = exact.find(shape, withinM);
      const found = near ?? coarse.find(shape, withinM);
      if (found === null) return null;
      return {
        nearby: { distanceM: found.distanceM, name: null, kind: WATER_KINDS[found.owner] },
        coarse: near === null,
      };
    },
    toSea: (shape, withinM) => exact.find(shape, withinM, SEA)?.distanceM ?? null,
    areaAt(lon, lat) {
      const kind = exact.holders.firstAt(lon, lat);
      if (kind >= 0) return { kind: WATER_KINDS[kind], coarse: false };
      // Its sea reaches kilometres inland at places: of the coarse outlines lakes alone are worth having.
      return coarse.holders.firstAt(lon, lat) === LAKE ? { kind: 'lake', coarse: true } : null;
    },
    isInland(lon, lat) {
      const kind = exact.holders.firstAt(lon, lat);
      return kind === LAKE || kind === RIVER || (kind !== SEA && coarse.holders.firstAt(lon, lat) === LAKE);
    },
    isRiver: (lon, lat) => exact.holders.holds(lon, lat, RIVER),
  };
}
