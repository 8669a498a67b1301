import { createHash } from 'node:crypto';
import type { Collection, CollectionReader } from '../collections/collection.ts';
import type { ExportSource } from '../collections/due-diligence/export-types.ts';
import type { MonitoringPeriod } from '../collections/statistics/monitoring-period.ts';
import type { NewTask, Task, Tasks } from '../tasks/task.ts';
import { BATCH_TASK } from './collection-task.ts';
import { reportPeriod, type DueDiligence } from './due-diligence.ts';
import { EXPORT_TASK, exportedCollection, exportInput, type ExportTaskParams } from './export-task.ts';

/** Locations of an export that is made while its client waits; a larger one becomes a task. */
export const EXPORT_LOCATIONS_AT_ONCE = 500;

export interface ExportDeps {
  readonly collections: CollectionReader;
  readonly tasks: Tasks;
  readonly dueDiligence: DueDiligence;
}

/** A ZIP archive, or the task that makes it. */
export type ExportAnswer =
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly task: null }
  | { readonly bytes: null; readonly task: Task };

/**
 * The due diligence export of completed collections over a period: the report of their batch where it is the same, written
 * at once where they are small, else by a task. The same request finds the task of the one before, and its archive when
 * it is done.
 */
export async function exportCollections(
  deps: ExportDeps,
  collections: readonly Collection[],
  period: MonitoringPeriod,
  signal: AbortSignal,
): Promise<ExportAnswer> {
  if (countLocations(collections) <= EXPORT_LOCATIONS_AT_ONCE)
    return { bytes: await writeCollections(deps, collections, period, signal), task: null };
  const report = await batchReport(deps.tasks, collections, period);
  if (report !== null) return { bytes: report, task: null };
  const sources = sourcesOf(deps, collections);
  const task = await findOrSubmit(deps.tasks, collections, sources, period);
  const bytes = task.status === 'completed' ? await deps.tasks.results(task.userId, task.id) : null;
  return bytes === null ? { bytes: null, task } : { bytes, task: null };
}

/** The same at once, however large. */
export async function writeCollections(
  deps: ExportDeps,
  collections: readonly Collection[],
  period: MonitoringPeriod,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const report = await batchReport(deps.tasks, collections, period);
  return report ?? deps.dueDiligence.write(sourcesOf(deps, collections), { period }, completedAt(collections), signal);
}

function sourcesOf(deps: ExportDeps, collections: readonly Collection[]): readonly ExportSource[] {
  return collections.map((collection) => ({ collection, records: () => deps.collections.records(collection) }));
}

/** Everything that decides the bytes of an export, but the service that writes it. */
export function exportKey(collections: readonly Collection[], { start, end }: MonitoringPeriod): string {
  return JSON.stringify([collections.map(({ id, completedAt: at }) => [id, at?.toISOString() ?? null]), start, end]);
}

/** The archive that the batch of the collection wrote, where it covers the same period and is still there. */
async function batchReport(
  tasks: Tasks,
  [collection, ...others]: readonly Collection[],
  period: MonitoringPeriod,
): Promise<AsyncIterable<Uint8Array> | null> {
  if (collection === undefined || others.length > 0 || collection.taskId === null) return null;
  const own = reportPeriod(collection);
  if (own.start !== period.start || own.end !== period.end) return null;
  const task = await tasks.get(collection.userId, collection.taskId);
  if (task?.kind !== BATCH_TASK || task.resultType !== 'application/zip') return null;
  return tasks.results(task.userId, task.id);
}

/** A task that failed or was cancelled is not found again: the next request begins another one. */
const MAX_RETRIES = 20;

async function findOrSubmit(
  tasks: Tasks,
  collections: readonly Collection[],
  sources: readonly ExportSource[],
  period: MonitoringPeriod,
): Promise<Task> {
  const request = exportKey(collections, period);
  const params: ExportTaskParams = {
    collections: collections.map(exportedCollection),
    period,
    at: completedAt(collections).toISOString(),
    locations: countLocations(collections),
  };
  const fingerprint = createHash('sha256').update(request).digest();
  // Clients cannot send this first character, so that their keys are others.
  let key = `§ ${fingerprint.toString('hex')}`;
  for (let tries = 0; ; tries++) {
    const submitted: NewTask = {
      kind: EXPORT_TASK,
      userId: collections[0]!.userId,
      params,
      input: { [Symbol.asyncIterator]: () => exportInput(sources)[Symbol.asyncIterator]() },
      idempotency: { key, fingerprint },
    };
    const task = await tasks.submit(submitted);
    if (tries === MAX_RETRIES || (task.status !== 'failed' && task.status !== 'cancelled')) return task;
    key = `§ ${fingerprint.toString('hex')} ${task.id}`;
  }
}

function countLocations(collections: readonly Collection[]): number {
  return collections.reduce((sum, { counts }) => sum + (counts?.locations ?? 0), 0);
}

/** When the last of them was completed. */
function completedAt(collections: readonly Collection[]): Date {
  return new Date(Math.max(...collections.map(({ completedAt: at, createdAt }) => (at ?? createdAt).getTime())));
}
