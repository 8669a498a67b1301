import { parentPort } from 'node:worker_threads';
import { writePatch } from '../../forest/feature-text.ts';
import { findPatch } from '../../forest/find-patch.ts';
import { createSharedWork } from '../../forest/shared-work.ts';
import type { PatchSources } from '../../forest/sources.ts';
import { type Crs, findCrs } from '../../geo/crs/find-crs.ts';
import type { FromForestThread, ToForestThread } from './messages.ts';

/** What the lookups of one request look in and share. */
function openRequest(sources: Promise<PatchSources>) {
  return { sources, shared: createSharedWork() };
}

/**
 * Makes this worker thread look up patches for the pool that started it. Call it once, from the entry file of the
 * thread. `openSources` is called at the first lookup, and what it gives for each request.
 */
export function runForestThread(
  openSources: (reportFailure: NonNullable<PatchSources['reportFailure']>) => Promise<() => Promise<PatchSources>>,
  pointTimeoutMs: number,
): void {
  const port = parentPort;
  if (port === null) throw new Error('runForestThread works inside a worker thread only');
  const aborts = new Map<number, AbortController>();
  const send = (message: FromForestThread): void => port.postMessage(message);
  const reportFailure = (dataset: string, error: unknown): void =>
    send({ type: 'fault', dataset, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  let opened: Promise<() => Promise<PatchSources>> | null = null;
  const requests = new Map<number, ReturnType<typeof openRequest>>();

  function requestOf(job: number): ReturnType<typeof openRequest> {
    opened ??= openSources(reportFailure);
    const request = requests.get(job) ?? openRequest(opened.then((current) => current()));
    requests.set(job, request);
    return request;
  }

  async function look({
    id,
    job,
    point,
    crs: name,
    rawOutline,
  }: Extract<ToForestThread, { type: 'look' }>): Promise<void> {
    const abort = new AbortController();
    aborts.set(id, abort);
    try {
      const { sources, shared } = requestOf(job);
      const { signal } = abort;
      const options = { crs: findCrs(name) as Crs, timeoutMs: pointTimeoutMs, signal, shared, rawOutline };
      const patch = await findPatch(point, await sources, options);
      send({ type: 'found', id, patch: writePatch(patch) });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      send({ type: 'aborted', id });
    } finally {
      aborts.delete(id);
    }
  }

  port.on('message', (message: ToForestThread) => {
    if (message.type === 'abort') aborts.get(message.id)?.abort(new Error('nobody waits for the lookup any more'));
    else if (message.type === 'forget') requests.delete(message.job);
    // A rejection brings the thread down, which the pool takes for what it is: sources that cannot be opened.
    else void look(message);
  });
}
