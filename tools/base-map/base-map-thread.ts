/** The thread of `npm ci` that makes the base map, next to the build of the console. `workerData` is the folder. */
import { workerData } from 'node:worker_threads';
import { writeBaseMap } from './write-base-map.ts';

await writeBaseMap(workerData as string);
