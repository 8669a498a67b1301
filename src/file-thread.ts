import { workerData } from 'node:worker_threads';
import { openSharedFacilityData } from './service/facility-data.ts';
import { createFileHandlers } from './service/file-handlers.ts';
import type { FileThreadData } from './service/file-threads.ts';
import { openFailureTeller } from './service/thread-failures.ts';
import { runTaskThread } from './tasks/run-task-thread.ts';

const { config, data } = workerData as FileThreadData;
runTaskThread(createFileHandlers(openSharedFacilityData(data, openFailureTeller()), config), { isWatched: true });
