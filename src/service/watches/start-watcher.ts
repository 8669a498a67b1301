import { createHash } from 'node:crypto';
import { startClaimLoop, type ClaimLoop } from '../../claim-loop.ts';
import type { Collection } from '../../collections/collection.ts';
import { compareFindings, type WatchReport } from '../../collections/watch/compare-findings.ts';
import { plotFinding, type PresentFinding } from '../../collections/watch/plot-finding.ts';
import type { CollectionStore } from '../../db/collections/create-collections.ts';
import { addressOfUser, queueEmail } from '../../db/email/queue-email.ts';
import type { DueWatch, OpenRun, RunEnd, WatchStore } from '../../db/watches/create-watches.ts';
import { mailWords } from '../../email/mail-words.ts';
import { prepareEmail } from '../../email/prepare-email.ts';
import { watchEmail } from '../../email/watch-email.ts';
import { Problem } from '../../errors.ts';
import type { Task, Tasks } from '../../jobs/task.ts';
import type { Log } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { collectionChangedData } from '../../webhooks/webhook-event.ts';
import { BATCH_TASK, collectionTaskParams, type CollectionReading } from '../collections/collection-task.ts';
import type { RecordCompletion } from '../webhooks/completion.ts';
import { measuredVersions, versionChanges } from './dataset-versions.ts';

interface WatcherParts {
  readonly store: WatchStore;
  readonly collections: Pick<CollectionStore, 'get' | 'source' | 'records'>;
  readonly tasks: Pick<Tasks, 'submit' | 'get'>;
  readonly data: { readonly catalogue: readonly Dataset[]; refresh(): Promise<void> };
  readonly recordCompletion: RecordCompletion;
  /** Where clients reach the service. */
  readonly address: () => string;
  readonly log: Log;
  /** Milliseconds between two looks at the data. */
  readonly everyMs: number;
}

export interface Watcher extends Pick<ClaimLoop, 'stop'> {
  /** A collection was just watched: look at once. */
  look(): void;
}

/** Milliseconds between two looks at the batches of runs. */
const POLL_MS = 2_000;
/** Runs that are compared at the same time. */
const AT_ONCE = 1;
/** Seconds until what could not be measured is tried again. */
export const AGAIN_S = 6 * 3_600;

/** What a finished batch comes to, before it is recorded. */
interface Finished {
  readonly end: RunEnd;
  readonly collection: Collection;
}

/**
 * Measures watched collections again when the data they are measured on has changed, and reports what is found otherwise.
 * Any number of processes may do so on one database: a run is begun by one of them, and ended in the transaction that records
 * its event and its email.
 */
export function startWatcher(parts: WatcherParts): Watcher {
  const { store, tasks, log } = parts;
  const comparing = new Set<string>();
  const loop = startClaimLoop<OpenRun, Finished>({
    claim: async (count) => {
      const ready: OpenRun[] = [];
      for (const run of await store.open()) {
        if (ready.length === count || comparing.has(run.id)) continue;
        const task = run.taskId === null ? await submitBatch(parts, run) : await tasks.get(run.userId, run.taskId);
        // A batch that runs, or could not be submitted yet.
        if (task === 'later' || task?.status === 'processing') continue;
        comparing.add(run.id);
        ready.push({ ...run, taskId: task?.id ?? null });
      }
      return ready;
    },
    async work(run, signal) {
      try {
        return await finish(parts, run, signal);
      } catch (error) {
        comparing.delete(run.id);
        if (!signal.aborted)
          log.warn({ err: error, collection: run.collectionId }, 'a run of a watch could not be compared');
        return null;
      }
    },
    async record(run, finished) {
      await record(parts, run, finished);
      comparing.delete(run.id);
    },
    renew: () => Promise.resolve(),
    giveBack: async ({ id }) => comparing.delete(id),
    chores: [{ everyMs: parts.everyMs, first: true, work: () => beginRuns(parts) }],
    renewMs: 60_000,
    pollMs: POLL_MS,
    atOnce: AT_ONCE,
    unreachable: 'the database cannot be reached: watched collections wait',
    log,
  });
  let looking: Promise<void> = Promise.resolve();
  return {
    async stop(drainMs) {
      await loop.stop(drainMs);
      // The database is closed next.
      await looking;
    },
    look() {
      looking = looking
        .then(() => beginRuns(parts))
        .then(loop.wake, (error: unknown) => log.warn({ err: error }, 'cannot look whether data changed'));
    },
  };
}

/** Looks whether the data changed, and begins a run of every collection that was measured on other data. */
export async function beginRuns({ store, data, log }: Pick<WatcherParts, 'store' | 'data' | 'log'>): Promise<void> {
  const due = await store.due();
  if (due.length > 0) {
    await data.refresh();
    const versions = measuredVersions(data.catalogue);
    for (const watch of due) {
      const changes = changesSince(watch, versions);
      if (changes === null || !(await store.begin(watch, versions, changes))) continue;
      log.info({ collection: watch.collectionId, datasets: changes.length }, 'a watched collection is measured again');
    }
  }
  await store.checked();
}

