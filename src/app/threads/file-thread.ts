import { parentPort, workerData } from 'node:worker_threads';
import { shareLargeGeometryTurn } from '../../geo/shapes/large-geometry.ts';
import { ALIVE_EVERY_MS, type FromThread } from '../../jobs/thread-messages.ts';
import { openSharedWorld } from '../../service/world/world.ts';
import { createFileHandlers } from '../../service/files/handlers.ts';
import type { FileThreadData } from '../../service/files/threads.ts';
import { openFailureReporter } from '../../service/files/thread-failures.ts';
import { runTaskThread } from '../../jobs/run-task-thread.ts';

const { config, data, turn } = workerData as FileThreadData;
// Waiting is not work on a feature: the thread goes on to say that it is alive.
shareLargeGeometryTurn({
  turn,
  everyMs: ALIVE_EVERY_MS,
  whileWaiting: () => parentPort?.postMessage({ type: 'alive', run: null } satisfies FromThread, []),
});
runTaskThread(createFileHandlers(openSharedWorld(data, openFailureReporter()), config), { isWatched: true });
