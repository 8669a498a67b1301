import { workerData } from 'node:worker_threads';
import { useCompileCache } from '../../jobs/compile-cache.ts';
import { giveWay } from '../../jobs/give-way.ts';
import type { TaskThreadData } from '../task-runner.ts';

giveWay();
useCompileCache((workerData as TaskThreadData).compileCache);
await import('./task-handlers.ts');
