import { COMMODITIES_IN_ORDER, type CommodityOrNone } from '../layer/layer-plan.ts';
import type { BusinessesNearby } from '../../../facilities/sources.ts';
import { type Counted, countWithin } from '../../../geo/features/count-within.ts';
import { FANOUT } from '../../../geo/packed-tree.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { textAt } from '../../built-in/pack-arrays.ts';
import { businessReach, type BusinessReach, reachM } from '../../themes/business-kinds.ts';
import type { LayerMemory } from '../layer/layer-memory.ts';
import { labelOf, type PackLayer, probeOf, wordAt } from '../layer/pack-layer.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';
import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import { POINT } from '../../../geo/features/feature-set.ts';
import { decodeValues, planColumns, type Values } from '../../formats/flatgeobuf/decode-feature.ts';
import type { FlatGeobufFile } from '../../formats/flatgeobuf/open-flatgeobuf.ts';
import { answerFrom, createMeasure, searchWithin } from '../../formats/flatgeobuf/search-file.ts';

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

/** The businesses of a layer on disk that matter to a commodity (null: to any) within so many metres, the first in the file among equals. */
async function businessesOnDisk(
  { file: open, plan, columns }: PackLayer,
  commodity: CommodityOrNone,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): Promise<BusinessesNearby> {
  const probe = probeOf(shape);
  const whole = await open(signal);
  const known = knownOf(whole);
  const bit = 1 << COMMODITIES_IN_ORDER.indexOf(commodity);
  return answerFrom(whole, async (file, leaves, unread) => {
    await searchWithin(file, probe, withinM, signal, leaves);
    const { numbers, boxes } = leaves;
    const point = new FeatureBuilder(1);
    let count = 0;
    let nearest = -1;
    let nearestM = Infinity;
    const limitOf = (all: Uint8Array, at: number): number => {
      if ((all[at + 1] & bit) !== 0) return withinM;
      return (all[at + 2] & bit) === 0 ? -1 : reachM('general', withinM);
    };
    const add = (i: number, distanceM: number): void => {
      count++;
      if (distanceM > nearestM || (distanceM === nearestM && numbers[i] > numbers[nearest])) return;
      nearest = i;
      nearestM = distanceM;
    };
    const places: number[] = [];
    for (let i = 0; i < leaves.length; i++) {
      const at = numbers[i] * 3;
      const isKnown = known !== null && (known[at] & bit) !== 0;
      const limitM = isKnown ? limitOf(known, at) : withinM;
      if (limitM < 0) continue;
      const isPoint = boxes[i * 4] === boxes[i * 4 + 2] && boxes[i * 4 + 1] === boxes[i * 4 + 3];
      if (!isKnown || !isPoint) {
        places.push(i);
        unread.addFrom(leaves, i);
        continue;
      }
      // What is no larger than a point is where its box is.
      point.clear();
      point.begin(POINT);
      point.vertex(boxes[i * 4], boxes[i * 4 + 1]);
      point.endPart();
      point.end();
      const distanceM = probe.distanceM(point, 0, limitM);
      if (distanceM <= limitM) add(i, distanceM);
    }
    const measure = createMeasure(file, probe, { columns: columns.slice(2) });
    await file.read(unread, signal, (view, at, index) => {
      const distanceM = measure.distanceM(view, at, withinM, withinM);
      if (distanceM > withinM) return;
      const [kinds, names] = measure.values(view, at) ?? [];
      const reach = businessReach(commodity, String(kinds ?? '').split(' '), String(names ?? '').split(';'));
      const i = places[index];
      if (known !== null) {
        known[numbers[i] * 3] |= bit;
        if (reach === 'chain') known[numbers[i] * 3 + 1] |= bit;
        if (reach === 'general') known[numbers[i] * 3 + 2] |= bit;
      }
      if (distanceM <= reachM(reach, withinM)) add(i, distanceM);
    });
    if (nearest < 0) return { count, nearest: null };
    unread.length = 0;
    unread.addFrom(leaves, nearest);
    const label: Values = [null, null];
    await file.read(unread, signal, (view, at) => {
      const all = file.header.columns;
      decodeValues(view, at, all, planColumns(all, columns.slice(0, 2)), label);
    });
    return { count, nearest: { distanceM: nearestM, ...labelOf(plan, label) } };
  });
}

/** Most businesses of a file whose relevance is remembered: 3 bytes each. */
const MOST_KNOWN = 4_000_000;
const knowledge = new WeakMap<FlatGeobufFile, Uint8Array>();

/** What is known of the relevance of each business, a bit for each commodity: known in the first byte, of the chain in the second, of a general industrial kind in the third. */
function knownOf(file: FlatGeobufFile): Uint8Array | null {
  const { count } = file.header;
  if (count > MOST_KNOWN) return null;
  let known = knowledge.get(file);
  if (known === undefined) knowledge.set(file, (known = new Uint8Array(count * 3)));
  return known;
}
