import { workerData } from 'node:worker_threads';
import { useCompileCache } from '../../jobs/compile-cache.ts';
import type { StartedDetectionThread } from '../../service/detection/run-detection-thread.ts';

const { compileCache, ...data } = workerData as StartedDetectionThread;
useCompileCache(compileCache);
const { runDetectionThread } = await import('../../service/detection/run-detection-thread.ts');
runDetectionThread(data);
