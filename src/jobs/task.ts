import type { ErrorCode } from '../errors.ts';
import type { Checkpoints, PartResult, PreparedPart, TaskCut, TaskPart } from './checkpoints.ts';

export const TASK_STATUSES = ['processing', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export interface TaskError {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** A task as its owner sees it. */
export interface Task {
  /** 122 or more random bits. */
  readonly id: string;
  readonly kind: string;
  readonly userId: string;
  readonly status: TaskStatus;
  /** Work done and in all, in the task's own unit (features, points, tiles); `total` is null until it is known. */
  readonly progress: { readonly done: number; readonly total: number | null };
  /** What the task is at, in a word or two; null for a task without phases. */
  readonly phase: string | null;
  /** Times a worker has begun the task. */
  readonly attempt: number;
  readonly error: TaskError | null;
  /** Media type of the results, null until completed. */
  readonly resultType: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** When results and record are deleted; null while processing. */
  readonly expiresAt: Date | null;
  /** What its list says of it. */
  readonly about: TaskAbout;
}

/** What a list of tasks says of one: whose work it was, by the names that its owner knows. */
export interface TaskAbout {
  /** As the client named its file; null where there was none. */
  readonly file: string | null;
  readonly commodity: string | null;
  /** Counts that its handler returned; null until it is completed, and for kinds that count nothing. */
  readonly outcome: unknown;
}

export interface NewTask {
  readonly kind: string;
  readonly userId: string;
  /** JSON the handler gets as it is. */
  readonly params: unknown;
  /**
   * Bytes the handler reads as a stream, stored in the database in chunks; a blob that is there already and stays its
   * owner's; null for a task without input.
   */
  readonly input: AsyncIterable<Uint8Array> | { readonly blobId: string } | null;
  /** The client's `Idempotency-Key` and a SHA-256 fingerprint of everything that makes the request what it is. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Uint8Array } | null;
}

interface TaskPage {
  readonly limit: number;
  readonly before?: string;
  readonly status?: TaskStatus;
  /** Kinds that are left out. */
  readonly withoutKinds?: readonly string[];
}

/** Long work that outlives its request. Methods given a `userId` treat another user's task as unknown (null). */
export interface Tasks {
  /**
   * Records the task and queues it in one transaction. The same idempotency key with the same fingerprint returns the
   * first task; with another fingerprint throws `Problem('idempotency_mismatch')`. Throws `Problem('queue_full')`.
   */
  submit(task: NewTask): Promise<Task>;
  /** The task that `submit` returns for a key in place of a new one, or null. Throws `Problem('idempotency_mismatch')` like it. */
  earlier(userId: string, idempotency: NonNullable<NewTask['idempotency']>): Promise<Task | null>;
  get(userId: string, id: string): Promise<Task | null>;
  /** Newest first; `before` is the id of the last task of the page before. @throws Problem when that is gone. */
  list(userId: string, page: TaskPage): Promise<readonly Task[]>;
  /** Stops the work wherever it runs; the task as it is afterwards (a finished one is left alone), or null. */
  cancel(userId: string, id: string): Promise<Task | null>;
  /** The bytes of a completed task's results, chunk by chunk; null when unknown or not completed. */
  results(userId: string, id: string): Promise<AsyncIterable<Uint8Array> | null>;
  /**
   * An address that gives a completed task's results to anybody who has it, for some minutes. Null where they have fewer bytes, or
   * have to be streamed.
   */
  resultLink(userId: string, id: string, leastBytes: number): Promise<string | null>;
}

/**
 * Which of the runs of a task this is. A handler that never cuts its task sees `whole` alone. `whole` may return parts: then each of
 * them is a run of the same handler, anywhere, and when all are done the task is run once more to join them. While `whole` still
 * cuts, parts may be prepared by whoever has nothing else to do: that is a run of its own before the other.
 */
export type TaskStage =
  | { readonly type: 'whole' }
  | { readonly type: 'prepare'; readonly part: TaskPart }
  | { readonly type: 'part'; readonly part: TaskPart; readonly isPrepared: boolean }
  /** `cut` is what the run that cut the task said. */
  | { readonly type: 'join'; readonly cut: unknown };

/** What a handler gets. It runs in a worker thread and must stop soon after `signal` aborts. */
export interface TaskContext {
  readonly params: unknown;
  readonly stage: TaskStage;
  readonly input: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  /** Adds bytes to the results; resolves when there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Cheap: call it as often as you like, it is stored at most twice a second. */
  progress(done: number, total: number | null, phase?: string): void;
  /** Parts of the work that outlive the worker. */
  readonly kept: Checkpoints;
}

/** What is said of a task that is completed: the media type of what it wrote, and a small JSON for whoever hears of its end. */
export interface TaskResult {
  readonly resultType: string;
  readonly summary?: unknown;
  /** Counts for lists of tasks, kept with the task. */
  readonly outcome?: unknown;
}

/**
 * Does the work of one kind of task: `whole` and `join` return a result or, `whole` alone, a cut; `prepare` returns what `part`
 * goes on with, and that what is stored of the part. A thrown `Problem` fails the task at once; anything else too.
 */
export type TaskHandler = (context: TaskContext) => Promise<TaskResult | TaskCut | PreparedPart | PartResult>;

/** Shortest and longest time that a client should leave between two looks at a task, in seconds. */
export const POLL_AFTER_S = { least: 2, most: 30 } as const;

/** Of the time a task is expected to take still, the share after which another look is worth it. */
const SHARE_OF_REST = 1 / 2;
/** The same of the time it has taken so far, where its end cannot be foreseen. */
const SHARE_OF_PAST = 1 / 5;

/**
 * Whole seconds after which the owner of an unfinished task should look at it again: half of what its progress says is left,
 * or a fifth of its age where it has made no progress that says anything; 2 to 30. `now` is milliseconds since 1970.
 */
export function pollAfterS({ createdAt, progress }: Pick<Task, 'createdAt' | 'progress'>, now: number): number {
  const pastS = Math.max(0, (now - createdAt.getTime()) / 1000);
  const { done, total } = progress;
  const restS = total !== null && done > 0 ? (pastS * Math.max(0, total - done)) / done : null;
  const wanted = restS === null ? pastS * SHARE_OF_PAST : restS * SHARE_OF_REST;
  return Math.min(POLL_AFTER_S.most, Math.max(POLL_AFTER_S.least, Math.ceil(wanted)));
}
