import type { Log } from '../log.ts';
import { Problem } from '../errors.ts';
import type { TaskError } from './task.ts';
import type { ClaimedTask, Progress, TaskQueue } from './task-queue.ts';
import type { TaskThreads } from './task-threads.ts';
import type { FromThread } from './thread-messages.ts';
import {
  type CheckpointRequest,
  type CheckpointStore,
  createCrashNote,
  type PartResult,
  type PreparedPart,
  type TaskCut,
  readCrashNote,
  type TaskRun,
} from './checkpoints.ts';

/** Why a run is stopped before its handler ends. */
type StopReason = 'cancelled' | 'lost' | 'timeout' | 'shutdown';

interface RunTaskOptions {
  readonly queue: TaskQueue;
  readonly threads: TaskThreads;
  /** Seconds the run may take. A task that kept something in it goes on in another run; any other is failed. */
  readonly maxRuntimeS: number;
  /** Milliseconds between the abort of the signal and the end of the thread. */
  readonly graceMs: number;
  /** Milliseconds for which bytes are read and stored again while database or bucket cannot be reached. Default 60,000. */
  readonly outageMs?: number;
  readonly log: Log;
}

/** One task at work in this process. */
export interface RunningTask {
  readonly task: ClaimedTask;
  /** The latest progress that is not stored yet, or null; taking it forgets it. */
  takeProgress(): Progress | null;
  /** Aborts the handler's signal and, after the grace time, its thread. `graceMs` overrides the option. */
  stop(reason: StopReason, graceMs?: number): void;
  /** Resolves when the database knows how the run ended, or this process no longer has a say; never rejects. */
  readonly ended: Promise<void>;
}

type Ending =
  | { readonly type: 'done'; readonly resultType: string; readonly summary: unknown; readonly outcome?: unknown }
  | { readonly type: 'cut'; readonly cut: TaskCut }
  | { readonly type: 'prepared'; readonly result: PreparedPart }
  | { readonly type: 'part'; readonly result: PartResult }
  | { readonly type: 'failed'; readonly error: TaskError; readonly stack: string | null }
  | { readonly type: 'unreachable' }
  | { readonly type: 'died'; readonly reason: string };

/** How long something is tried while database or bucket cannot be reached; short when the process is ending. */
const RECORD_FOR_MS = 60_000;
const SHUTDOWN_RECORD_FOR_MS = 3_000;
const RETRY_MS = [250, 500, 1_000, 2_000] as const;
/** MB that the thread of a task that was cut may hold on to: what it knew of all parts is of no use to the next task. */
const AFTER_CUT_MB = 96;
const NOT_OURS = 'task was no longer ours when it ended';
let lastRun = 0;

