import { createBatchSummary } from '../../collections/batch-summary.ts';
import type { PlotRecord, PlotStatistics } from '../../collections/plot-record.ts';
import { packRecords, unpackRecords } from '../../db/collections/read-collections.ts';
import type { Checkpoint, Checkpoints } from '../../jobs/checkpoints.ts';
import type { EvaluatedLocation } from './locations.ts';

/** Locations of one part: few where they take long, so that little is done again after a crash; more compress better. */
export const PART_LOCATIONS = { first: 50, least: 25, most: 500 } as const;
/** Milliseconds a part should take. */
const PART_MS = { least: 2_000, most: 10_000 } as const;
/** Characters of JSON after which a part is full whatever it holds. */
export const PART_CHARACTERS = 2_000_000;

/** How large the next part should be, from how long those before it took. */
export function createPartSize(): { readonly now: () => number; took(ms: number): void } {
  let size: number = PART_LOCATIONS.first;
  return {
    now: () => size,
    took(ms) {
      if (ms < PART_MS.least) size = Math.min(PART_LOCATIONS.most, size * 2);
      if (ms > PART_MS.most) size = Math.max(PART_LOCATIONS.least, Math.floor(size / 2));
    },
  };
}

/** Locations in groups that become parts, each of as many as `size` says when it is begun. */
export async function* groupLocations(
  locations: AsyncIterable<EvaluatedLocation>,
  size: () => number,
): AsyncGenerator<readonly EvaluatedLocation[], void> {
  let group: EvaluatedLocation[] = [];
  let characters = 0;
  for await (const location of locations) {
    group.push(location);
    characters += charactersOf(location.record.feature);
    if (group.length < size() && characters < PART_CHARACTERS) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}

/** Characters of a number as JSON, about: a longitude of seven decimals and a comma. */
const NUMBER_CHARACTERS = 12;

/** About how long a value is as JSON: its text is made once, when everything about the location is known. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return NUMBER_CHARACTERS;
  let sum = 2;
  if (Array.isArray(value)) for (const entry of value) sum += charactersOf(entry);
  else for (const [name, entry] of Object.entries(value)) sum += name.length + 3 + charactersOf(entry);
  return sum;
}

/** A group with its statistics as a part to keep; `statistics` has one entry a location, or none at all. */
export async function makePart(
  seq: number,
  locations: readonly EvaluatedLocation[],
  statistics: readonly (PlotStatistics | null)[],
): Promise<{ readonly part: Checkpoint; readonly bytes: Uint8Array }> {
  const summary = createBatchSummary();
  const lines = locations.map(({ record, reasons }, i) => {
    const whole: PlotRecord = { ...record, statistics: statistics[i] ?? null };
    summary.add(whole, reasons);
    return JSON.stringify(whole);
  });
  const first = locations[0]!.record.number;
  return {
    part: { seq, first, count: lines.length, summary: summary.result() },
    bytes: await packRecords(lines),
  };
}

/** The records of parts that are kept, in order, read one part at a time. */
export async function* storedRecords(kept: Pick<Checkpoints, 'read'>, parts: number): AsyncGenerator<PlotRecord, void> {
  for (let seq = 0; seq < parts; seq++) yield* await unpackRecords(await kept.read(seq));
}
