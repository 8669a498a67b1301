import { Worker } from 'node:worker_threads';
import type { Log } from '../log.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

/** What happens to a thread while it works. */
interface ThreadEvents {
  onMessage(message: FromThread): void;
  /** The thread is gone: it crashed, ran out of memory, exited, or was ended. */
  onExit(reason: string): void;
}

/** A thread lent for one task. */
interface TaskThread {
  post(message: ToThread, transfer?: readonly ArrayBuffer[]): void;
  /** Ends the thread whatever it is doing; `onExit` follows. */
  terminate(): void;
  /** Gives it back for the next task. A thread that died is not lent again, nor one that holds more MB than it may. */
  release(mostMb?: number): void;
}

export interface TaskThreads {
  lend(events: ThreadEvents): TaskThread;
  /** Gives threads other data from now on: idle ones with the old data end at once, busy ones after their task. */
  renew(data: unknown): void;
  close(): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  readonly id: number;
  events: ThreadEvents | null;
  exitReason: string | null;
  /** What it was started with. */
  readonly data: unknown;
  retirement?: NodeJS.Timeout;
}

export interface TaskThreadsOptions {
  /** The file a thread runs. */
  readonly entry: URL;
  /** What the thread finds in `workerData`. */
  readonly data: unknown;
  /** MB of heap after which a thread dies alone. */
  readonly memoryMb: number;
  /** MB of its young generation, of which two thirds stay resident. Default 24. */
  readonly youngMb?: number;
  readonly log: Log;
  /** Milliseconds after which a thread without work ends. Default: never. */
  readonly idleMs?: number;
  /** Threads without work that do not end for that. Default 0. */
  readonly keepIdle?: number;
  /** Starts a thread that waits for work whenever none does, so that nobody waits for its start. Default: none is started ahead. */
  readonly spare?: {
    /** Milliseconds from the moment a thread is lent: the work at hand comes first, and is often over by then. */
    readonly afterMs: number;
    /** No more threads than these, those at work included. */
    readonly upTo: number;
  };
  /** MB of memory that a thread may hold between two tasks; one that holds more ends, which gives it back. Default: any. */
  readonly idleMemoryMb?: number;
  /** Whether thread `id` is to end after its task, whatever it holds. Default: no. */
  readonly isSpent?: (id: number) => boolean;
  /** Called when thread `id` is gone. */
  readonly onEnd?: (id: number) => void;
}

/** Threads started when they are first needed and kept for the next task. */
export function openTaskThreads(options: TaskThreadsOptions): TaskThreads {
  const { entry, data: firstData, memoryMb, youngMb = 24, log, idleMs, keepIdle = 0, spare, idleMemoryMb } = options;
  const { isSpent, onEnd } = options;
  let data = firstData;
  const idle: Thread[] = [];
  const all = new Set<Thread>();
  let planned: NodeJS.Timeout | null = null;
  let isClosed = false;

  function start(): Thread {
    const worker = new Worker(entry, {
      name: 'task',
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb, maxOldGenerationSizeMb: memoryMb },
    });
    const id = worker.threadId;
    const thread: Thread = { worker, id, events: null, exitReason: null, data };
    all.add(thread);
    worker.on('message', (message: FromThread) => thread.events?.onMessage(message));
    worker.on('error', (error) => {
      log.error({ err: error }, 'a task thread crashed');
      thread.exitReason ??= (error as Error).message;
    });
    worker.on('exit', (code) => {
      all.delete(thread);
      onEnd?.(id);
      clearTimeout(thread.retirement);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
      thread.exitReason ??= `it exited with code ${code}`;
      thread.events?.onExit(thread.exitReason);
      thread.events = null;
    });
    return thread;
  }

  /** Later, and only if there is still none without work. */
  function planSpare(): void {
    if (spare === undefined || planned !== null) return;
    planned = setTimeout(() => {
      planned = null;
      if (isClosed || idle.length > 0 || all.size >= spare.upTo) return;
      const thread = start();
      idle.push(thread);
      endWhenIdle(thread);
    }, spare.afterMs).unref();
  }

  function endWhenIdle(thread: Thread): void {
    if (idleMs === undefined) return;
    thread.retirement = setTimeout(() => {
      if (idle.length > keepIdle) retire(thread);
    }, idleMs).unref();
  }

  function retire(thread: Thread): void {
    const at = idle.indexOf(thread);
    if (at < 0) return;
    idle.splice(at, 1);
    void thread.worker.terminate();
  }

  /** V8 keeps what a large task took, and would do so for every thread at once. */
  async function retireIfHeavy(thread: Thread, limitMb: number): Promise<void> {
    const heap = await thread.worker.getHeapStatistics().catch(() => null);
    if (heap !== null && heap.total_heap_size + heap.external_memory > limitMb * 1_000_000) retire(thread);
  }

  return {
    lend(events) {
      const thread = idle.pop() ?? start();
      clearTimeout(thread.retirement);
      thread.events = events;
      planSpare();
      return {
        post: (message, transfer = []) => thread.worker.postMessage(message, transfer),
        terminate() {
          thread.exitReason ??= 'it was ended';
          void thread.worker.terminate();
        },
        release(mostMb = idleMemoryMb) {
          if (thread.events !== events) return;
          thread.events = null;
          if (thread.exitReason !== null || !all.has(thread)) return;
          if (thread.data !== data || isSpent?.(thread.id) === true) return void thread.worker.terminate();
          idle.push(thread);
          if (mostMb !== undefined) void retireIfHeavy(thread, mostMb);
          endWhenIdle(thread);
        },
      };
    },
    renew(newer) {
      if (newer === data) return;
      data = newer;
      for (const thread of idle.splice(0)) void thread.worker.terminate();
    },
    async close() {
      isClosed = true;
      await Promise.allSettled([...all].map((thread) => thread.worker.terminate()));
    },
  };
}
