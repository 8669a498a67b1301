import { COMMODITIES_IN_ORDER, type CommodityOrNone } from '../layer/commodity-bits.ts';
import type { BusinessesNearby } from '../../../facilities/sources.ts';
import { countWithin, type Counted } from '../../../geo/features/count-within.ts';
import { FANOUT } from '../../../geo/packed-tree.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { textAt } from '../../built-in/text-table.ts';
import { businessReach, reachM, type BusinessReach } from '../../themes/business-kinds.ts';
import { businessesOnDisk } from './businesses-on-disk.ts';
import type { LayerMemory } from '../layer/layer-memory.ts';
import { labelOf, probeOf, type PackLayer } from '../layer/pack-layer.ts';
import { wordAt } from '../layer/word-at.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';

/** The businesses of a layer that matter to a commodity (null: to any) within so many metres. */
export function businessesNear(
  layer: PackLayer,
  commodity: CommodityOrNone,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): MaybePromise<BusinessesNearby> {
  const { memory, plan } = layer;
  if (memory === null) return businessesOnDisk(layer, commodity, shape, withinM, signal);
  if (memory.set === null) return NONE;
  const place = COMMODITIES_IN_ORDER.indexOf(commodity);
  const probe = probeOf(shape);
  const chain = countWithin(memory.set, probe, withinM, countedOf(memory, commodity, place, 'chain'));
  const general = countWithin(
    memory.set,
    probe,
    reachM('general', withinM),
    countedOf(memory, commodity, place, 'general'),
  );
  const count = chain.count + general.count;
  const { nearest, nearestM } = general.nearestM < chain.nearestM ? general : chain;
  if (count === 0) return NONE;
  const label = labelOf(plan, [
    wordAt(memory.words, memory.classes[nearest]),
    wordAt(memory.words, memory.names[nearest]),
  ]);
  return { count, nearest: { distanceM: nearestM, ...label } };
}

const NONE: BusinessesNearby = { count: 0, nearest: null };

/** Businesses that matter in one way, with the sums of the lowest nodes kept for those of the chain, of which whole towns are counted. */
function countedOf(
  memory: LayerMemory,
  commodity: CommodityOrNone,
  place: number,
  reach: Exclude<BusinessReach, 'none'>,
): Counted {
  const shift = reach === 'chain' ? 8 : 16;
  const accepts = (id: number): boolean => (relevanceOf(memory, commodity, place, id) & (1 << (place + shift))) !== 0;
  const count = (first: number, end: number): number => {
    let sum = 0;
    for (let id = first; id < end; id++) if (accepts(id)) sum++;
    return sum;
  };
  if (reach === 'general') return { accepts, countOf: count };
  return {
    accepts,
    countOf(first, end) {
      const at = (first / FANOUT) * COMMODITIES_IN_ORDER.length + place;
      const known = memory.tallies[at];
      if (known > 0) return known - 1;
      const sum = count(first, end);
      memory.tallies[at] = sum + 1;
      return sum;
    },
  };
}

/**
 * How a business matters, worked out once for each commodity. All bits of a commodity come at once and by an atomic step, since threads
 * that work out other commodities meanwhile would lose one of them otherwise.
 */
function relevanceOf(memory: LayerMemory, commodity: CommodityOrNone, place: number, id: number): number {
  const { relevance } = memory;
  const known = relevance[id];
  if ((known & (1 << place)) !== 0) return known;
  const [kinds, names] = textAt(memory.texts, id).split('\n');
  const bits = (1 << place) | (BITS[businessReach(commodity, kinds.split(' '), names.split(';'))] << place);
  return Atomics.or(relevance, id, bits) | bits;
}

const BITS = { none: 0, chain: 1 << 8, general: 1 << 16 } as const satisfies Record<BusinessReach, number>;