/** Null: nothing changed, and nothing has to be tried again. */
function changesSince({ datasets, isAgain }: DueWatch, versions: Readonly<Record<string, string>>) {
  // What the collection was measured on before it was watched is not known.
  if (datasets === null) return [];
  const changes = versionChanges(datasets, versions);
  return changes.length > 0 || isAgain ? changes : null;
}

/** Null: the collection is gone or cannot be read any more. */
async function submitBatch({ store, collections, tasks }: WatcherParts, run: OpenRun): Promise<Task | null | 'later'> {
  const collection = await collections.get(run.userId, run.collectionId);
  const source = await collections.source(run.userId, run.collectionId);
  if (collection?.options == null || source === null) return null;
  const params = collectionTaskParams(collection, {
    reading: source.reading as CollectionReading,
    email: null,
    options: { ...collection.options, eudrDds: false },
    watchRun: run.id,
  });
  try {
    const task = await tasks.submit({
      kind: BATCH_TASK,
      userId: run.userId,
      params,
      input: { blobId: source.blobId },
      // A process that crashed after it had submitted the batch finds it again. Clients cannot send this first character.
      idempotency: { key: `§ watch ${run.id}`, fingerprint: createHash('sha256').update(run.id).digest() },
    });
    await store.submitted(run, task.id);
    return task;
  } catch (error) {
    if (error instanceof Problem && LATER.includes(error.code)) return 'later';
    throw error;
  }
}

/** Reasons for which a batch waits until its user or the service has less to do. */
const LATER: readonly string[] = ['collection_busy', 'quota_exceeded', 'queue_full'];

async function finish(
  { store, collections, tasks }: WatcherParts,
  run: OpenRun,
  signal: AbortSignal,
): Promise<Finished | null> {
  const collection = await collections.get(run.userId, run.collectionId);
  if (collection === null) return null;
  const task = run.taskId === null ? null : await tasks.get(run.userId, run.taskId);
  const fails = (reason: string): Finished => ({
    collection,
    end: { state: 'failed', report: null, reason, known: null, againS: AGAIN_S },
  });
  if (task?.status === 'failed') return fails(task.error?.detail ?? 'The batch failed.');
  if (task?.status !== 'completed') return fails('The batch was cancelled or is no longer kept.');
  const present: PresentFinding[] = [];
  for await (const recorded of collections.records(collection)) {
    signal.throwIfAborted();
    const finding = plotFinding(recorded, collection);
    if (finding !== null) present.push(finding);
  }
  const { report, known } = compareFindings(await store.known(run.collectionId), present);
  return { collection, end: { ...endOf(report), report, reason: null, known } };
}

function endOf({ counts }: WatchReport): Pick<RunEnd, 'state' | 'againS'> {
  const againS = counts.not_measured > 0 ? AGAIN_S : null;
  if (counts.changed + counts.only_after_not_cleared > 0) return { state: 'changed', againS };
  return { state: counts.not_measured > 0 ? 'not_measured' : 'unchanged', againS };
}

async function record(
  { store, recordCompletion, address }: WatcherParts,
  run: OpenRun,
  finished: Finished,
): Promise<void> {
  const { end, collection } = finished;
  const { state, report, reason } = end;
  await store.end(run, end, async (trx) => {
    if (state === 'unchanged' || !isNews(run, end)) return;
    const outcome = {
      run: run.number,
      outcome: state,
      reason,
      datasets: run.datasets,
      counts: report?.counts ?? null,
      changes: report?.changes ?? [],
      unmeasured: report?.unmeasured ?? [],
      newPlots: report?.newPlots ?? [],
    };
    const about = { collectionId: collection.id, collectionName: collection.name };
    await recordCompletion(trx, {
      userId: run.userId,
      type: 'collection_changed',
      data: collectionChangedData(about, outcome, address()),
      uniqueKey: `watch ${run.id}`,
    });
    const to = run.email ?? (await addressOfUser(trx, run.userId));
    if (to === null) return;
    const content = watchEmail({ ...about, ...outcome, serviceUrl: address() }, await mailWords(run.language));
    await queueEmail(trx, prepareEmail({ key: `watch/${run.id}`, userId: run.userId, to, content }));
  });
}

/** What could not be measured is reported once, until it could be measured again. */
function isNews({ stateBefore }: OpenRun, { state, report }: RunEnd): boolean {
  if (state === 'changed') return true;
  return state === 'failed' ? stateBefore !== 'failed' : (report?.counts.newly_not_measured ?? 0) > 0;
}
