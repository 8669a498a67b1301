import type { ErrorDetail } from '../errors.ts';
import type { CheckpointRequest, CrashNote, PartResult, PreparedPart, TaskCut } from './checkpoints.ts';
import type { TaskError, TaskStage } from './task.ts';
import type { Progress } from './task-queue.ts';

/** From the runner to a thread. A thread works on one task at a time; `run` is the number of that work. */
export type ToThread =
  | {
      readonly type: 'begin';
      readonly run: number;
      readonly kind: string;
      readonly params: unknown;
      /** Default: the whole of it. */
      readonly stage?: TaskStage;
      /** Somebody reads along: each piece of the results is sent at once, however small. Default false. */
      readonly stream?: boolean;
      /** Where the thread notes the step that it works on alone. */
      readonly note?: CrashNote;
    }
  /** The answer to `pull`: a chunk of the input, or null after the last. */
  | { readonly type: 'input'; readonly run: number; readonly bytes: Uint8Array | null }
  /** One chunk of the results is stored: there is room for another. */
  | { readonly type: 'stored'; readonly run: number }
  /** The answer to `kept` number `call`. */
  | { readonly type: 'kept'; readonly run: number; readonly call: number; readonly value: unknown }
  | { readonly type: 'abort'; readonly run: number; readonly reason: string };

/** From a thread to the runner. */
export type FromThread =
  | { readonly type: 'pull'; readonly run: number }
  | { readonly type: 'output'; readonly run: number; readonly bytes: Uint8Array }
  | { readonly type: 'progress'; readonly run: number; readonly progress: Progress }
  | { readonly type: 'kept'; readonly run: number; readonly call: number; readonly request: CheckpointRequest }
  | {
      readonly type: 'done';
      readonly run: number;
      readonly resultType: string;
      readonly summary: unknown;
      readonly outcome?: unknown;
    }
  | { readonly type: 'cut'; readonly run: number; readonly cut: TaskCut }
  | { readonly type: 'prepared'; readonly run: number; readonly result: PreparedPart }
  | { readonly type: 'part'; readonly run: number; readonly result: PartResult }
  | {
      readonly type: 'failed';
      readonly run: number;
      readonly error: TaskError;
      readonly errors: readonly ErrorDetail[];
      readonly stack: string | null;
    }
  /** Sent by a thread that is watched, whenever it is between two pieces of computing. */
  | { readonly type: 'alive'; readonly run: null };

/** Results travel and are stored in chunks of this size. */
export const OUTPUT_CHUNK_BYTES = 256 * 1024;
/** Chunks on their way to the database before `write` waits. */
export const OUTPUT_CREDITS = 4;
/** Progress leaves the thread at most this often. */
export const PROGRESS_EVERY_MS = 250;
/** A watched thread reports that it is alive this often. */
export const ALIVE_EVERY_MS = 500;