/** Works on a claimed task in a thread: input in, results and progress out, and the ending recorded. */
export function runTask(task: ClaimedTask, options: RunTaskOptions): RunningTask {
  const { queue, threads, maxRuntimeS, outageMs = RECORD_FOR_MS, log } = options;
  const run = ++lastRun;
  const note = createCrashNote();
  const ending = Promise.withResolvers<Ending>();
  const over = new AbortController();
  let stopped: StopReason | null = null;
  let progress: Progress | null = null;
  let lastProgress: Progress | null = null;
  let pulled = 0;
  let chunks = 0;
  let writes: Promise<void> = Promise.resolve();
  let graceTimer: NodeJS.Timeout | undefined;
  let concluding = false;
  let hasKept = false;

  const thread = threads.lend({ onMessage, onExit: (reason) => ending.resolve({ type: 'died', reason }) });
  const deadline = setTimeout(() => stop('timeout'), maxRuntimeS * 1_000);
  const { kind, params, stage = { type: 'whole' } } = task;
  thread.post({ type: 'begin', run, kind, params, stage, note });

  function onMessage(message: FromThread): void {
    if (message.run !== run) return;
    switch (message.type) {
      case 'pull':
        return void sendInput(pulled++);
      case 'output':
        return void (writes = writes.then(() => storeOutput(chunks++, message.bytes)));
      case 'kept':
        return void answerKept(message);
      case 'progress':
        progress = lastProgress = message.progress;
        return;
      case 'done':
      case 'cut':
      case 'prepared':
      case 'part':
      case 'failed':
        return ending.resolve(message);
    }
  }

  async function sendInput(seq: number): Promise<void> {
    try {
      const bytes = await persist(() => queue.readInput(task, seq), outageMs, over.signal);
      if (over.signal.aborted) return;
      const own = bytes === null ? null : new Uint8Array(bytes);
      thread.post({ type: 'input', run, bytes: own }, own === null ? [] : [own.buffer]);
    } catch (error) {
      broken(error);
    }
  }

  async function storeOutput(seq: number, bytes: Uint8Array): Promise<void> {
    if (over.signal.aborted || stopped === 'lost' || stopped === 'cancelled') return;
    try {
      const mine = await persist(() => queue.writeOutput(task, seq, bytes), outageMs, over.signal);
      if (mine) thread.post({ type: 'stored', run });
      else stop('lost');
    } catch (error) {
      broken(error);
    }
  }

  async function answerKept({ call, request }: Extract<FromThread, { type: 'kept' }>): Promise<void> {
    if (over.signal.aborted || stopped === 'lost' || stopped === 'cancelled') return;
    try {
      const { lost, value } = await persist(
        () => serveCheckpoints(partsOf(queue), task, request),
        outageMs,
        over.signal,
      );
      if (over.signal.aborted) return;
      if (lost) return stop('lost');
      if (request.type === 'stage') hasKept = true;
      thread.post({ type: 'kept', run, call, value });
    } catch (error) {
      broken(error);
    }
  }

  /** The bytes cannot be reached now, or the database refused a statement of ours: then no later run would fare better. */
  function broken(error: unknown): void {
    if (over.signal.aborted) return;
    log.error({ err: error, task: task.id }, 'the bytes of a task cannot be read or stored');
    if (isUnreachable(error)) ending.resolve({ type: 'unreachable' });
    else {
      const detail = 'the input or the results of the task could not be read or stored';
      ending.resolve({ type: 'failed', error: { code: 'internal', detail }, stack: null });
    }
    thread.terminate();
  }

  function stop(reason: StopReason, graceMs = options.graceMs): void {
    if (concluding) {
      // The handler has ended: the reason still counts, but its thread may be at work on the next task already.
      stopped ??= reason;
      return;
    }
    if (stopped === null) {
      stopped = reason;
      thread.post({ type: 'abort', run, reason: `the task was stopped: ${reason}` });
    }
    clearTimeout(graceTimer);
    graceTimer = setTimeout(() => thread.terminate(), graceMs);
  }

  async function conclude(): Promise<void> {
    const end = await ending.promise;
    concluding = true;
    clearTimeout(deadline);
    clearTimeout(graceTimer);
    if (end.type === 'done') await writes;
    over.abort();
    thread.release(end.type === 'cut' ? AFTER_CUT_MB : undefined);
    try {
      await recordEnding(end, { task, stage, queue, log, stopped, hasKept, chunks, lastProgress, note, maxRuntimeS });
    } catch (error) {
      // The lease runs out and whoever reaps it begins the task again.
      log.error({ err: error, task: task.id }, 'how a task ended could not be recorded');
    }
  }

  return {
    task,
    takeProgress() {
      const taken = progress;
      progress = null;
      return taken;
    },
    stop,
    ended: conclude(),
  };
}

/** What is known of a run when its handler or thread has ended. */
interface EndedRun extends Pick<RunTaskOptions, 'queue' | 'log' | 'maxRuntimeS'> {
  readonly task: ClaimedTask;
  readonly stage: NonNullable<ClaimedTask['stage']>;
  /** Why it was stopped, if it was. */
  readonly stopped: StopReason | null;
  /** Whether it kept something that another run goes on from. */
  readonly hasKept: boolean;
  /** Chunks of results that were stored. */
  readonly chunks: number;
  readonly lastProgress: Progress | null;
  readonly note: ReturnType<typeof createCrashNote>;
}

