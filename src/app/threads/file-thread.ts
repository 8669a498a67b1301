import { parentPort, workerData } from 'node:worker_threads';
import { useCompileCache } from '../../jobs/compile-cache.ts';
import { giveWay } from '../../jobs/give-way.ts';
import { ALIVE_EVERY_MS, type FromThread } from '../../jobs/thread-messages.ts';
import type { FileThreadData } from '../../service/files/threads.ts';

const started = workerData as FileThreadData;
giveWay();
useCompileCache(started.compileCache);
const { shareLargeGeometryTurn } = await import('../../geo/shapes/large-geometry.ts');
// Waiting is not work on a feature: the thread goes on to say that it is alive.
shareLargeGeometryTurn({
  turn: started.turn,
  everyMs: ALIVE_EVERY_MS,
  whileWaiting: () => parentPort?.postMessage({ type: 'alive', run: null } satisfies FromThread, []),
});
const { runFileThread } = await import('../../service/files/run-file-thread.ts');
runFileThread(started);
