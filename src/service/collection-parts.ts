import { createBatchSummary } from '../collections/batch-summary.ts';
import type { PlotRecord, PlotStatistics } from '../collections/plot-record.ts';
import { packRecords, unpackRecords } from '../store/collections/pack-records.ts';
import type { KeptPart, KeptParts } from '../tasks/kept-parts.ts';
import type { JudgedLocation } from './collection-locations.ts';

/** Locations of one part: few where they take long, so that little is done again after a death; more compress better. */
export const PART_LOCATIONS = { first: 50, least: 25, most: 500 } as const;
/** Milliseconds a part should take. */
const PART_MS = { least: 2_000, most: 10_000 } as const;
/** Characters of JSON after which a part is full whatever it holds. */
export const PART_CHARACTERS = 2_000_000;

/** Locations of one part with the text of their features, which is made once. */
export interface LocationGroup {
  readonly locations: readonly JudgedLocation[];
  readonly texts: readonly string[];
}

/** How large the next part should be, told how long those before it took. */
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
  locations: AsyncIterable<JudgedLocation>,
  size: () => number,
): AsyncGenerator<LocationGroup, void> {
  let group: { locations: JudgedLocation[]; texts: string[] } = { locations: [], texts: [] };
  let characters = 0;
  for await (const location of locations) {
    const text = JSON.stringify(location.record.feature);
    group.locations.push(location);
    group.texts.push(text);
    characters += text.length;
    if (group.locations.length < size() && characters < PART_CHARACTERS) continue;
    yield group;
    group = { locations: [], texts: [] };
    characters = 0;
  }
  if (group.locations.length > 0) yield group;
}

/** A group with its statistics as a part to keep; `statistics` has one entry a location. */
export async function makePart(
  seq: number,
  { locations, texts }: LocationGroup,
  statistics: readonly (PlotStatistics | null)[],
): Promise<{ readonly part: KeptPart; readonly bytes: Uint8Array }> {
  const summary = createBatchSummary();
  const lines = locations.map(({ record, reasons }, i) => {
    const whole: PlotRecord = { ...record, statistics: statistics[i] ?? null };
    summary.add(whole, reasons);
    const { feature: _, ...rest } = whole;
    return `{"feature":${texts[i]},${JSON.stringify(rest).slice(1)}`;
  });
  const first = locations[0]!.record.number;
  return {
    part: { seq, first, count: lines.length, summary: summary.result() },
    bytes: await packRecords(lines),
  };
}

/** The records of parts that are kept, in order, read one part at a time. */
export async function* keptRecords(kept: Pick<KeptParts, 'read'>, parts: number): AsyncGenerator<PlotRecord, void> {
  for (let seq = 0; seq < parts; seq++) yield* await unpackRecords(await kept.read(seq));
}
