import type { ProducerMatch } from './sources.ts';
import { THRESHOLDS } from './thresholds.ts';

/**
 * What a registry's best record says of a producer. `found_elsewhere`: the name would be confirmed at the record's own
 * place, which is another. `place_unknown`: so it would, but the record has no place. `name_differs`: the name alone would
 * not be enough anywhere. `not_found`: no record resembles the name.
 */
export const PRODUCER_STATES = ['confirmed', 'found_elsewhere', 'place_unknown', 'name_differs', 'not_found'] as const;
export type ProducerState = (typeof PRODUCER_STATES)[number];

type NameAndPlace = Pick<ProducerMatch, 'nameSimilarity' | 'distanceM'>;

/**
 * What a registry record says for a producer, in whole hundredths: 0.7 for the likeness of the name, 0.3 for nearness, which
 * is 1 up to 1 km, 0 from 5 km and straight in between. A record without a place earns nothing for nearness.
 */
export function producerHundredths({ nameSimilarity, distanceM }: NameAndPlace): number {
  const { producerNameWeight, producerNearM, producerFarM } = THRESHOLDS;
  const nearness = distanceM === null ? 0 : (producerFarM - distanceM) / (producerFarM - producerNearM);
  return Math.round(100 * (producerNameWeight * share(nameSimilarity) + (1 - producerNameWeight) * share(nearness)));
}

/** What a match amounts to. Only a record with a place nearby confirms, whatever the name. */
export function producerState(match: NameAndPlace): Exclude<ProducerState, 'not_found'> {
  const least = THRESHOLDS.producerConfirmed * 100;
  if (producerHundredths({ ...match, distanceM: 0 }) < least) return 'name_differs';
  if (match.distanceM === null) return 'place_unknown';
  return match.distanceM < THRESHOLDS.producerFarM && producerHundredths(match) >= least
    ? 'confirmed'
    : 'found_elsewhere';
}

/**
 * By what matches are compared: the score among those of one kind, but a record that bears the name goes before one
 * nearby that does not, because it is what the producer has to explain.
 */
export function producerWorth(match: NameAndPlace): number {
  return WORTH[producerState(match)] + producerHundredths(match);
}

const WORTH = { confirmed: 200, found_elsewhere: 100, place_unknown: 100, name_differs: 0 } as const;

/** Into 0 to 1; what is no number counts as 0. */
export function share(value: number): number {
  return value > 0 ? Math.min(value, 1) : 0;
}
