import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { SourceFeature, SourceFile } from '../../../locations/source-table.ts';
import type { FromParquet } from './geoparquet-thread.ts';
import { malformed, tooLarge } from './file-limits.ts';

/** Time the thread may be silent, and time more for each byte of the file. */
const SILENCE_MS = 3_000;
const MS_PER_BYTE = 1 / 5_000;
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
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MB },
  });
  worker.on('error', () => {});
  return {
    async next() {
      const { promise, resolve, reject } = Promise.withResolvers<FromParquet>();
      const fail = (reason: string): void => reject(broken(reason));
      const onError = (error: Error): void => fail(error.message);
      const timer = setTimeout(fail, patienceMs, 'its pages take too long to decode');
      worker.once('message', resolve).once('error', onError);
      worker.postMessage({ kind: 'more' }, []);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        worker.off('message', resolve).off('error', onError);
      }
    },
    stop: () => worker.terminate(),
  };
}

function refusal(answer: FromParquet): Error {
  if (answer.kind !== 'refused') return broken('it answers out of turn');
  return answer.code === 'too_large' ? tooLarge(answer.message) : broken(answer.message);
}

function broken(reason: string): Error {
  return malformed('broken_parquet', `wanted a whole Parquet file, got one that cannot be read (${reason})`);
}
