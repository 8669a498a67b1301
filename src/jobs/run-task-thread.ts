import { parentPort, type MessagePort } from 'node:worker_threads';
import { Problem, type ErrorDetail } from '../errors.ts';
import type { TaskContext, TaskError, TaskHandler } from './task.ts';
import type { Progress } from './task-queue.ts';
import {
  ALIVE_EVERY_MS,
  OUTPUT_CHUNK_BYTES,
  OUTPUT_CREDITS,
  PROGRESS_EVERY_MS,
  type FromThread,
  type ToThread,
} from './thread-messages.ts';
import {
  type Checkpoint,
  type TaskPart,
  type CheckpointRequest,
  type Checkpoints,
  type CrashNote,
  type TaskCrashes,
  writeCrashNote,
} from './checkpoints.ts';

type Begin = Extract<ToThread, { type: 'begin' }>;

/** What the runner's messages do to the task at work. */
interface TaskPort {
  readonly context: TaskContext;
  receive(message: ToThread): void;
  /** Sends what is left of results and progress. */
  flush(): Promise<void>;
}

const WHOLE = { type: 'whole' } as const;
const NEUTRAL_DETAIL = 'the task met an unexpected error; the log of the service says which';

/**
 * Makes this worker thread work on tasks: it runs the handler of each task that the runner begins, one after the other,
 * until the runner ends the thread. Call it once, from the entry file of the thread.
 */
export function runTaskThread(
  handlers: Readonly<Record<string, TaskHandler>>,
  { isWatched = false }: { /** Report that the thread is alive. */ readonly isWatched?: boolean } = {},
): void {
  const port = parentPort;
  if (port === null) throw new Error('runTaskThread works inside a worker thread only');
  if (isWatched) setInterval(() => port.postMessage({ type: 'alive', run: null } satisfies FromThread), ALIVE_EVERY_MS);
  let current: { run: number; task: TaskPort } | null = null;
  port.on('message', (message: ToThread) => {
    if (message.type === 'begin') {
      const task = openTask(port, message);
      current = { run: message.run, task };
      void runTask(port, handlers[message.kind], message, task);
    } else if (current?.run === message.run) {
      current.task.receive(message);
    }
  });
}

async function runTask(
  port: MessagePort,
  handler: TaskHandler | undefined,
  begin: Begin,
  task: TaskPort,
): Promise<void> {
  let reply: FromThread;
  try {
    if (handler === undefined) throw new Error(`no handler for tasks of kind ${begin.kind}`);
    const result = await handler(task.context);
    await task.flush();
    reply = replyOf(begin.run, result);
  } catch (error) {
    reply = { type: 'failed', run: begin.run, ...publicError(error), stack: stackOf(error) };
  }
  port.postMessage(reply);
}

function replyOf(run: number, result: Awaited<ReturnType<TaskHandler>>): FromThread {
  if ('resultType' in result)
    return {
      type: 'done',
      run,
      resultType: result.resultType,
      summary: result.summary ?? null,
      outcome: result.outcome ?? null,
    };
  if ('parts' in result) return { type: 'cut', run, cut: result };
  return 'prepared' in result ? { type: 'prepared', run, result } : { type: 'part', run, result };
}

