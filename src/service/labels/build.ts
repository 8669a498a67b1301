import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { prepareLabelStore, writeCoverage } from '../../readers/label-store/write-label-store.ts';
import { openTasks } from '../../db/tasks/open-tasks.ts';
import { startTaskRunner, type TaskRunner } from '../../jobs/start-task-runner.ts';
import type { TaskQueue } from '../../jobs/task-queue.ts';
import { openConfiguredStore } from '../open-configured-store.ts';
import { builtCoverage } from './coverage.ts';
import type { PlannedTile, StorePlan } from './plan.ts';
import { createLocalQueue } from './queue.ts';
import type { StoreBucket } from './store-bucket.ts';
import {
  LABEL_TASK,
  type LabelTaskParams,
  labelTaskParams,
  markFolder,
  STORE_DOCUMENT,
  unmarkFolder,
} from './store-task.ts';

export interface StoreBuild {
  readonly config: Config;
  readonly dataset: Dataset;
  readonly folder: string;
  /** Where the store is, when `folder` only holds what this process works on; absent or null: in the folder. */
  readonly bucket?: StoreBucket | null;
  readonly plan: StorePlan;
  readonly force: boolean;
  /** Whether tiles go into the queue of the shared database, where other processes take them too. */
  readonly shared: boolean;
  /** Tiles that this process works on at the same time; 0 leaves all to other workers, which need a shared database. */
  readonly workers: number;
  /** Name and version of the program. */
  readonly createdBy: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Cells labelled of all tiles. */
  onProgress(done: number, total: number): void;
  /** A tile ended; `fault` is null when it was built. */
  onTile(tile: PlannedTile, fault: string | null): void;
}

/** Of whom the tasks are: of no user, so that nobody finds them among their own. */
const OWNER = 'label-store';
/** Tasks in the queue of a shared database at once, so that others have their turn. */
const MOST_QUEUED = 64;
const POLL_MS = 500;

/**
 * Builds the tiles of a plan: each is a task, worked on by this process and, when `shared`, by every other that runs
 * tasks and shares the folder. Resolves when all have ended, one way or the other, or soon after the signal: what is
 * finished stays. Rejects when the store's folder cannot be written.
 */
export async function buildStore(build: StoreBuild): Promise<{ readonly built: number; readonly failed: number }> {
  const { folder, bucket = null, plan, dataset, createdBy, shared, signal } = build;
  // Not by the signal: a document that is half written helps nobody.
  const always = new AbortController().signal;
  const prepare = (): Promise<void> => prepareLabelStore(folder, dataset, plan.entries, createdBy, always);
  const cover = (): Promise<void> => writeCoverage(folder, builtCoverage(folder, plan.entries), createdBy, always);
  await prepare();
  await bucket?.pushArrays();
  await bucket?.pullShards(plan.tiles);
  const token = shared ? await markFolder(folder, `.build-${randomUUID()}`) : STORE_DOCUMENT;
  const { id, version } = dataset;
  const order = { folder, token, dataset: id, version, force: build.force };
  const params = plan.tiles.map((tile) => labelTaskParams(tile, order));
  const tally = createTally(build);
  try {
    if (plan.tiles.length > 0 && !signal.aborted)
      await (shared ? runShared(build, params, tally) : runHere(build, params, tally));
  } finally {
    if (shared) await unmarkFolder(folder, token);
    if (bucket === null) await cover();
    else if (!signal.aborted) await bucket.pushDocument(() => prepare().then(cover));
  }
  return tally.result();
}

type Tally = ReturnType<typeof createTally>;

