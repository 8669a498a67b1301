import type { Answer } from '../../facilities/sources.ts';
import type { UpstreamAnswer } from './upstream.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';

/**
 * An answer of a live service as the receipt names it: the dataset with the day of the data (the day of the query, where
 * the service does not say), and a sentence when the answer was kept from before.
 */
export function liveAnswer<T>(
  id: string,
  { retrievedAt, ageMs, failure }: Omit<UpstreamAnswer<unknown>, 'value'>,
  value: T,
  dataDay: string | null = null,
): Answer<T> {
  const retrieved = new Date(retrievedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  const dataset = { id, version: dataDay ?? retrieved.slice(0, 10), synthetic: false, retrievedAt: retrieved };
  if (ageMs === 0) return { dataset, value };
  const kept = `This answer was kept from ${ageWords(ageMs)} ago`;
  const note = failure === null ? `${kept}.` : `${kept}, because ${failure.message}.`;
  const said = { code: 'note.kept_answer', params: { minutes: Math.floor(ageMs / 60_000) }, message: note };
  return { dataset: { ...dataset, note, notes: [said] }, value };
}

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** In the largest unit that fits, rounded down. */
function ageWords(ageMs: number): string {
  const [unit, size] = UNITS.find(([, length]) => ageMs >= length) ?? UNITS[3];
  const count = Math.floor(ageMs / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
