import type { ProducerMatch } from './sources.ts';
import { THRESHOLDS } from './thresholds.ts';

/**
 * What a registry record says for a producer, in whole hundredths: 0.7 for the likeness of the name, 0.3 for nearness, which
 * is 1 up to 1 km, 0 from 25 km and straight in between. A record without a place earns nothing for nearness.
 */
export function producerHundredths({ nameSimilarity, distanceM }: Pick<ProducerMatch, 'nameSimilarity' | 'distanceM'>) {
  const { producerNameWeight, producerNearM, producerFarM } = THRESHOLDS;
  const nearness = distanceM === null ? 0 : (producerFarM - distanceM) / (producerFarM - producerNearM);
  return Math.round(100 * (producerNameWeight * share(nameSimilarity) + (1 - producerNameWeight) * share(nearness)));
}

/** Whether a score in hundredths confirms the producer. */
export function isConfirmed(hundredths: number): boolean {
  return hundredths >= THRESHOLDS.producerConfirmed * 100;
}

/** Into 0 to 1; what is no number counts as 0. */
export function share(value: number): number {
  return value > 0 ? Math.min(value, 1) : 0;
}
