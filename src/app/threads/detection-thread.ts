import { enableCompileCache, flushCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { StartedDetectionThread } from '../../service/detection/run-detection-thread.ts';

const { compileCache, ...data } = workerData as StartedDetectionThread;
// A thread has no part in the compile cache of its process, and takes five times as long to load without one.
if (compileCache !== null) enableCompileCache(compileCache);
const { runDetectionThread } = await import('../../service/detection/run-detection-thread.ts');
runDetectionThread(data);
// Written once nobody waits for the first answer: a thread that is ended writes nothing by itself.
if (compileCache !== null) setTimeout(flushCompileCache, 5_000).unref();
