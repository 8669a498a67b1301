import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { SourceFeature, SourceFile } from '../../../locations/source-table.ts';
import type { FromParquet } from './geoparquet-thread.ts';
import { malformed, tooLarge } from './file-limits.ts';

/** Time the thread may compute without a word, and time more for each byte of the file. */
const SILENCE_MS = 3_000;
const MS_PER_BYTE = 1 / 5_000;
/** Less than this share of the clock's time is what a busy machine gave it, and it may go on. */
const COMPUTING_SHARE = 0.8;
/** Silences after which it is ended whatever it computed: it may hang. */
const MOST_SILENCES = 10;
/** MB of heap after which the thread dies alone. */
const THREAD_MB = 1_024;

/** A Parquet file, with geometry where it is GeoParquet; decoded in a thread that a hostile file cannot outlive. */
export async function openGeoparquet(path: string): Promise<SourceFile> {
  const first = await startThread(path);
  let opened: Conversation | null = first;
  try {
    const answer = await first.next();
    if (answer.kind !== 'opened') throw refusal(answer);
    return {
      format: 'geoparquet',
      tables: [
        {
          kind: 'features',
          name: null,
          features() {
            const running = opened;
            opened = null;
            return readRows(path, running);
          },
        },
      ],
      remarks: answer.remarks,
      close: async () => void (await opened?.stop()),
    };
  } catch (error) {
    await first.stop();
    throw error;
  }
}

interface Conversation {
  next(): Promise<FromParquet>;
  stop(): Promise<unknown>;
}

async function* readRows(path: string, running: Conversation | null): AsyncGenerator<SourceFeature, void> {
  const thread = running ?? (await startThread(path));
  try {
    if (running === null) await thread.next();
    for (;;) {
      const answer = await thread.next();
      if (answer.kind === 'end') return;
      if (answer.kind !== 'rows') throw refusal(answer);
      yield* answer.rows;
    }
  } finally {
    await thread.stop();
  }
}

async function startThread(path: string): Promise<Conversation> {
  const patienceMs = SILENCE_MS + (await stat(path)).size * MS_PER_BYTE;
  const worker = new Worker(new URL('./geoparquet-thread.ts', import.meta.url), {
    name: 'geoparquet',
    workerData: path,
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: THREAD_MB },
  });
  worker.on('error', () => {});
  return {
    async next() {
      const { promise, resolve, reject } = Promise.withResolvers<FromParquet>();
      const fail = (reason: string): void => reject(broken(reason));
      const onError = (error: Error): void => fail(error.message);
      worker.once('message', resolve).once('error', onError);
      worker.postMessage({ kind: 'more' }, []);
      const over = new AbortController();
      void isTooLong(worker, patienceMs, over.signal).then((tooLong) =>
        tooLong ? fail('its pages take too long to decode') : null,
      );
      try {
        return await promise;
      } finally {
        over.abort();
        worker.off('message', resolve).off('error', onError);
      }
    },
    stop: () => worker.terminate(),
  };
}

/** Resolves with true once the thread has computed for this long, or was silent for many times that; false once `signal` aborts. */
async function isTooLong(worker: Worker, patienceMs: number, signal: AbortSignal): Promise<boolean> {
  const begun = await computedMs(worker, patienceMs);
  for (let silences = 1; silences <= MOST_SILENCES; silences++) {
    if (!(await sleep(patienceMs, true, { signal }).catch(() => false))) return false;
    const now = await computedMs(worker, patienceMs);
    if (begun !== null && now !== null && now - begun >= patienceMs * COMPUTING_SHARE) return true;
  }
  return !signal.aborted;
}

/** Milliseconds of processor time that a thread took so far; null of one that has ended, or is in a call that nothing interrupts. */
async function computedMs(worker: Worker, patienceMs: number): Promise<number | null> {
  const over = new AbortController();
  const patience = sleep(patienceMs, null, { signal: over.signal }).catch(() => null);
  const usage = await Promise.race([worker.cpuUsage().catch(() => null), patience]);
  over.abort();
  return usage === null ? null : (usage.user + usage.system) / 1_000;
}

function refusal(answer: FromParquet): Error {
  if (answer.kind !== 'refused') return broken('it answers out of turn');
  return answer.code === 'too_large' ? tooLarge(answer.message) : broken(answer.message);
}

function broken(reason: string): Error {
  return malformed('broken_parquet', `wanted a whole Parquet file, got one that cannot be read (${reason})`);
}
