import { createInputPool, type PooledInput } from './decode-inputs.ts';
import { DecodeError, INPUT_FRONT, openFileReader } from './decode-file.ts';
import { MAX_DECODE_THREADS, openDecodeState, type DecodeJob } from './decode-job.ts';
import { createDecodeMemory, type DecodeMemory } from './decode-memory.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import { createSpareBlocks } from './decode-spares.ts';
import { openDecodeThreads, type DecodeInput, type ThreadTask } from './decode-threads.ts';

interface DecoderOptions {
  /** Threads that decode, at most 16; 0: the calling thread does. Default 2. */
  readonly threads?: number;
  /** Room for decoded blocks of files before they are cut into code blocks; default 285,212,672 bytes (4 AEF blocks). */
  readonly memoryBytes?: number;
  /** Jobs that may wait for a thread; more are refused as `busy`. Default 4,096. */
  readonly maxWaiting?: number;
  /** Time for one job, which takes some milliseconds as a rule; default 10,000 ms. */
  readonly deadlineMs?: number;
}

/** Decodes blocks outside of the thread that waits for them. One for a process is enough. */
export interface Decoder {
  /**
   * Does a job on the bytes of `input`, read one after the other; says whether what it wrote holds data. Rejects with a
   * `DecodeError`, and with a `ByteSourceError` when it reads them from a file and cannot. A job that waits is dropped when the signal aborts; one at work is finished, because it writes.
   */
  run(job: DecodeJob, input: DecodeInput, signal: AbortSignal): Promise<boolean>;
  /** Memory for a code block, for the `out` of a job; what is in it is not said. */
  block(): SharedArrayBuffer;
  /** Takes back what `block` gave, when no job writes it and nobody reads it any more: a fresh one costs half of what decoding does. */
  release(block: SharedArrayBuffer): void;
  /**
   * Calls `use` with memory for the bytes of a job, which can be its input; null where there is none, and bytes are as well in memory of
   * their own. It is used again as soon as `use` ends: nothing may read or write it any more then.
   */
  withInput<T>(bytes: number, use: (input: PooledInput | null) => Promise<T>): Promise<T>;
  readonly memory: DecodeMemory;
  /** Ends the threads; jobs that have not ended fail. */
  close(): Promise<void>;
}

/** Room for bytes that are fetched: eight blocks of the public mosaic, or 32 of the public files. */
const INPUT_BYTES = 33_554_432;
const never = new AbortController().signal;
const DEFAULTS = { threads: 2, memoryBytes: 285_212_672, maxWaiting: 4096, deadlineMs: 10_000 } as const;

export function createDecoder(options: DecoderOptions = {}): Decoder {
  const settings = { ...DEFAULTS, ...options };
  if (!Number.isInteger(settings.threads) || settings.threads < 0 || settings.threads > MAX_DECODE_THREADS)
    throw new RangeError(`wanted 0 to ${MAX_DECODE_THREADS} threads, got ${settings.threads}`);
  return settings.threads === 0 ? createInlineDecoder(settings.memoryBytes) : createThreadedDecoder(settings);
}

function createInlineDecoder(memoryBytes: number): Decoder {
  const state = openDecodeState(0);
  const readFile = openFileReader();
  const spares = createSpareBlocks(
    () => false,
    async () => {},
  );

  function bytesOf(job: DecodeJob, input: DecodeInput): Uint8Array {
    if ('ranges' in input) return readFile(job.place, input);
    if ('bytes' in input) return input.bytes;
    return input.length === 1 ? input[0] : Buffer.concat(input);
  }

  return {
    async run(job, input, signal) {
      signal.throwIfAborted();
      try {
        // Only what is read from a file here is nobody else's.
        return state.run(job, bytesOf(job, input), 'ranges' in input ? INPUT_FRONT : 0);
      } catch (cause) {
        if (cause instanceof ByteSourceError) throw cause;
        throw new DecodeError('damaged', job.place, (cause as Error).message, { cause });
      }
    },
    block: () => spares.take(),
    release: (block) => spares.give(block),
    withInput: (_, use) => use(null),
    memory: createDecodeMemory(memoryBytes, state.forget),
    async close() {},
  };
}

function createThreadedDecoder({
  threads: max,
  memoryBytes,
  maxWaiting,
  deadlineMs,
}: Required<DecoderOptions>): Decoder {
  let waiting: ThreadTask[] = [];
  let isClosed = false;
  /** Jobs that wait or are at work. */
  let unsettled = 0;
  const threads = openDecodeThreads(max, deadlineMs, (task) => waiting.unshift(task), postWaiting);

  const inputs = createInputPool(INPUT_BYTES, (id) => threads.forgetInput(id));

  function postWaiting(): void {
    if (isClosed) return;
    while (waiting.length > 0 && threads.post(waiting[0])) waiting.shift();
  }

  const decoder: Decoder = {
    async run(job, input, signal) {
      signal.throwIfAborted();
      if (isClosed) throw new DecodeError('closed', job.place, 'the decoder is closed');
      if (waiting.length >= maxWaiting)
        throw new DecodeError('busy', job.place, `wanted at most ${maxWaiting} jobs that wait, got one more`);
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      const task: ThreadTask = { job, input, resolve, reject };
      const leave = (): void => {
        const before = waiting.length;
        waiting = waiting.filter((one) => one !== task);
        if (waiting.length < before) reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(task);
      unsettled += 1;
      postWaiting();
      return promise.finally(() => {
        signal.removeEventListener('abort', leave);
        unsettled -= 1;
        if (unsettled === 0 && !isClosed) spares.refill();
      });
    },
    block: () => spares.take(),
    release: (block) => {
      if (!isClosed) spares.give(block);
    },
    async withInput(bytes, use) {
      const input = inputs.take(bytes);
      try {
        return await use(input);
      } finally {
        if (input !== null) inputs.release(input);
      }
    },
    memory: createDecodeMemory(memoryBytes, (id) => threads.forget(id)),
    async close() {
      isClosed = true;
      spares.close();
      // Ending a thread gives back what waited after its task.
      await threads.close();
      for (const { job, reject } of waiting.splice(0))
        reject(new DecodeError('closed', job.place, 'the decoder was closed'));
    },
  };
  const spares = createSpareBlocks(
    () => unsettled === 0 && !isClosed,
    (out) => decoder.run({ kind: 'touch', place: 'a spare block', out }, [], never),
  );
  return decoder;
}
