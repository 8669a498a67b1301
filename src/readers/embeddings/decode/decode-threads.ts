import { Worker } from 'node:worker_threads';

import { ByteSourceError } from '../../io/byte-error.ts';
import type { PooledInput } from './decode-inputs.ts';
import { DecodeError, type FileRanges, INPUT_FRONT } from './decode-file.ts';
import type { DecodeJob } from './decode-job.ts';
import type { FilledSlot, FromDecodeThread, MetInput, ToDecodeThread } from './decode-thread.ts';

/** The bytes of a job: pieces, one after the other, memory that threads see, or where the thread reads them. */
export type DecodeInput = readonly Uint8Array[] | PooledInput | FileRanges;

export interface ThreadTask {
  readonly job: DecodeJob;
  readonly input: DecodeInput;
  readonly resolve: (holds: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Threads that decode, each with one task at work and one that waits. */
interface DecodeThreads {
  /** Gives the task to a thread, or says that all have enough to do. */
  post(task: ThreadTask): boolean;
  forget(id: number): void;
  /** The same for a memory that bytes came in. */
  forgetInput(id: number): void;
  close(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  /** In the order they were sent: the first one is at work. */
  readonly tasks: { readonly number: number; readonly task: ThreadTask; readonly slot: number | null }[];
  /** Memory the bytes of a task travel in. */
  readonly slots: (SharedArrayBuffer | null)[];
  /** Numbers of the memories it has met. */
  readonly known: Set<number>;
  /** The same of those that bytes come in. */
  readonly knownInputs: Set<number>;
  timer: NodeJS.Timeout | null;
}

const TASKS_A_THREAD = 2;
const SMALLEST_SLOT = 65_536;
/** Parts that the time for one task is counted in. */
const DEADLINE_TICKS = 10;

/**
 * Up to `max` threads, started when they are needed. A thread that crashes, or needs longer than `deadlineMs` for one
 * task, is ended and its task fails; what waited after it goes to `retry`.
 */
export function openDecodeThreads(
  max: number,
  deadlineMs: number,
  retry: (task: ThreadTask) => void,
  onFree: () => void,
): DecodeThreads {
  const threads = new Set<Thread>();
  /** Lanes of threads that do not run; one that was ended keeps its own until it is gone, because it may still write. */
  const lanes = Array.from({ length: max }, (_, lane) => lane);
  let lastNumber = 0;

  function start(lane: number): Thread {
    const worker = new Worker(new URL('./decode-thread.ts', import.meta.url), {
      name: 'decode',
      workerData: lane,
      resourceLimits: { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 64 },
    });
    const thread: Thread = {
      worker,
      tasks: [],
      slots: Array.from({ length: TASKS_A_THREAD }, () => null),
      known: new Set(),
      knownInputs: new Set(),
      timer: null,
    };
    worker.unref();
    worker.on('message', (message: FromDecodeThread) => settle(thread, message));
    worker.on('error', (error) => remove(thread, 'died', (error as Error).message));
    worker.on('exit', (code) => {
      lanes.push(lane);
      remove(thread, 'died', `it ended with code ${code}`);
      onFree();
    });
    threads.add(thread);
    return thread;
  }

  function settle(thread: Thread, message: FromDecodeThread): void {
    const entry = thread.tasks.shift();
    if (entry === undefined) return;
    watch(thread);
    if ('error' in message) entry.task.reject(errorOf(entry.task.job.place, message));
    else entry.task.resolve(message.holds);
    onFree();
  }

  /** The thread is gone, or will be: its first task fails, the others are tried elsewhere. */
  function remove(thread: Thread, kind: 'died' | 'timeout', detail: string): void {
    if (!threads.delete(thread)) return;
    if (thread.timer !== null) clearInterval(thread.timer);
    const [first, ...rest] = thread.tasks.splice(0);
    void thread.worker.terminate();
    if (first !== undefined)
      first.task.reject(
        new DecodeError(kind, first.task.job.place, `the thread that decoded a block is gone: ${detail}`),
      );
    for (const { task } of rest.toReversed()) retry(task);
  }

  /**
   * Starts the clock for the task that is first now. It counts ticks, because this thread may compute for seconds without
   * hearing of a result that has long been there, and because the whole process may have been stopped.
   */
  function watch(thread: Thread): void {
    if (thread.timer !== null) clearInterval(thread.timer);
    thread.timer = null;
    if (thread.tasks.length === 0) {
      thread.worker.unref();
      return;
    }
    thread.worker.ref();
    let ticks = 0;
    thread.timer = setInterval(() => {
      if (++ticks === DEADLINE_TICKS) remove(thread, 'timeout', `no result within ${deadlineMs} ms`);
    }, deadlineMs / DEADLINE_TICKS);
  }

  function send(thread: Thread, task: ThreadTask): void {
    const number = ++lastNumber;
    const job = asPosted(task.job, thread.known);
    const { input } = task;
    const message: ToDecodeThread =
      'ranges' in input
        ? { number, job, ranges: input }
        : 'bytes' in input
          ? { number, job, input: asMet(input, thread.knownInputs) }
          : { number, job, ...fillSlot(thread, input) };
    thread.tasks.push({ number, task, slot: 'slot' in message ? message.slot : null });
    if (thread.tasks.length === 1) watch(thread);
    thread.worker.postMessage(message, []);
  }

  return {
    post(task) {
      const all = [...threads];
      const idle = all.find(({ tasks }) => tasks.length === 0);
      const lane = idle === undefined ? lanes.pop() : undefined;
      const free = idle ?? (lane === undefined ? all.find(({ tasks }) => tasks.length < TASKS_A_THREAD) : start(lane));
      if (free === undefined) return false;
      send(free, task);
      return true;
    },
    forget(id) {
      for (const { worker, known } of threads) {
        if (known.delete(id)) worker.postMessage({ forget: id } satisfies ToDecodeThread, []);
      }
    },
    forgetInput(id) {
      for (const { worker, knownInputs } of threads) {
        if (knownInputs.delete(id)) worker.postMessage({ forgetInput: id } satisfies ToDecodeThread, []);
      }
    },
    async close() {
      const all = [...threads];
      for (const thread of all) remove(thread, 'died', 'it was closed');
      await Promise.allSettled(all.map(({ worker }) => worker.terminate()));
    },
  };
}

/** A memory travels once: each time it came again, the thread's collector would run for all its bytes. */
function asPosted(job: DecodeJob, known: Set<number>): DecodeJob {
  if (job.kind === 'whole' || job.kind === 'touch') return job;
  const { id } = job.memory;
  if (known.has(id)) return { ...job, memory: { id, memory: null } };
  known.add(id);
  return job;
}

/** Like a memory that is decoded into, one that bytes come in travels once. */
function asMet({ id, memory, bytes }: PooledInput, known: Set<number>): MetInput {
  const isKnown = known.has(id);
  known.add(id);
  return { id, memory: isKnown ? null : memory, bytes: bytes.length };
}

/** Why a task could not be done: its bytes could not be read, or they do not decode. */
function errorOf(place: string, { error, fault }: Extract<FromDecodeThread, { error: string }>): Error {
  return fault === null ? new DecodeError('damaged', place, error) : new ByteSourceError(fault, place, error);
}

/** Copies a task's bytes into the memory of a free slot; gives that memory when it had to be replaced by a larger one. */
function fillSlot({ slots, tasks }: Thread, input: readonly Uint8Array[]): FilledSlot {
  const bytes = input.reduce((sum, { length }) => sum + length, 0);
  const slot = slots.findIndex((_, i) => tasks.every((entry) => entry.slot !== i));
  const before = slots[slot];
  if (bytes === 0) return { slot, bytes, memory: null };
  const room = INPUT_FRONT + bytes;
  const isRoomy = before !== null && before.byteLength >= room;
  const memory = isRoomy ? before : new SharedArrayBuffer(Math.max(SMALLEST_SLOT, 2 ** Math.ceil(Math.log2(room))));
  slots[slot] = memory;
  const out = new Uint8Array(memory);
  let at = INPUT_FRONT;
  for (const piece of input) {
    out.set(piece, at);
    at += piece.length;
  }
  return { slot, bytes, memory: isRoomy ? null : memory };
}