/** Stores how a run ended, and what follows: another run, a wait, or nothing. */
async function recordEnding(
  end: Ending,
  { task, stage, queue, log, stopped, hasKept, chunks, lastProgress, note, maxRuntimeS }: EndedRun,
): Promise<void> {
  const fields = { task: task.id, kind: task.kind, attempt: task.attempt };
  if (stopped === 'lost' || stopped === 'cancelled') return log.info({ ...fields, stopped }, 'task stopped');
  if (stopped === 'timeout' && hasKept && (end.type === 'failed' || end.type === 'died')) {
    await persist(() => queue.giveBack(task));
    return log.info(fields, 'task goes on in another run after its time limit');
  }
  if (stopped === 'timeout') {
    const detail = `the task ran longer than the ${maxRuntimeS} s it may take`;
    await persist(() => queue.fail(task, { code: 'task_failed', detail }));
    return log.warn(fields, 'task stopped at its time limit');
  }
  if (end.type === 'done') {
    const result = {
      type: end.resultType,
      chunks,
      progress: lastProgress,
      summary: end.summary,
      outcome: end.outcome,
    };
    const completed = await persist(() => queue.complete(task, result));
    return log.info(fields, completed ? 'task completed' : NOT_OURS);
  }
  if (end.type === 'cut') {
    const isCut = await persist(() => partsOf(queue).cut(task, end.cut));
    return log.info({ ...fields, parts: end.cut.parts }, isCut ? 'task cut into parts' : NOT_OURS);
  }
  if (end.type === 'prepared') {
    const isStored = await persist(() => partsOf(queue).completePrepared(task, end.result));
    return log.info({ ...fields, parent: task.parent }, isStored ? 'part prepared' : NOT_OURS);
  }
  if (end.type === 'part') {
    if (stage.type !== 'part') throw new Error(`the task ${task.id} is no part and ended as one`);
    const isDone = await persist(() => partsOf(queue).completePart(task, stage.part, end.result));
    return log.info({ ...fields, parent: task.parent, part: stage.part.seq }, isDone ? 'part completed' : NOT_OURS);
  }
  if (stopped === 'shutdown') {
    await persist(() => queue.giveBack(task), SHUTDOWN_RECORD_FOR_MS);
    return log.info(fields, 'task given back');
  }
  if (end.type === 'unreachable') {
    const next = await persist(() => queue.postpone(task));
    return log.warn({ ...fields, next }, 'the files of a task cannot be reached: it waits for a minute');
  }
  if (end.type === 'died') {
    const step = readCrashNote(note);
    const next = await persist(() => queue.reportCrash(task, step));
    return log.error({ ...fields, reason: end.reason, step, next }, 'the thread of a task died');
  }
  if (end.stack !== null) log.error({ ...fields, stack: end.stack }, 'task failed unexpectedly');
  await persist(() => queue.fail(task, end.error));
  log.info({ ...fields, code: end.error.code }, 'task failed');
}

/** Tries again while the database cannot be reached, `forMs` at most or until the signal; other errors are thrown. */
async function persist<T>(work: () => Promise<T>, forMs = RECORD_FOR_MS, signal?: AbortSignal): Promise<T> {
  const giveUpAt = performance.now() + forMs;
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || signal?.aborted || performance.now() > giveUpAt) throw error;
      const delay = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'dependency_unavailable';
}

function partsOf({ kept }: TaskQueue): CheckpointStore {
  if (kept === undefined) throw new Error('the queue of this task keeps no parts');
  return kept;
}

/** Does what a thread requested about checkpoints; `lost` when the run is no longer this process's. */
async function serveCheckpoints(
  store: CheckpointStore,
  run: TaskRun,
  request: CheckpointRequest,
): Promise<{ readonly lost: boolean; readonly value: unknown }> {
  switch (request.type) {
    case 'list':
      return { lost: false, value: await store.list(run) };
    case 'read':
      return { lost: false, value: ownBytes(await store.read(run, request.seq)) };
    case 'staged':
      return { lost: false, value: await store.staged(run) };
    case 'stage':
      return { lost: !(await store.stage(run, request.part, request.input, request.isFinal)), value: null };
    case 'readStaged':
      return { lost: false, value: ownBytes(await store.readStaged(run, request.seq)) };
    case 'complement':
      return { lost: !(await store.complement(run, request.seq, request.input)), value: null };
    case 'share':
      return { lost: !(await store.share(run, request.input)), value: null };
    case 'prepared':
      return { lost: false, value: ownBytes(await store.prepared(run)) };
    case 'crashes':
      return { lost: false, value: await store.crashes(run) };
  }
}

/** A driver's buffer is a view of a larger one. */
function ownBytes(bytes: Uint8Array | null): Uint8Array | null {
  return bytes === null ? null : new Uint8Array(bytes);
}
