import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Tasks } from '../../jobs/task.ts';
import type { TaskQueue, TaskSignal } from '../../jobs/task-queue.ts';
import type { Store } from '../open-store.ts';
import { createTaskQueue } from './create-task-queue.ts';
import { createTasks } from './create-tasks.ts';
import { reapOtherOwners, type LeaseParts } from './end-leases.ts';
import type { OnFinished } from './finish-task.ts';
import type { OnSubmitted } from './submit-task.ts';

export interface OpenTasksOptions {
  /** Unfinished tasks the service accepts. */
  readonly maxQueued: number;
  /** Those of one user. Default: as many as `maxQueued` allows. */
  readonly maxPerUser?: number;
  /** Bytes one user may store. Default: not limited. */
  readonly maxStoredBytes?: number;
  /** Days a finished task and its results are kept; fractions are fine. */
  readonly retentionDays: number;
  /** Runs in the transaction that finishes a task, whichever way it finishes. Default: nothing. */
  readonly onFinished?: OnFinished;
  /** Runs in the transaction that queues a task. Default: nothing. */
  readonly onSubmitted?: OnSubmitted;
}

export interface OpenedTasks {
  /** For those who submit and read tasks. */
  readonly tasks: Tasks;
  /** For a task runner in this process. */
  readonly queue: TaskQueue;
}

/** Opens the tasks of a store; once a process for an embedded database, whose other leases are taken for dead. */
export async function openTasks(store: Store, options: OpenTasksOptions): Promise<OpenedTasks> {
  const { onFinished = async () => {}, onSubmitted = async () => {} } = options;
  const signals = new EventEmitter<{ signal: [TaskSignal] }>();
  const parts: LeaseParts = { db: store.db, objects: store.objects, onFinished, owner: randomUUID() };
  if (store.engine === 'embedded') await reapOtherOwners(parts);
  return {
    tasks: createTasks(store, {
      maxQueued: options.maxQueued,
      maxPerUser: options.maxPerUser ?? Infinity,
      maxStoredBytes: options.maxStoredBytes ?? Infinity,
      retentionS: options.retentionDays * 86_400,
      onFinished,
      onSubmitted,
      onSignal: (signal) => void signals.emit('signal', signal),
    }),
    queue: createTaskQueue(
      parts,
      (listener) => {
        signals.on('signal', listener);
        return () => void signals.off('signal', listener);
      },
      () => void signals.emit('signal', { type: 'waiting' }),
    ),
  };
}
