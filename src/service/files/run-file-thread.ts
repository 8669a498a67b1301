import { runTaskThread } from '../../jobs/run-task-thread.ts';
import { openSharedWorld } from '../world/world.ts';
import { createFileHandlers } from './handlers.ts';
import { helpersOf } from './open-helpers.ts';
import type { FileThreadData } from './threads.ts';
import { openFailureReporter } from './thread-failures.ts';

/** Makes this worker thread work on files until it is ended. */
export function runFileThread(started: FileThreadData): void {
  const { config, data } = started;
  const handlers = createFileHandlers(openSharedWorld(data, openFailureReporter()), config, helpersOf(started));
  runTaskThread(handlers, { isWatched: true });
}
