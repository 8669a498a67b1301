import { Worker } from 'node:worker_threads';
import { ByteSourceError } from '../../io/byte-error.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { AefIndexError, type SlimIndex } from './pack.ts';
import type { BakeOrder, FromBake, ToBake } from './index-thread.ts';

/** Bytes of an index, and bytes that may be read of it; the public one is about 100 MB. */
const MAX_BYTES = 2 ** 30;
/** Bytes of one read. */
const MAX_READ = 2 ** 24;
/** Time the decoding thread may be silent, neither requesting bytes nor ready; the public index needs about 2 s in all. */
const SILENCE_MS = 60_000;
/** MB of heap after which the decoding thread dies alone. */
const THREAD_MB = 768;

/**
 * Makes a slim index from a GeoParquet index of AEF files, reading the columns it needs by ranges. `prefixes` are what
 * full paths in it begin with. Decoding runs in a thread of its own with bounded memory: a damaged or hostile index
 * costs that thread and at most a minute of its time.
 *
 * Rejects with an `AefIndexError` for an index that cannot be used or is absent, and with what the source rejects with.
 */
export async function bakeAefIndex(
  source: ByteSource,
  prefixes: readonly string[],
  signal: AbortSignal,
): Promise<SlimIndex> {
  const info = await source.stat({ signal });
  if (info === null) throw new AefIndexError(source.id, 'wanted an index of AEF files in GeoParquet, got nothing');
  if (info.size > MAX_BYTES || info.size < 12)
    throw new AefIndexError(source.id, `wanted an index of 12 to ${MAX_BYTES} bytes, got ${info.size}`);
  const worker = new Worker(new URL('./index-thread.ts', import.meta.url), {
    name: 'aef-index',
    workerData: { size: info.size, prefixes } satisfies BakeOrder,
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: THREAD_MB },
  });
  try {
    return await converse(worker, source, info.size, signal);
  } finally {
    await worker.terminate();
  }
}

/** Answers the thread's wishes for bytes until it reports. */
function converse(worker: Worker, source: ByteSource, size: number, signal: AbortSignal): Promise<SlimIndex> {
  const { promise, resolve, reject } = Promise.withResolvers<SlimIndex>();
  const onAbort = (): void => reject(signal.reason);
  /** Reads that the thread waits for. */
  let reading = 0;
  const silence = setTimeout(() => {
    if (reading > 0) silence.refresh();
    else reject(new AefIndexError(source.id, `the index was not decoded within ${SILENCE_MS} ms`));
  }, SILENCE_MS);
  let left = MAX_BYTES;

  async function answer({ id, start, end }: Extract<FromBake, { kind: 'slice' }>): Promise<void> {
    left -= Math.max(0, end - start);
    if (left < 0) throw new AefIndexError(source.id, `wanted to read at most ${MAX_BYTES} bytes of it`);
    reading += 1;
    const bytes = await readSlice(source, start, Math.min(end, size), signal);
    reading -= 1;
    silence.refresh();
    worker.postMessage({ id, bytes } satisfies ToBake, [bytes]);
  }

  worker.on('message', (message: FromBake) => {
    if (message.kind === 'slice') answer(message).catch(reject);
    else if (message.kind === 'done') resolve(message.slim);
    else reject(new AefIndexError(source.id, `not a usable index of AEF files: ${message.message}`));
  });
  worker.on('error', (error: Error) =>
    reject(new AefIndexError(source.id, `the index could not be decoded: ${error.message}`, { cause: error })),
  );
  worker.on('exit', (code) => reject(new AefIndexError(source.id, `its decoder ended with code ${code}`)));
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => {
    clearTimeout(silence);
    signal.removeEventListener('abort', onAbort);
  });
}

async function readSlice(source: ByteSource, start: number, end: number, signal: AbortSignal): Promise<ArrayBuffer> {
  if (!Number.isSafeInteger(start) || start < 0 || !(end >= start))
    throw new AefIndexError(source.id, `it points to bytes ${start} to ${end} of itself`);
  const out = new Uint8Array(end - start);
  for (let at = start; at < end; at += MAX_READ) {
    const bytes = await source.fetch(at, Math.min(MAX_READ, end - at), { signal });
    if (bytes === null) throw new ByteSourceError('changed', source.id, 'the index went away while it was read');
    out.set(bytes, at - start);
  }
  return out.buffer;
}
