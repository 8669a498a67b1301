import type { CheckpointStore, TaskRun } from './checkpoints.ts';
import type { TaskError, TaskStage } from './task.ts';

export interface ClaimedTask extends TaskRun {
  readonly kind: string;
  /** Of a part: those of the task that was cut. */
  readonly params: unknown;
  /** Default: the whole of it. */
  readonly stage?: TaskStage;
  /** Of a part: the task that was cut. */
  readonly parent?: string | null;
}

export interface ClaimOptions {
  /**
   * For a place in addition to those of every day: only a task of a user who has none at work in any process, or a short one of a
   * user who has nothing at work but long ones that are in one piece, as a large file is while it is cut or joined. Default false.
   */
  readonly extraPlace?: boolean;
  /** Only what is expected to be done soon: by the size of its input, or once that was read by how many locations it has. Default false. */
  readonly shortOnly?: boolean;
}

/** Work done and in all, in the task's own unit. */
export interface Progress {
  readonly done: number;
  readonly total: number | null;
  /** What the task is at, in a word or two. */
  readonly phase?: string | null;
}

/**
 * What a task runner needs of the database. A run whose lease was lost, or whose task is finished or cancelled, writes
 * nothing: every method that takes a `TaskRun` checks it in the statement that writes and answers false.
 */
export interface TaskQueue {
  /**
   * Takes a waiting task of these kinds for this process, or null: users take turns, and the tasks of one user begin in the
   * order they came. The lease has to be renewed.
   */
  claim(kinds: readonly string[], options?: ClaimOptions): Promise<ClaimedTask | null>;
  /** Prolongs the leases, stores the progress, and returns the ids of the runs that are still this process's. */
  renew(runs: readonly (TaskRun & { readonly progress: Progress | null })[]): Promise<ReadonlySet<string>>;
  /** One chunk of the task's input, or null after the last. */
  readInput(run: TaskRun, seq: number): Promise<Uint8Array | null>;
  /** Keeps one chunk of the results; writing the same `seq` again replaces it. */
  writeOutput(run: TaskRun, seq: number, bytes: Uint8Array): Promise<boolean>;
  complete(
    run: TaskRun,
    result: {
      readonly type: string;
      readonly chunks: number;
      readonly progress: Progress | null;
      /** What the handler returned in addition to its results; it goes to whoever hears that the task is finished. */
      readonly summary?: unknown;
      /** Counts for lists of tasks, kept with the task. */
      readonly outcome?: unknown;
    },
  ): Promise<boolean>;
  /** What tasks store of their work for after a crash; absent where they keep nothing. */
  readonly kept?: CheckpointStore;
  fail(run: TaskRun, error: TaskError): Promise<boolean>;
  /** Back to the front of the queue, as if the run had never begun. */
  giveBack(run: TaskRun): Promise<boolean>;
  /**
   * What the run needs cannot be reached: the task waits for a minute before it may be claimed again, or fails for good when it was
   * submitted a day ago.
   */
  postpone(run: TaskRun): Promise<'later' | 'failed' | 'lost'>;
  /**
   * The worker crashed during the run, on the step that it worked on alone, if any: the task waits again, or fails for good
   * after the last crash allowed.
   */
  reportCrash(run: TaskRun, step: string | null): Promise<'again' | 'failed' | 'lost'>;
  /** The same for every run of any process whose lease ran out; returns how many there were. */
  reapExpired(): Promise<number>;
  /** Deletes the tasks whose time is over, with their bytes; returns how many. */
  deleteExpired(): Promise<number>;
  /** Hears of tasks that wait and were cancelled by this process, to act before the next look at the database. */
  onSignal(listener: (signal: TaskSignal) => void): () => void;
}

export type TaskSignal = { readonly type: 'waiting' } | { readonly type: 'cancelled'; readonly id: string };
