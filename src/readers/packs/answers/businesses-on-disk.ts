import type { BusinessesNearby } from '../../../facilities/sources.ts';
import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import { POINT } from '../../../geo/features/feature-set.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { businessReach, reachM } from '../../themes/business-kinds.ts';
import { decodeValues, planColumns, type Values } from '../../formats/flatgeobuf/decode-feature.ts';
import type { FlatGeobufFile } from '../../formats/flatgeobuf/open-flatgeobuf.ts';
import { answerFrom, createMeasure, searchWithin } from '../../formats/flatgeobuf/search-file.ts';
import { COMMODITIES_IN_ORDER, type CommodityOrNone } from '../layer/commodity-bits.ts';
import { labelOf, probeOf, type PackLayer } from '../layer/pack-layer.ts';

/** The businesses of a layer on disk that matter to a commodity (null: to any) within so many metres, the first in the file among equals. */
export async function businessesOnDisk(
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
