import { setImmediate } from 'node:timers/promises';
import { featureFrame, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { locationColumns } from '../../locations/normalized.ts';
import type { LocationDataset } from '../../locations/sources.ts';
import type { GridPart } from '../../locations/source-table.ts';
import { createLocationSummary, type LocationSummary } from '../../locations/summarise-locations.ts';
import type { PreparedTable } from '../../locations/prepare-tables.ts';
import type { LendHelpers, LentHelpers, RatingHelper } from '../facilities/rating-helper.ts';
import { lanesOf, workInOrder } from '../files/work-in-order.ts';
import { createSourceMemory, createSources, type OpenedLocations, type SourceData } from './locations.ts';
import { normalizePart, type NormalizedPart, type NormalizeJob } from './normalize-part.ts';

/** Parts that are cut and not written. Their locations take twenty times the room of their rows. */
const MOST_PARTS = 12;
/** Characters of a part that a helper is given at most; a longer one has few rows and large ones. */
const PART_CHARACTERS = 65_536;

interface NormalizeInParts {
  readonly opened: OpenedLocations;
  /** The table of `opened` whose rows can be read in parts. */
  readonly table: PreparedTable;
  readonly data: SourceData;
  readonly format: FeatureFormat;
  readonly helpers: readonly Pick<RatingHelper, 'normalize'>[];
  readonly signal: AbortSignal;
  /** Hears how many locations are written by then. */
  readonly onRows?: (done: number) => void;
}

/** The table whose rows threads can read, which are all rows of the file; null where they are read one by one. */
export function tableInParts({ prepared }: OpenedLocations, { geocoders }: SourceData): PreparedTable | null {
  const [table, ...others] = prepared.tables;
  // Services on the network are queried in the order of the rows, by one thread, which keeps to their rates.
  const isPlain = table !== undefined && others.length === 0 && table.skipped === null && geocoders.length === 0;
  return isPlain && table.parts !== null ? table : null;
}

/** As many rows are as much work as one facility, nearly. */
const ROWS_OF_FEATURE = 10;

/** Helpers for the rows of a table, which are only read and looked up. */
export function helpersForRows(lend: LendHelpers, rows: number): LentHelpers {
  return lend(Math.floor(rows / ROWS_OF_FEATURE), false);
}

/**
 * The answer to a file that was inspected, in pieces, which `helpers` make together with this thread: the same bytes as if one had
 * normalised row by row. Parts are cut no faster than answers are taken. What a helper was given when it ended is done here.
 */
export async function* normalizeInParts(work: NormalizeInParts): AsyncGenerator<Uint8Array, LocationSummary> {
  const { opened, table, data, format, helpers, signal, onRows } = work;
  const { plan, name, parts } = table;
  if (parts === null) throw new TypeError('the rows of the table cannot be read in parts');
  const job: NormalizeJob = { reading: { header: parts.header, plan, name, options: opened.options }, format };
  const memory = createSourceMemory();
  const here = async (part: GridPart): Promise<NormalizedPart> => {
    const done = await normalizePart(part, job, createSources(data, memory), signal);
    // Timers, messages and sockets have their turn after each part.
    await setImmediate();
    return done;
  };
  const datasets = new Map<string, LocationDataset>();
  const summary = createLocationSummary(opened.file, opened.prepared.tables, {
    datasets: () => [...datasets.values()],
  });
  const frame = featureFrame(format, locationColumns);
  let total = 0;
  const normalized = workInOrder({
    parts: parts.cut(),
    lanes: lanesOf(helpers, here, (helper, part) => helper.normalize(part, job), signal),
    most: MOST_PARTS,
    isLarge: (part) => part.text.length > PART_CHARACTERS,
    signal,
  });
  for await (const { text, tally, datasets: used } of normalized) {
    for (const dataset of used) if (!datasets.has(dataset.id)) datasets.set(dataset.id, dataset);
    summary.merge(tally, table);
    if (tally.total === 0) continue;
    const lead = total === 0 ? frame.head : frame.between;
    if (lead !== '') yield Buffer.from(lead);
    yield text;
    total += tally.total;
    onRows?.(total);
  }
  const last = `${total === 0 ? frame.head : ''}${frame.end(total === 0, summary.result)}`;
  if (last !== '') yield Buffer.from(last);
  return summary.result();
}