/** Adds up what tiles report, by their place in the plan. */
function createTally({ plan, onProgress, onTile }: StoreBuild) {
  const total = plan.tiles.reduce((sum, { cells }) => sum + cells, 0);
  const done = plan.tiles.map(() => 0);
  let [built, failed] = [0, 0];
  const allEnded = Promise.withResolvers<void>();
  return {
    progress(index: number, share: number): void {
      done[index] = Math.max(done[index], share * plan.tiles[index].cells);
      onProgress(Math.round(done.reduce((sum, cells) => sum + cells, 0)), total);
    },
    ended(index: number, fault: string | null): void {
      if (fault === null) built++;
      else failed++;
      this.progress(index, 1);
      onTile(plan.tiles[index], fault);
      if (built + failed === plan.tiles.length) allEnded.resolve();
    },
    allEnded: allEnded.promise,
    result: () => ({ built, failed }),
  };
}

async function runHere(build: StoreBuild, params: readonly LabelTaskParams[], tally: Tally): Promise<void> {
  const pushes = new Set<Promise<void>>();
  const push = async (bucket: StoreBucket, index: number): Promise<void> => {
    try {
      await bucket.pushTile(build.plan.tiles[index]);
      tally.ended(index, null);
    } catch (error) {
      if (!build.signal.aborted) tally.ended(index, operatorWords(error));
    }
  };
  const queue = createLocalQueue(LABEL_TASK, params, {
    progress: (index, { done, total }) => tally.progress(index, total ? done / total : 0),
    ended(index, { error }) {
      if (build.bucket == null || error !== null) return tally.ended(index, error?.detail ?? null);
      const pushing = push(build.bucket, index).finally(() => pushes.delete(pushing));
      pushes.add(pushing);
    },
  });
  const runner = startRunner(build, queue, Math.max(1, build.workers));
  await endOf(tally.allEnded, build.signal);
  await runner.stop(0);
  await Promise.all(pushes);
}

/** Of a bucket that fails, the sentence for the operator. */
function operatorWords(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** Keeps the queue of the database filled, and looks how its tasks fare. */
async function runShared(build: StoreBuild, params: readonly LabelTaskParams[], tally: Tally): Promise<void> {
  const { config, log, signal } = build;
  const store = await openConfiguredStore(config, log);
  const { taskMaxQueued: maxQueued, taskRetentionDays: retentionDays } = config;
  const { tasks, queue } = await openTasks(store, { maxQueued, retentionDays });
  const runner = build.workers > 0 ? startRunner(build, queue, build.workers) : null;
  const queued = new Map<string, number>();
  let next = 0;
  try {
    while ((next < params.length || queued.size > 0) && !signal.aborted) {
      while (next < params.length && queued.size < MOST_QUEUED) {
        const task = { kind: LABEL_TASK, userId: OWNER, params: params[next], input: null, idempotency: null };
        queued.set((await tasks.submit(task)).id, next++);
      }
      await delay(POLL_MS, undefined, { signal }).catch(() => {});
      for (const [id, index] of queued) {
        const task = await tasks.get(OWNER, id);
        if (task?.status === 'processing') {
          tally.progress(index, task.progress.total ? task.progress.done / task.progress.total : 0);
          continue;
        }
        queued.delete(id);
        const fault = task === null ? 'its task is gone' : (task.error?.detail ?? `its task was ${task.status}`);
        tally.ended(index, task?.status === 'completed' ? null : fault);
      }
    }
    for (const id of queued.keys()) await tasks.cancel(OWNER, id);
  } finally {
    await runner?.stop(0);
    await store.close();
  }
}

function startRunner({ config, dataset, log }: StoreBuild, queue: TaskQueue, concurrency: number): TaskRunner {
  return startTaskRunner({
    queue,
    kinds: [LABEL_TASK],
    concurrency,
    threadEntry: new URL('store-task-thread.ts', import.meta.url),
    threadData: { config, dataset },
    maxRuntimeS: config.taskMaxRuntimeS,
    log,
  });
}

/** Resolves when the work has ended, or the signal aborts. */
async function endOf(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await Promise.race([work, stopped.promise]);
  signal.removeEventListener('abort', stop);
}
