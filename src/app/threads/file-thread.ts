import { workerData } from 'node:worker_threads';
import { openSharedWorld } from '../../service/world/world.ts';
import { createFileHandlers } from '../../service/files/handlers.ts';
import type { FileThreadData } from '../../service/files/threads.ts';
import { openFailureReporter } from '../../service/files/thread-failures.ts';
import { runTaskThread } from '../../jobs/run-task-thread.ts';

const { config, data } = workerData as FileThreadData;
runTaskThread(createFileHandlers(openSharedWorld(data, openFailureReporter()), config), { isWatched: true });
