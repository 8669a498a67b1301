import type { FilingScope } from '../../collections/due-diligence/exclude.ts';
import { createHash } from 'node:crypto';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import { isPlain } from '../../collections/due-diligence/filing-choices.ts';
import type { ExportSource } from '../../collections/due-diligence/export-types.ts';
import type { NewTask, Task, Tasks } from '../../jobs/task.ts';
import { lawSince } from '../../law/annex.ts';
import { BATCH_TASK } from './collection-task.ts';
import { reportPeriod, type DueDiligence } from './due-diligence.ts';
import { EXPORT_TASK, exportedCollection, exportInput, type ExportTaskParams } from './export-task.ts';

/** Locations of an export that is made while its client waits; a larger one becomes a task. */
export const EXPORT_LOCATIONS_AT_ONCE = 500;
/** The same where parcels are looked up for them, perhaps at a service on the network. */
export const EXPORT_PARCELS_AT_ONCE = 50;

export interface ExportDeps {
  readonly collections: CollectionReader;
  readonly tasks: Tasks;
  readonly dueDiligence: DueDiligence;
}

/** A ZIP archive, or the task that makes it; neither where a task would have to begin and must not. */
type ExportAnswer =
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly task: null }
  | { readonly bytes: null; readonly task: Task | null };

/**
 * The due diligence export of completed collections over a period, without the plots that are excluded: the report of their batch where it is the same, written
 * at once where they are small, else by a task. The same request finds the task of the one before, and its archive when
 * it is done. With `begin` false none is begun.
 */
export async function exportCollections(
  deps: ExportDeps,
  collections: readonly Collection[],
  period: FilingScope,
  begin: boolean,
  signal: AbortSignal,
): Promise<ExportAnswer> {
  const atOnce = period.filing.places === 'cadastral' ? EXPORT_PARCELS_AT_ONCE : EXPORT_LOCATIONS_AT_ONCE;
  if (countLocations(collections) <= atOnce)
    return { bytes: await writeCollections(deps, collections, period, signal), task: null };
  const report = await batchReport(deps.tasks, collections, period);
  if (report !== null) return { bytes: report, task: null };
  const task = await exportTask(collections, period, (wanted) =>
    begin ? submitExport(deps, collections, period, wanted) : deps.tasks.earlier(collections[0]!.userId, wanted),
  );
  const bytes = task?.status === 'completed' ? await deps.tasks.results(task.userId, task.id) : null;
  return bytes === null ? { bytes: null, task } : { bytes, task: null };
}

/** The same at once, however large. */
export async function writeCollections(
  deps: ExportDeps,
  collections: readonly Collection[],
  period: FilingScope,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const report = await batchReport(deps.tasks, collections, period);
  return report ?? deps.dueDiligence.write(sourcesOf(deps, collections), { period }, completedAt(collections), signal);
}

function sourcesOf(deps: ExportDeps, collections: readonly Collection[]): readonly ExportSource[] {
  return collections.map((collection) => ({ collection, records: () => deps.collections.records(collection) }));
}

/**
 * Everything that decides the bytes of an export, but the service that writes it. A day that nobody gave decides them only
 * by the law it falls in, so that the same request finds its archive on the next day too; parcels are those of the day.
 */
export function exportKey(
  collections: readonly Collection[],
  { start, end, exclude = [], filing }: FilingScope,
): string {
  const done = collections.map(({ id, completedAt: at, reviews }) => [
    id,
    at?.toISOString() ?? null,
    ...(reviews === 0 ? [] : [reviews]),
  ]);
  const law = filing.isDayGiven ? filing.day : lawSince(filing.day);
  const parcels = filing.places === 'cadastral' ? filing.day : null;
  return JSON.stringify([done, start, end, exclude, { ...filing, day: law }, parcels]);
}

/** The archive that the batch of the collection wrote, where it covers the same period and is still there. */
async function batchReport(
  tasks: Tasks,
  [collection, ...others]: readonly Collection[],
  period: FilingScope,
): Promise<AsyncIterable<Uint8Array> | null> {
  if (collection === undefined || others.length > 0 || collection.taskId === null) return null;
  // It was written before anybody reviewed anything.
  if (collection.reviews > 0) return null;
  const own = reportPeriod(collection);
  if (own.start !== period.start || own.end !== period.end || (period.exclude ?? []).length > 0) return null;
  if (!isPlain(period.filing) || lawSince(own.filing.day) !== lawSince(period.filing.day)) return null;
  const task = await tasks.get(collection.userId, collection.taskId);
  if (task?.kind !== BATCH_TASK || task.resultType !== 'application/zip') return null;
  return tasks.results(task.userId, task.id);
}

/** A task that failed or was cancelled is passed over: the next request begins another one. */
const MAX_RETRIES = 20;

type Idempotency = NonNullable<NewTask['idempotency']>;

/** The last task of an export, which `find` finds, or begins, by its key. */
async function exportTask(
  collections: readonly Collection[],
  period: FilingScope,
  find: (idempotency: Idempotency) => Promise<Task | null>,
): Promise<Task | null> {
  const fingerprint = createHash('sha256').update(exportKey(collections, period)).digest();
  // Clients cannot send this first character, so that their keys are others.
  const own = `§ ${fingerprint.toString('hex')}`;
  let key = own;
  for (let tries = 0; ; tries++) {
    const task = await find({ key, fingerprint });
    if (task === null || tries === MAX_RETRIES || (task.status !== 'failed' && task.status !== 'cancelled'))
      return task;
    key = `${own} ${task.id}`;
  }
}

function submitExport(
  deps: ExportDeps,
  collections: readonly Collection[],
  period: FilingScope,
  idempotency: Idempotency,
): Promise<Task> {
  const params: ExportTaskParams = {
    collections: collections.map(exportedCollection),
    period,
    at: completedAt(collections).toISOString(),
    locations: countLocations(collections),
  };
  return deps.tasks.submit({
    kind: EXPORT_TASK,
    userId: collections[0]!.userId,
    params,
    // Read only for a task that is new.
    input: { [Symbol.asyncIterator]: () => exportInput(sourcesOf(deps, collections))[Symbol.asyncIterator]() },
    idempotency,
  });
}

function countLocations(collections: readonly Collection[]): number {
  return collections.reduce((sum, { counts }) => sum + (counts?.locations ?? 0), 0);
}

/** When the last of them was completed. */
function completedAt(collections: readonly Collection[]): Date {
  return new Date(Math.max(...collections.map(({ completedAt: at, createdAt }) => (at ?? createdAt).getTime())));
}
