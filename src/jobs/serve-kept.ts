import type { KeptRequest, KeptStore } from './kept-parts.ts';
import type { TaskRun } from './task-run.ts';

/** Does what a thread asked about kept parts; `lost` when the run is no longer this process's. */
export async function serveKept(
  store: KeptStore | undefined,
  run: TaskRun,
  request: KeptRequest,
): Promise<{ readonly lost: boolean; readonly value: unknown }> {
  if (store === undefined) throw new Error('the queue of this task keeps no parts');
  switch (request.type) {
    case 'list':
      return { lost: false, value: await store.list(run) };
    case 'crashes':
      return { lost: false, value: await store.crashes(run) };
    case 'begin':
      return { lost: !(await store.begin(run, request.item)), value: null };
    case 'keep':
      return { lost: !(await store.keep(run, request.part, request.bytes)), value: null };
    case 'read': {
      const bytes = await store.read(run, request.seq);
      // A driver's buffer is a view of a larger one.
      return { lost: false, value: bytes === null ? null : new Uint8Array(bytes) };
    }
  }
}
