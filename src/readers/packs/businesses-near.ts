import { COMMODITIES_IN_ORDER, type CommodityOrNone } from './commodity-bits.ts';
import type { BusinessesNearby } from '../../facilities/sources.ts';
import { countWithin, type Counted } from '../../geo/features/count-within.ts';
import { FANOUT } from '../../geo/packed-tree.ts';
import type { Shape } from '../../geo/shape.ts';
import { textAt } from '../built-in/text-table.ts';
import { isRelevantBusiness } from '../business-kinds.ts';
import { businessesOnDisk } from './businesses-on-disk.ts';
import type { LayerMemory } from './layer-memory.ts';
import { labelOf, probeOf, type MaybePromise, type PackLayer } from './pack-layer.ts';
import { wordAt } from './word-at.ts';

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
  const counted = relevantOf(memory, commodity);
  const { count, nearest, nearestM } = countWithin(memory.set, probeOf(shape), withinM, counted);
  if (nearest < 0) return NONE;
  const label = labelOf(plan, [
    wordAt(memory.words, memory.classes[nearest]),
    wordAt(memory.words, memory.names[nearest]),
  ]);
  return { count, nearest: { distanceM: nearestM, ...label } };
}

const NONE: BusinessesNearby = { count: 0, nearest: null };

/** What counts for a commodity, with the sums of the lowest nodes kept once they are known. */
function relevantOf(memory: LayerMemory, commodity: CommodityOrNone): Counted {
  const place = COMMODITIES_IN_ORDER.indexOf(commodity);
  const accepts = (id: number): boolean => isRelevant(memory, commodity, place, id);
  return {
    accepts,
    countOf(first, end) {
      const at = (first / FANOUT) * COMMODITIES_IN_ORDER.length + place;
      const known = memory.tallies[at];
      if (known > 0) return known - 1;
      let count = 0;
      for (let id = first; id < end; id++) if (accepts(id)) count++;
      memory.tallies[at] = count + 1;
      return count;
    },
  };
}

/**
 * Whether a business matters, worked out once for each commodity: the low byte says for which it is known, the high one for which it does.
 * Both bits come at once and by an atomic step, since threads that work out other commodities meanwhile would lose one of them otherwise.
 */
function isRelevant(memory: LayerMemory, commodity: CommodityOrNone, place: number, id: number): boolean {
  const { relevance } = memory;
  const bit = 1 << place;
  const known = relevance[id];
  if ((known & bit) !== 0) return (known & (bit << 8)) !== 0;
  const [kinds, names] = textAt(memory.texts, id).split('\n');
  const matters = isRelevantBusiness(commodity, kinds.split(' '), names.split(';'));
  Atomics.or(relevance, id, matters ? bit | (bit << 8) : bit);
  return matters;
}
