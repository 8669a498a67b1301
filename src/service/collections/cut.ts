import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TableMapping } from '../../collections/table-mapping.ts';
import { Problem } from '../../errors.ts';
import type { TaskCut, TaskPart } from '../../jobs/checkpoints.ts';
import type { TaskContext } from '../../jobs/task.ts';
import type { BatchPlot } from '../../locations/plots/batch-index.ts';
import { createComparedPlots, type ForeignPlot } from '../../locations/plots/compared-plots.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import { mappingOfFile } from '../../locations/summarise-locations.ts';
import { noLocations, type LocationService, type OpenedLocations } from '../locations/locations.ts';
import { spoolInput } from '../locations/spool-input.ts';
import { watchCrashes } from '../locations/watch-crashes.ts';
import type { CollectionTaskParams } from './collection-task.ts';
import { compareRow } from './locations.ts';
import { packBatch, packRows, packSurroundings, PART_CHARACTERS, partLocations, unpackRows } from './parts.ts';

/** What the run that cuts a batch says to the one that joins its parts. */
export interface BatchCut {
  readonly parts: number;
  /** How the columns of the file were read. */
  readonly mapping: readonly TableMapping[];
}

interface CutOptions {
  /** Whether locations are validated: they are then compared with those after them as well. */
  readonly isValidated: boolean;
  /** What the batch is at while its parts are worked on. */
  readonly phase: string;
}

/**
 * Goes through the file of a collection once and cuts it into parts by rows and characters, each with its normalised rows, which
 * others may prepare meanwhile. When all are known, each part gets what it has to know of the others: the plots around its own,
 * ids that are used before, facilities. Until then the progress is the number of locations read.
 */
export async function cutBatch(
  { reading }: CollectionTaskParams,
  locations: LocationService,
  { input, signal, progress, kept }: TaskContext,
  { isValidated, phase }: CutOptions,
): Promise<TaskCut> {
  progress(0, null, 'reading');
  const before = await kept.staged();
  const watch = watchCrashes(kept, await kept.crashes(), 0);
  await using spooled = await spoolInput(input, signal);
  await using opened = await locations.open(spooled.path, reading.locations, watch);
  await using outlines = await openOutlines(join(dirname(spooled.path), 'outlines'));
  // A language model may find other places in the same prose: they are read and staged again.
  const isProse = opened.file.format === 'text' || opened.file.format === 'pdf';
  const parts: TaskPart[] = isProse ? [] : [...before];
  const overlay = await openOverlay();
  const compared = createComparedPlots();
  const index = {
    ...compared,
    addPlot(plot: BatchPlot): void {
      if (compared.addPlot(plot)) outlines.add(plot);
    },
  };
  let number = 0;
  for (const { seq } of parts)
    for (const row of await unpackRows(await kept.readStaged(seq))) {
      compareRow(index, number++, row, isValidated, overlay);
      await outlines.written();
    }
  let lines: string[] = [];
  let characters = 0;
  /** One part is being stored while the rows of the next are read; parts are stored in their order. */
  let staging: Promise<unknown> = Promise.resolve();
  const stage = async (): Promise<void> => {
    await staging;
    const [part, rows] = [{ seq: parts.length, first: number - lines.length, count: lines.length }, lines];
    parts.push(part);
    lines = [];
    characters = 0;
    staging = packRows(rows).then((input) => kept.stage(part, input, !isProse));
    staging.catch(() => {});
  };
  for await (const { table: _, ...row } of opened.prepared.rows(signal, number)) {
    if (row.aside === null) watch.beginLocation('comparing', number);
    compareRow(index, number++, row, isValidated, overlay);
    watch.begin(null);
    await outlines.written();
    const line = JSON.stringify(row);
    characters += line.length;
    lines.push(line);
    progress(number, null, 'reading');
    if (lines.length === partLocations(number - lines.length) || characters >= PART_CHARACTERS) await stage();
  }
  if (lines.length > 0) await stage();
  await staging;
  refuseUnread(opened, number);
  watch.endOneByOne();
  await kept.share(await packBatch(compared.batch()));
  for (const part of parts) {
    const rest = compared.surroundings(part);
    const around = compared.around(part, !isValidated);
    const isAlone = around.length + rest.sameIds.length + rest.notCompared.length === 0;
    // What an earlier run added to a part is replaced, also by nothing.
    if (isAlone && before.length === 0) continue;
    await kept.complement(part.seq, await packSurroundings(rest, await outlines.read(around)));
  }
  const cut: BatchCut = { parts: parts.length, mapping: mappingOfFile(opened.file, opened.prepared.tables) };
  return { parts: parts.length, total: number, phase, cut };
}

/** Fails where nothing was read but what stands for rows that crash their reader, or nothing at all. */
function refuseUnread({ prepared }: OpenedLocations, total: number): void {
  const unread = prepared.tables.map((table) => table.unread()).filter((rest) => rest !== null);
  if (total > unread.length) return;
  const [first] = unread;
  if (first === undefined) throw noLocations();
  const detail = `Reading the file ended its worker process ${first.crashes} times before its first location was read.`;
  throw new Problem('task_failed', detail);
}

/** The outlines of plots as texts on disk, by their number: parts next to each other want them again. */
interface Outlines extends AsyncDisposable {
  add(plot: BatchPlot): void;
  /** Resolves when there is room for more. */
  written(): Promise<void> | undefined;
  /** Texts of {@link ForeignPlot}, in the order of the numbers. */
  read(numbers: readonly number[]): Promise<readonly string[]>;
}

/** Bytes that are gathered before they go to disk. */
const GATHERED = 1_048_576;
/** Bytes between two outlines that are read and thrown away, rather than read for each on its own. */
const MOST_BETWEEN = 16_384;

async function openOutlines(path: string): Promise<Outlines> {
  const file = await open(path, 'wx+', 0o600);
  /** Where the text of each number begins and how long it is, two numbers each; a length of 0: it has none. */
  let places = new Float64Array(2_048);
  let waiting: Buffer[] = [];
  let gathered = 0;
  let end = 0;
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    gathered = 0;
    await file.appendFile(bytes);
  };
  return {
    add({ index, row, geometry, statedHa }) {
      const text = Buffer.from(JSON.stringify({ index, row, geometry, statedHa } satisfies ForeignPlot));
      if (places.length < 2 * (index + 1)) {
        const larger = new Float64Array(Math.max(2 * (index + 1), 2 * places.length));
        larger.set(places);
        places = larger;
      }
      places.set([end, text.length], 2 * index);
      end += text.length;
      gathered += text.length;
      waiting.push(text);
    },
    written: () => (gathered < GATHERED ? undefined : flush()),
    async read(numbers) {
      if (gathered > 0) await flush();
      const texts: string[] = [];
      for (let i = 0; i < numbers.length;) {
        // Those near each other in the file are read together.
        const start = places[2 * numbers[i]];
        let [next, stop] = [i, start];
        for (; next < numbers.length; next++) {
          const [from, length] = [places[2 * numbers[next]], places[2 * numbers[next] + 1]];
          if (next > i && (from - stop > MOST_BETWEEN || from + length - start > GATHERED)) break;
          stop = from + length;
        }
        const bytes = Buffer.allocUnsafe(stop - start);
        await file.read(bytes, 0, bytes.length, start);
        for (; i < next; i++) {
          const from = places[2 * numbers[i]] - start;
          texts.push(bytes.toString('utf8', from, from + places[2 * numbers[i] + 1]));
        }
      }
      return texts;
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
