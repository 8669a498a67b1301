import type { LocationsConfidence } from './plot-record.ts';

/** Most cautious first: of two that are equally common the earlier one wins. */
const BY_CAUTION = [
  'invalid',
  'not processed: geocoding failed',
  'not processed: geocoding too imprecise',
  'not processed: validation confidence too low',
  'medium',
  'high',
] as const satisfies readonly LocationsConfidence[];

/** The one confidence of a collection: `low` when any location is low, otherwise the most common; `invalid` without any. */
export function collectionConfidence(
  counts: Readonly<Partial<Record<LocationsConfidence, number>>>,
): LocationsConfidence {
  if ((counts.low ?? 0) > 0) return 'low';
  return BY_CAUTION.reduce<LocationsConfidence>(
    (best, one) => ((counts[one] ?? 0) > (counts[best] ?? 0) ? one : best),
    'invalid',
  );
}

/** Reasons as sentences, the most common first. */
export function reasonSentences(reasons: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(reasons)
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([reason, count]) => `${count} ${count === 1 ? ofOne(reason) : reason}.`);
}

/** How reasons begin, of many and of one. */
const OF_ONE = [
  ['locations are ', 'location is '],
  ['locations were ', 'location was '],
  ['locations stand ', 'location stands '],
  ['facilities lost ', 'facility lost '],
  ['facilities could ', 'facility could '],
  ['facilities have ', 'facility has '],
  ['plots fail ', 'plot fails '],
  ['plots have ', 'plot has '],
  ['plots could ', 'plot could '],
  ['plots were found by their ', 'plot was found by its '],
] as const;

function ofOne(reason: string): string {
  const [many, one] = OF_ONE.find(([begin]) => reason.startsWith(begin)) ?? ['', ''];
  return one + reason.slice(many.length);
}
