import { COMMODITIES_IN_ORDER, type CommodityOrNone } from './commodity-bits.ts';
import type { BusinessesNearby, Nearby } from '../../facilities/sources.ts';
import { featuresWithin } from '../../geo/features/search-features.ts';
import type { Shape } from '../../geo/shape.ts';
import { textAt } from '../built-in/text-table.ts';
import { isRelevantBusiness } from '../business-kinds.ts';
import { visitWithin } from '../flatgeobuf/search-file.ts';
import type { Values } from '../flatgeobuf/decode-feature.ts';
import type { LayerMemory } from './layer-memory.ts';
import { labelOf, probeOf, type MaybePromise, type PackLayer } from './pack-layer.ts';

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
  let count = 0;
  let nearest = -1;
  let nearestM = Infinity;
  featuresWithin(memory.set, probeOf(shape), withinM, (id, distanceM) => {
    if (!isRelevant(memory, commodity, id)) return;
    count++;
    if (distanceM > nearestM || (distanceM === nearestM && id > nearest)) return;
    nearestM = distanceM;
    nearest = id;
  });
  if (nearest < 0) return NONE;
  const label = labelOf(plan, [
    textAt(memory.words, memory.classes[nearest]),
    textAt(memory.words, memory.names[nearest]),
  ]);
  return { count, nearest: { distanceM: nearestM, ...label } };
}

const NONE: BusinessesNearby = { count: 0, nearest: null };

/**
 * Whether a business matters, worked out once for each commodity: the first byte says for which it is known, the second for which it does.
 * Threads may work out the same at once and lose what another wrote; then it is worked out again.
 */
function isRelevant({ relevance, texts }: LayerMemory, commodity: CommodityOrNone, id: number): boolean {
  const bit = 1 << COMMODITIES_IN_ORDER.indexOf(commodity);
  if ((relevance[id * 2] & bit) !== 0) return (relevance[id * 2 + 1] & bit) !== 0;
  const [kinds, names] = textAt(texts, id).split('\n');
  const matters = isRelevantBusiness(commodity, kinds.split(' '), names.split(';'));
  if (matters) relevance[id * 2 + 1] |= bit;
  relevance[id * 2] |= bit;
  return matters;
}

async function businessesOnDisk(
  { file, plan, columns }: PackLayer,
  commodity: CommodityOrNone,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): Promise<BusinessesNearby> {
  const accept = ([, , kinds, names]: Values): boolean =>
    isRelevantBusiness(commodity, String(kinds ?? '').split(' '), String(names ?? '').split(';'));
  let count = 0;
  let nearest: Nearby | null = null;
  let first = Infinity;
  const search = { columns, accept };
  await visitWithin(await file(signal), probeOf(shape), withinM, search, signal, (distanceM, values, { offset }) => {
    count++;
    if (nearest !== null && (distanceM > nearest.distanceM || (distanceM === nearest.distanceM && offset > first)))
      return;
    nearest = { distanceM, ...labelOf(plan, values) };
    first = offset;
  });
  return { count, nearest };
}
