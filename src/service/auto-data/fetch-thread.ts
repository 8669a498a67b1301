import { parentPort, Worker } from 'node:worker_threads';
import { cellNamed, type Cell } from './cells.ts';
import { networkFor, openCellFetcher, type CellFetcher, type FetchConfig } from './fetch-cell.ts';
import { fetchFailure, FetchFailure } from './fetch-failure.ts';

export interface FetchThreadData {
  readonly config: FetchConfig;
}

type ToThread = { readonly id: number; readonly cell: string } | { readonly cancel: number };

interface FromThread {
  readonly id: number;
  readonly release?: string;
  readonly failure?: { readonly reason: string; readonly isOffline: boolean; readonly text: string };
  /** An address that was passed over, and why. */
  readonly fault?: readonly [what: string, text: string];
}

/** How long a thread without work is kept. */
const IDLE_MS = 60_000;

/** In the thread: fetches the cells it is sent, so that unpacking them holds up nobody. */
export function runFetchThread({ config }: FetchThreadData): void {
  const send = (message: FromThread): void => parentPort?.postMessage(message, []);
  const onFault = (what: string, error: unknown): void => send({ id: -1, fault: [what, textOf(error)] });
  const fetcher = openCellFetcher(config, { network: networkFor(config), now: Date.now, onFault });
  const running = new Map<number, AbortController>();
  parentPort?.on('message', (message: ToThread) => {
    if ('cancel' in message) return running.get(message.cancel)?.abort(new Error('nobody waits for it any more'));
    const { id } = message;
    const cell = cellNamed(message.cell) as Cell;
    const stop = new AbortController();
    running.set(id, stop);
    fetcher
      .fetch(cell, stop.signal)
      .then(
        (release) => send({ id, release }),
        (error: unknown) => {
          const { reason, isOffline } = fetchFailure(error);
          send({ id, failure: { reason, isOffline, text: textOf(error) } });
        },
      )
      .finally(() => running.delete(id));
  });
}

/** Outside of the thread: starts it with the first cell and ends it when there was none for a minute. */
export function openFetchThread(
  config: FetchConfig,
  onFault: (what: string, error: unknown) => void,
  /** Ends the thread. */
  closing: AbortSignal,
): Pick<CellFetcher, 'fetch'> {
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;
  closing.addEventListener('abort', () => void worker?.terminate(), { once: true });

  function start(): Worker {
    const { dataDir, cacheMaxMb, overtureUrl, overtureIndexUrl } = config;
    const workerData: FetchThreadData = { config: { dataDir, cacheMaxMb, overtureUrl, overtureIndexUrl } };
    const started = new Worker(new URL('../../app/threads/auto-data-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 24 },
    });
    started.on('message', ({ id, release, failure, fault }: FromThread) => {
      if (fault !== undefined) onFault(fault[0], new Error(fault[1]));
      const job = waiting.get(id);
      if (release !== undefined) job?.resolve(release);
      else if (failure !== undefined)
        job?.reject(new FetchFailure(failure.reason, failure.isOffline, { cause: new Error(failure.text) }));
    });
    const end = (error: unknown): void => {
      if (worker === started) worker = null;
      for (const job of waiting.values()) job.reject(error);
    };
    started.on('error', end);
    started.on('exit', (code) => end(new Error(`the thread that fetches map data ended with code ${code}`)));
    // After its listeners, which would hold the process again.
    started.unref();
    return started;
  }

  return {
    async fetch(cell, signal) {
      signal.throwIfAborted();
      clearTimeout(idle);
      const id = ++last;
      const job = Promise.withResolvers<string>();
      waiting.set(id, job);
      const thread = (worker ??= start());
      const cancel = (): void => {
        thread.postMessage({ cancel: id } satisfies ToThread, []);
        job.reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      thread.postMessage({ id, cell: cell.name } satisfies ToThread, []);
      try {
        return await job.promise;
      } finally {
        signal.removeEventListener('abort', cancel);
        waiting.delete(id);
        if (waiting.size === 0) {
          idle = setTimeout(() => {
            const old = worker;
            worker = null;
            void old?.terminate();
          }, IDLE_MS);
          idle.unref();
        }
      }
    },
  };
}

function textOf(error: unknown): string {
  const causes: string[] = [];
  for (let one: unknown = error; one instanceof Error && causes.length < 5; one = one.cause) causes.push(one.message);
  return causes.join('; because ');
}
