import { Worker } from 'node:worker_threads';
import type { FromForestThread, ToForestThread } from './messages.ts';

export interface ForestThreadOptions {
  /** The file a thread runs. */
  readonly entry: URL;
  /** What it finds in `workerData`. */
  readonly data: unknown;
  /** MB of heap after which it dies alone; buffers are not counted. */
  readonly heapMb: number;
}

/** A forest thread and the lookups it works on, by their numbers. */
export interface ForestThread<L> {
  readonly lookups: Map<number, L>;
  post(message: ToForestThread): void;
  /** Ends it whatever it is doing; `onCrash` follows. */
  terminate(): Promise<void>;
}

/** Starts a thread. `onCrash` is called once: it crashed, ran out of memory, or was ended. */
export function startForestThread<L>(
  { entry, data, heapMb }: ForestThreadOptions,
  onMessage: (message: FromForestThread) => void,
  onCrash: (reason: string) => void,
): ForestThread<L> {
  const worker = new Worker(entry, {
    name: 'forest',
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: heapMb },
  });
  let reason: string | null = null;
  worker.on('message', onMessage);
  worker.on('error', (error) => (reason ??= (error as Error).message));
  worker.on('exit', (code) => onCrash(reason ?? `it exited with code ${code}`));
  return {
    lookups: new Map(),
    post: (message) => worker.postMessage(message, []),
    async terminate() {
      reason ??= 'it was ended';
      await worker.terminate();
    },
  };
}
