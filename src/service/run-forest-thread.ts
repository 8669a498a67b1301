import { parentPort } from 'node:worker_threads';
import { writePatch } from '../forest/feature-text.ts';
import { findPatch } from '../forest/find-patch.ts';
import type { PatchSources } from '../forest/sources.ts';
import { findCrs, type Crs } from '../geo/crs/find-crs.ts';
import type { FromForestThread, ToForestThread } from './forest-messages.ts';

/**
 * Makes this worker thread look up patches for the pool that started it. Call it once, from the entry file of the
 * thread. `openSources` is called at the first lookup.
 */
export function runForestThread(
  openSources: (reportFailure: NonNullable<PatchSources['reportFailure']>) => Promise<PatchSources>,
  pointTimeoutMs: number,
): void {
  const port = parentPort;
  if (port === null) throw new Error('runForestThread works inside a worker thread only');
  const aborts = new Map<number, AbortController>();
  const send = (message: FromForestThread): void => port.postMessage(message);
  const reportFailure = (dataset: string, error: unknown): void =>
    send({ type: 'fault', dataset, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  let sources: Promise<PatchSources> | null = null;

  async function look({ id, point, crs: name }: Extract<ToForestThread, { type: 'look' }>): Promise<void> {
    const abort = new AbortController();
    aborts.set(id, abort);
    try {
      sources ??= openSources(reportFailure);
      const crs = findCrs(name) as Crs;
      const patch = await findPatch(point, await sources, { crs, timeoutMs: pointTimeoutMs, signal: abort.signal });
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
    // A rejection brings the thread down, which the pool takes for what it is: sources that cannot be opened.
    else void look(message);
  });
}