function openTask(port: MessagePort, { run, params, stage, stream = false, note }: Begin): TaskPort {
  const abort = new AbortController();
  const send = (message: FromThread, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const output = openOutput(
    (bytes) => send({ type: 'output', run, bytes }, [bytes.buffer as ArrayBuffer]),
    abort.signal,
    stream,
  );
  const progress = openProgress((latest) => send({ type: 'progress', run, progress: latest }));
  const kept = openCheckpoints(
    (call, request, transfer) => send({ type: 'kept', run, call, request }, transfer),
    abort.signal,
    note,
  );
  let pulled: PromiseWithResolvers<Uint8Array | null> | null = null;

  async function* input(): AsyncIterable<Uint8Array> {
    for (;;) {
      abort.signal.throwIfAborted();
      pulled = Promise.withResolvers();
      send({ type: 'pull', run });
      const bytes = await pulled.promise;
      if (bytes === null) return;
      yield bytes;
    }
  }

  return {
    context: {
      params,
      stage: stage ?? WHOLE,
      input: input(),
      signal: abort.signal,
      write: output.write,
      progress: progress.report,
      kept: kept.kept,
    },
    receive(message) {
      if (message.type === 'input') pulled?.resolve(message.bytes);
      if (message.type === 'stored') output.stored();
      if (message.type === 'kept') kept.answered(message.call, message.value);
      if (message.type !== 'abort') return;
      abort.abort(new Error(message.reason));
      pulled?.promise.catch(() => {});
      pulled?.reject(abort.signal.reason);
      kept.abort(abort.signal.reason);
      output.stored();
    },
    async flush() {
      progress.flush();
      await output.flush();
    },
  };
}

function openOutput(send: (bytes: Uint8Array) => void, signal: AbortSignal, isStreamed: boolean) {
  let chunk = new Uint8Array(OUTPUT_CHUNK_BYTES);
  let used = 0;
  let credits = OUTPUT_CREDITS;
  let room: PromiseWithResolvers<void> | null = null;

  async function ship(bytes: Uint8Array): Promise<void> {
    // `ship` is never called before its last call has returned, so one waiter is all there can be.
    if (credits === 0) {
      room = Promise.withResolvers();
      await room.promise;
    }
    signal.throwIfAborted();
    credits--;
    send(bytes);
  }

  async function append(bytes: Uint8Array): Promise<void> {
    // A copy, because the bytes may lie in memory that others share.
    if (isStreamed) return ship(new Uint8Array(bytes));
    for (let from = 0; from < bytes.length;) {
      const taken = Math.min(OUTPUT_CHUNK_BYTES - used, bytes.length - from);
      chunk.set(bytes.subarray(from, from + taken), used);
      used += taken;
      from += taken;
      if (used < OUTPUT_CHUNK_BYTES) continue;
      const full = chunk;
      chunk = new Uint8Array(OUTPUT_CHUNK_BYTES);
      used = 0;
      await ship(full);
    }
  }

  // Writes that were not awaited still land one after the other.
  let last: Promise<void> = Promise.resolve();
  return {
    write(bytes: Uint8Array): Promise<void> {
      const written = last.then(() => append(bytes));
      last = written.catch(() => {});
      return written;
    },
    async flush(): Promise<void> {
      await last;
      if (used > 0) await ship(chunk.slice(0, used));
    },
    stored(): void {
      credits++;
      room?.resolve();
      room = null;
    },
  };
}

function openProgress(send: (progress: Progress) => void) {
  let latest: Progress | null = null;
  let sentAt = -Infinity;
  const flush = (): void => {
    if (latest === null) return;
    send(latest);
    latest = null;
    sentAt = performance.now();
  };
  return {
    // By the clock and not by a timer: a handler that computes without a pause lets no timer fire.
    report(done: number, total: number | null, phase: string | null = null): void {
      latest = { done, total, phase };
      if (performance.now() - sentAt >= PROGRESS_EVERY_MS) flush();
    },
    flush,
  };
}

function publicError(error: unknown): { readonly error: TaskError; readonly errors: readonly ErrorDetail[] } {
  if (error instanceof Problem) return { error: { code: error.code, detail: error.message }, errors: error.errors };
  return { error: { code: 'internal', detail: NEUTRAL_DETAIL }, errors: [] };
}

function stackOf(error: unknown): string | null {
  if (error instanceof Problem) return null;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The thread's side of checkpoints: each request waits for the runner's answer. */
interface ThreadKept {
  readonly kept: Checkpoints;
  /** The runner's answer to request `call`. */
  answered(call: number, value: unknown): void;
  /** No answer will come any more. */
  abort(reason: unknown): void;
}

/** `send` posts a request to the runner; the bytes of a checkpoint are moved, not copied. */
function openCheckpoints(
  send: (call: number, request: CheckpointRequest, transfer: ArrayBuffer[]) => void,
  signal: AbortSignal,
  note: CrashNote | undefined,
): ThreadKept {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;

  async function call(request: CheckpointRequest, transfer: ArrayBuffer[] = []): Promise<unknown> {
    signal.throwIfAborted();
    const call = ++last;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(call, answer);
    send(call, request, transfer);
    return answer.promise;
  }

  return {
    kept: {
      list: async () => (await call({ type: 'list' })) as readonly Checkpoint[],
      read: async (seq) => there(await call({ type: 'read', seq }), seq),
      staged: async () => (await call({ type: 'staged' })) as readonly TaskPart[],
      async stage(part, bytes, isFinal) {
        const input = new Uint8Array(bytes);
        await call({ type: 'stage', part, input, isFinal }, [input.buffer]);
      },
      readStaged: async (seq) => there(await call({ type: 'readStaged', seq }), seq),
      async complement(seq, bytes) {
        const input = new Uint8Array(bytes);
        await call({ type: 'complement', seq, input }, [input.buffer]);
      },
      async share(bytes) {
        const input = new Uint8Array(bytes);
        await call({ type: 'share', input }, [input.buffer]);
      },
      async prepared() {
        const bytes = await call({ type: 'prepared' });
        if (bytes === null) throw new Error('the part was not prepared');
        return bytes as Uint8Array;
      },
      crashes: async () => (await call({ type: 'crashes' })) as TaskCrashes,
      begin(step) {
        if (note !== undefined) writeCrashNote(note, step);
      },
    },
    answered(call, value) {
      waiting.get(call)?.resolve(value);
      waiting.delete(call);
    },
    abort(reason) {
      for (const { promise, reject } of waiting.values()) {
        promise.catch(() => {});
        reject(reason);
      }
      waiting.clear();
    },
  };
}

function there(bytes: unknown, seq: number): Uint8Array {
  if (bytes === null) throw new Error(`the task has no part ${seq}`);
  return bytes as Uint8Array;
}
