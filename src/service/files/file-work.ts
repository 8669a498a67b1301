import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../errors.ts';
import {
  hasLargeGeometryTurn,
  leaveLargeGeometryTurn,
  type LargeGeometryTurn,
} from '../../geo/shapes/large-geometry.ts';
import { type FairSlots, openFairSlots } from '../../jobs/fair-slots.ts';
import { openTaskThreads, type TaskThreads, type TaskThreadsOptions } from '../../jobs/task-threads.ts';
import { ALIVE_EVERY_MS, type FromThread } from '../../jobs/thread-messages.ts';
import { openByteChannel, type ByteChannel } from './byte-channel.ts';
import type { FileHandlers, FileJob } from './handlers.ts';

/** Whose file, or plots, it is and how long it is wanted. */
export interface FileRequest {
  readonly userId: string;
  /** Bytes of the file; of no consequence where there is none. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Works on uploaded files. What a job throws as `Problem` is thrown here. */
export interface FileWork {
  /** Does a job that writes nothing; what it found out. */
  run(job: FileJob, request: FileRequest): Promise<unknown>;
  /** Resolves once the first bytes of the answer are there: what fails before is thrown and no half answer. */
  stream(job: FileJob, request: FileRequest): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

interface FileThreadsOptions extends Pick<TaskThreadsOptions, 'entry' | 'memoryMb' | 'log'> {
  /** Files at work at the same time, each in a thread of its own. */
  readonly threads: number;
  /** Called before each job; another object than before goes to new threads. */
  readonly currentData: () => Promise<unknown>;
  /** The turn that the threads were given. A thread that took it ends after its job, so that its memory is free before the next. */
  readonly turn: LargeGeometryTurn;
  /** Hears of each job that a thread begins, with 1, and ends, with -1. */
  readonly onWork?: (kind: FileJob['kind'], jobs: 1 | -1) => void;
  /** Seconds a thread may compute without a pause. Default `MAX_PAUSE_S`. */
  readonly maxPauseS?: number;
}

/**
 * Plain text up to this size is worked on in the thread of the request: its longest pause is milliseconds, and a thread has to
 * start first. Packed and binary files, which may hold far more than their size says, never are.
 */
export const SMALL_FILE_BYTES = 262_144;
/** Seconds of computing without a pause, which is work on one feature or one record, after which a file is given up. */
export const MAX_PAUSE_S = 30;
/** Files that may wait for a thread, over all users; each lies on disk. */
const MAX_WAITING_FILES = 500;
const IDLE_MS = 60_000;
/** A thread takes about 40 MB before its first file. */
const IDLE_MEMORY_MB = 128;
/** Milliseconds between the abort of a job and the end of its thread. */
const GRACE_MS = 1_000;

/** Works on every file in the thread of the caller. */
export function openFileWorkHere(handlers: FileHandlers): FileWork {
  const here = (job: FileJob, request: FileRequest): ByteChannel => workHere(handlers, job, request);
  return {
    run: async (job, request) => summaryOf(here(job, request)),
    stream: async (job, request) => begun(here(job, request)),
    close: () => Promise.resolve(),
  };
}

/** Works on small text here and on everything else in threads, in turn between users. */
export function openFileWork(handlers: FileHandlers, options: FileThreadsOptions): FileWork {
  const slots = openFairSlots({ slots: options.threads, maxWaiting: MAX_WAITING_FILES });
  let threads: TaskThreads | null = null;
  const state = {
    slots,
    options,
    async current(): Promise<TaskThreads> {
      const data = await options.currentData();
      threads ??= openTaskThreads({
        ...options,
        data,
        idleMs: IDLE_MS,
        idleMemoryMb: IDLE_MEMORY_MB,
        isSpent: (id) => hasLargeGeometryTurn(options.turn, id),
        onEnd: (id) => leaveLargeGeometryTurn(options.turn, id),
      });
      threads.renew(data);
      return threads;
    },
  };
  const work = async (job: FileJob, request: FileRequest): Promise<ByteChannel> =>
    'path' in job.params && (await isSmallText(job.params.path, request.size))
      ? workHere(handlers, job, request)
      : workInThread(state, job, request);
  return {
    run: async (job, request) => summaryOf(await work(job, request)),
    stream: async (job, request) => begun(await work(job, request)),
    async close() {
      slots.close();
      await threads?.close();
    },
  };
}

async function summaryOf(channel: ByteChannel): Promise<unknown> {
  for (;;) {
    const next = await channel.next();
    if (next.done === true) return next.value;
  }
}

async function begun(channel: ByteChannel): Promise<AsyncIterable<Uint8Array>> {
  const first = await channel.next();
  return (async function* () {
    try {
      if (first.done === true) return;
      yield first.value;
      for await (const bytes of channel) yield bytes;
    } finally {
      await channel.return(undefined);
    }
  })();
}

/** First bytes of what is unpacked or decoded: ZIP, SQLite, Parquet, PDF. */
const PACKED = ['PK', 'SQLite format 3\0', 'PAR1', '%PDF'];

async function isSmallText(path: string, size: number): Promise<boolean> {
  if (size > SMALL_FILE_BYTES) return false;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  const start = buffer.subarray(0, bytesRead).toString('latin1');
  return !PACKED.some((signature) => start.startsWith(signature));
}

function workHere(handlers: FileHandlers, { kind, params }: FileJob, { signal }: FileRequest): ByteChannel {
  const stop = new AbortController();
  const channel = openByteChannel(() => stop.abort(new Error('nobody reads the answer any more')));
  const running = AbortSignal.any([signal, stop.signal]);
  signal.addEventListener('abort', () => channel.fail(signal.reason), { once: true });
  handlers[kind]({ params, signal: running, write: channel.write }).then(
    ({ summary }) => channel.end(summary),
    (error: unknown) => channel.fail(error),
  );
  return channel;
}

interface ThreadState {
  readonly slots: FairSlots;
  readonly options: FileThreadsOptions;
  current(): Promise<TaskThreads>;
}

async function workInThread(state: ThreadState, job: FileJob, { userId, signal }: FileRequest): Promise<ByteChannel> {
  const leave = await state.slots.take(userId, signal);
  try {
    const threads = await state.current();
    signal.throwIfAborted();
    return lendThread(threads, job, signal, state.options, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

let lastRun = 0;

function lendThread(
  threads: TaskThreads,
  { kind, params }: FileJob,
  signal: AbortSignal,
  { memoryMb, onWork, maxPauseS = MAX_PAUSE_S }: FileThreadsOptions,
  leave: () => void,
): ByteChannel {
  const run = ++lastRun;
  let hasEnded = false;
  /** Looks in a row at which the thread had not been heard of. */
  let silent = 0;
  let grace: NodeJS.Timeout | undefined;
  const channel = openByteChannel(() => stop());
  const thread = threads.lend({ onMessage, onExit: (reason) => end(() => channel.fail(died(reason, memoryMb))) });
  const watch = setInterval(() => void look(), ALIVE_EVERY_MS);
  const onAbort = (): void => {
    channel.fail(signal.reason);
    stop();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  onWork?.(kind, 1);
  thread.post({ type: 'begin', run, kind, params, stream: true });

  function onMessage(message: FromThread): void {
    silent = 0;
    if (message.run !== run) return;
    if (message.type === 'output')
      void channel.write(message.bytes).then(
        () => hasEnded || thread.post({ type: 'stored', run }),
        () => {},
      );
    else if (message.type === 'done') end(() => channel.end(message.summary));
    else if (message.type === 'failed') end(() => channel.fail(problemOf(message)));
  }

  /** Counted in looks of this thread, so that a pause of the whole process is nobody's fault. */
  async function look(): Promise<void> {
    if (++silent * ALIVE_EVERY_MS < maxPauseS * 1_000) return;
    // Messages that came while this thread was busy are heard first.
    await setImmediate();
    if (silent * ALIVE_EVERY_MS < maxPauseS * 1_000 || hasEnded) return;
    channel.fail(
      new Problem(
        'too_large',
        `One feature or record of the file takes more than ${maxPauseS} s of work (file_work_s in /limits); wanted a simpler one, with fewer vertices and parts.`,
      ),
    );
    thread.terminate();
  }

  function stop(): void {
    if (hasEnded) return;
    thread.post({ type: 'abort', run, reason: 'nobody waits for the answer any more' });
    grace ??= setTimeout(() => thread.terminate(), GRACE_MS);
  }

  function end(conclude: () => void): void {
    if (hasEnded) return;
    hasEnded = true;
    onWork?.(kind, -1);
    clearInterval(watch);
    clearTimeout(grace);
    signal.removeEventListener('abort', onAbort);
    thread.release();
    leave();
    conclude();
  }

  return channel;
}

function problemOf({ error, errors, stack }: Extract<FromThread, { type: 'failed' }>): Error {
  if (stack === null) return new Problem(error.code, error.detail, { errors });
  return Object.assign(new Error('work on a file failed'), { stack });
}

function died(reason: string, memoryMb: number): Error {
  if (!/memory limit/i.test(reason)) return new Error(`the thread that worked on a file ended: ${reason}`);
  return new Problem(
    'too_large',
    `Reading the file takes more memory than one file may take; wanted at most ${memoryMb} MB (file_memory_mb in /limits). Split it, or send it with async_mode=true.`,
  );
}
