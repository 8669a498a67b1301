import { createBatchSummary } from '../../collections/batch-summary.ts';
import type { PlotRecord, PlotStatistics } from '../../collections/plot-record.ts';
import { recordText } from '../../collections/record-text.ts';
import { packRecords, unpackLines, unpackRecords } from '../../db/collections/pack-records.ts';
import type { Checkpoints, PartResult, TaskPart } from '../../jobs/checkpoints.ts';
import type { StagedRow } from '../../locations/normalize-file.ts';
import { PLOT_RULES } from '../../locations/plots/plot-options.ts';
import type { BatchSurroundings, ForeignPlot, PartSurroundings } from '../../locations/plots/compared-plots.ts';
import type { GroupRecord } from './group-plots.ts';
import type { EvaluatedLocation, LookedUpLocation } from './locations.ts';

/** Locations of one part: few enough to take seconds where each takes long, and for all workers to have some of a small batch. */
export const PART_LOCATIONS = 200;
/** Of one after the first {@link MANY_LOCATIONS} of a batch, which has parts for everybody: what is done once a part costs less so. */
export const LATER_PART_LOCATIONS = 500;
const MANY_LOCATIONS = 20_000;
/** Characters of JSON after which a part is full whatever it holds. */
export const PART_CHARACTERS = 2_000_000;

/** Locations of the part that begins with the location `first` of its batch. */
export function partLocations(first: number): number {
  return first < MANY_LOCATIONS ? PART_LOCATIONS : LATER_PART_LOCATIONS;
}

/** Rows of a part as it is staged, a JSON text each. */
export const packRows = packRecords;

export async function unpackRows(bytes: Uint8Array): Promise<readonly StagedRow[]> {
  return (await unpackLines(bytes)) as readonly StagedRow[];
}

/** What a part has to know of the rest of its batch. `plots` are texts of {@link ForeignPlot}. */
export function packSurroundings(rest: Omit<PartSurroundings, 'plots'>, plots: readonly string[]): Promise<Uint8Array> {
  return packRecords([JSON.stringify(rest), ...plots]);
}

export function packBatch(batch: BatchSurroundings): Promise<Uint8Array> {
  return packRecords([JSON.stringify(batch)]);
}

/** A batch that was cut before an update says where comparing ended in its own way, and names no facilities that were left out. */
type StoredBatch = Pick<BatchSurroundings, 'facilities'> &
  Partial<BatchSurroundings> & { readonly notComparedFrom?: number | null };

/** What a part was staged with: its input, chunk by chunk. */
export async function unpackInput(
  input: AsyncIterable<Uint8Array>,
): Promise<{ readonly rows: readonly StagedRow[]; surroundings: PartSurroundings; batch: BatchSurroundings }> {
  const [staged, shared, added] = await Array.fromAsync(input);
  if (staged === undefined || shared === undefined) throw new Error('a part of a batch has no input');
  const [{ notComparedFrom = null, ...known }] = (await unpackLines(shared)) as [StoredBatch];
  const batch = {
    end: notComparedFrom === null ? null : { from: notComparedFrom, plots: PLOT_RULES.comparedPlots },
    hasAllFacilities: true,
    ...known,
  };
  const rows = await unpackRows(staged);
  if (added === undefined) return { rows, surroundings: { plots: [], sameIds: [], notCompared: [] }, batch };
  const [rest, ...plots] = (await unpackLines(added)) as [Omit<PartSurroundings, 'plots'>, ...ForeignPlot[]];
  return { rows, surroundings: { ...rest, plots }, batch };
}

/** The rows that a part was staged with, before all of its batch is known. */
export async function unpackStaged(input: AsyncIterable<Uint8Array>): Promise<readonly StagedRow[]> {
  for await (const staged of input) return unpackRows(staged);
  throw new Error('a part of a batch has no input');
}

/** What is known of a location before it is compared. */
export interface PreparedLocation extends Pick<LookedUpLocation, 'found'> {
  /** Null: not measured. */
  readonly statistics: PlotStatistics | null;
}

/** Of a facility's result the batch keeps its feature alone. */
export function packPrepared(locations: readonly PreparedLocation[]): Promise<Uint8Array> {
  return packRecords(
    locations.map(({ found, statistics }) => {
      if (found?.type !== 'facility') return recordText({ found, statistics });
      const { feature } = found.done;
      return recordText({ found: { type: 'facility', done: { feature, earlier: null } }, statistics });
    }),
  );
}

export async function unpackPrepared(bytes: Uint8Array): Promise<readonly PreparedLocation[]> {
  return (await unpackLines(bytes)) as readonly PreparedLocation[];
}

/** The end of a part; `statistics` has one entry a location, or none at all. `group` says what each counts as. */
export async function makePart(
  locations: readonly EvaluatedLocation[],
  statistics: readonly (PlotStatistics | null)[],
  group: GroupRecord,
): Promise<PartResult> {
  const summary = createBatchSummary();
  const lines = locations.map(({ record, reasons }, i) => {
    const { record: whole, ...counted } = group({ ...record, statistics: statistics[i] ?? null });
    summary.add(whole, counted, reasons);
    return recordText(whole);
  });
  return { summary: summary.result(), bytes: await packRecords(lines) };
}

/**
 * The records of parts that are done, in order, read one part at a time; where `isWanted` is given, of those numbers alone: parts that
 * hold none are not read.
 */
export async function* storedRecords(
  kept: Pick<Checkpoints, 'read'>,
  parts: readonly TaskPart[],
  isWanted: (number: number) => boolean = () => true,
): AsyncGenerator<PlotRecord, void> {
  for (const { seq, first, count } of parts) {
    const isWantedAt = (at: number): boolean => isWanted(first + at);
    let at = 0;
    while (at < count && !isWantedAt(at)) at++;
    if (at < count) yield* await unpackRecords(await kept.read(seq), isWantedAt);
  }
}
