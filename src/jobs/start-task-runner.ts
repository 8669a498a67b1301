import { createPauses } from '../claim-loop.ts';
import type { Log } from '../log.ts';
import { runTask, type RunningTask } from './run-task.ts';
import type { TaskQueue } from './task-queue.ts';
import { openTaskThreads } from './task-threads.ts';

interface TaskRunnerOptions {
  readonly queue: TaskQueue;
  /** The kinds of tasks that the threads have handlers for. */
  readonly kinds: readonly string[];
  /**
   * Tasks at work at the same time, each in a thread of its own; one more for a user who has none at work, or a short task of one who
   * has only long ones at work, and yet one for a short task of either.
   */
  readonly concurrency: number;
  /** The file that a thread runs; it calls `runTaskThread`. */
  readonly threadEntry: URL;
  /** What the thread finds in `workerData`, unless there is `currentData`. */
  readonly threadData: unknown;
  /** Read before each task; another object than before goes to new threads, and those that have the old one end with their task. */
  readonly currentData?: () => Promise<unknown>;
  /** Seconds one run of a task may take. */
  readonly maxRuntimeS: number;
  readonly log: Log;
  /** Milliseconds a stopped handler gets before its thread is ended. Default 5,000. */
  readonly graceMs?: number;
  /** Milliseconds for which bytes of a task are read and stored again while database or bucket cannot be reached. Default 60,000. */
  readonly outageMs?: number;
  /** Heap in MB that a thread may fill with objects before it dies alone; buffers are not counted. Default 1,024. */
  readonly threadMemoryMb?: number;
  /** Start a thread ahead while others are at work, for whoever has nothing at work yet. Default false. */
  readonly hasSpare?: boolean;
}

interface TaskRunnerStatus {
  readonly running: number;
  readonly concurrency: number;
  /** Why the queue could not be looked at the last time, or null when it could. */
  readonly fault: string | null;
}

export interface TaskRunner {
  status(): TaskRunnerStatus;
  /** Takes no new task, gives the running ones `drainMs`, then gives them back to the queue; resolves when all ended. */
  stop(drainMs: number): Promise<void>;
}

/** How often the runner looks: for waiting tasks, after its own leases, for dead leases, for tasks whose time is over. */
const POLL_MS = 500;
const RENEW_MS = 1_000;
const REAP_MS = 2_000;
const DELETE_MS = 600_000;
/** Places in addition to `concurrency`, for users who have nothing or only long tasks at work; the last for short tasks alone. */
const MORE = 2;
/** When a thread is started ahead, for whoever comes next, and how long one that is not needed any more is kept. */
const SPARE_AFTER_MS = 1_000;
const IDLE_MS = 60_000;
/** Young generation of a thread, in MB: two of them are at work while another user sends a small file. */
const YOUNG_MB = 12;

/** Works on tasks of the given kinds until it is stopped. Any number of runners share one database. */
export function startTaskRunner(options: TaskRunnerOptions): TaskRunner {
  const { queue, log, concurrency, graceMs = 5_000, outageMs, threadMemoryMb = 1_024, hasSpare = false } = options;
  const { threadEntry: entry, threadData: data } = options;
  const threads = openTaskThreads({
    entry,
    data,
    memoryMb: threadMemoryMb,
    youngMb: YOUNG_MB,
    log,
    idleMs: IDLE_MS,
    keepIdle: 1,
    ...(hasSpare && { spare: { afterMs: SPARE_AFTER_MS, upTo: concurrency + 1 } }),
  });
  const running = new Map<string, RunningTask>();
  const stopping = new AbortController();
  let fault: string | null = null;
  let hasData = data !== null;
  const { pause, wake } = createPauses(POLL_MS);

  const offSignal = queue.onSignal((signal) => {
    if (signal.type === 'cancelled')
      for (const run of running.values())
        if (run.task.id === signal.id || run.task.parent === signal.id) run.stop('cancelled');
    wake();
  });
  const loops = [
    repeat(RENEW_MS, renew),
    repeat(REAP_MS, async () => {
      const dead = await queue.reapExpired();
      if (dead > 0) log.warn({ dead }, 'tasks of a dead worker were taken back');
    }),
    repeat(DELETE_MS, async () => void (await queue.deleteExpired())),
  ];
  const claiming = claim();

  async function claim(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (running.size >= concurrency + MORE || !(await claimOne())) await pause();
    }
  }

  async function claimOne(): Promise<boolean> {
    try {
      // One more than `concurrency` begins for a user who has nothing at work, so that nobody waits for another's tasks; and yet
      // one if it is short, so that nobody with a small file waits for the large ones of two others, or for their own.
      const task = await queue.claim(options.kinds, {
        extraPlace: running.size >= concurrency,
        shortOnly: running.size > concurrency,
      });
      clear();
      if (task === null) return false;
      await renewThreads();
      // Claimed while the runner was stopping: it begins all the same and is given back like the others.
      const run = runTask(task, {
        queue,
        threads,
        graceMs,
        maxRuntimeS: options.maxRuntimeS,
        log,
        ...(outageMs !== undefined && { outageMs }),
      });
      running.set(task.id, run);
      void run.ended.then(() => {
        if (running.get(task.id) === run) running.delete(task.id);
        wake();
      });
      return true;
    } catch (error) {
      note(error);
      return false;
    }
  }

  async function renewThreads(): Promise<void> {
    try {
      if (options.currentData !== undefined) threads.renew(await options.currentData());
      hasData = true;
    } catch (error) {
      // No thread can begin without any data: the task is taken back when its lease is over, and `status` says why.
      if (!hasData) throw error;
      log.warn({ err: error }, 'what was imported or removed cannot be given to the task threads');
    }
  }

  async function renew(): Promise<void> {
    const runs = [...running.values()];
    if (runs.length === 0) return;
    const mine = await queue.renew(
      runs.map((run) => ({ id: run.task.id, attempt: run.task.attempt, progress: run.takeProgress() })),
    );
    for (const run of runs) if (!mine.has(run.task.id)) run.stop('lost');
  }

  function clear(): void {
    fault = null;
  }

  function note(error: unknown): void {
    if (fault === null) log.warn({ err: error }, 'the task queue cannot be reached; trying again');
    fault = (error as Error).message;
  }

  /** Calls again and again, `ms` after each return, until the returned function is called. */
  function repeat(ms: number, work: () => Promise<void>): () => void {
    let timer = setTimeout(tick, ms);
    let ended = false;
    async function tick(): Promise<void> {
      await work().then(clear, note);
      if (!ended) timer = setTimeout(tick, ms);
    }
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }

  async function stop(drainMs: number): Promise<void> {
    stopping.abort();
    offSignal();
    wake();
    await claiming;
    const ended = (): Promise<unknown> => Promise.all([...running.values()].map((run) => run.ended));
    const drained = await Promise.race([ended().then(() => true), delay(drainMs).then(() => false)]);
    if (!drained) for (const run of running.values()) run.stop('shutdown', 0);
    await ended();
    for (const end of loops) end();
    await threads.close();
  }

  let stopped: Promise<void> | null = null;
  return {
    status: () => ({ running: running.size, concurrency, fault }),
    stop: (drainMs) => (stopped ??= stop(drainMs)),
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
