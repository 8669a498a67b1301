import { HOUR_MS } from '../durations.ts';
import { moveResult, sweepObjects, sweepUploads } from '../db/object-store/keep-objects.ts';
import type { Store } from '../db/open-store.ts';
import type { Log } from '../log.ts';

const EVERY_MS = 60_000;

interface ObjectKeeper {
  stop(): Promise<void>;
}

/**
 * Once a minute moves large results into the bucket and removes objects that nobody names any more, and once an hour gives up
 * uploads that were never finished. Any number of processes may do so; a failure is logged and tried again the next time.
 * Null without a bucket.
 */
export function startObjectKeeper({ db, objects }: Pick<Store, 'db' | 'objects'>, log: Log): ObjectKeeper | null {
  if (objects === null) return null;
  const stopping = new AbortController();
  let uploadsAt = -Infinity;
  let running: Promise<void> = Promise.resolve();

  const round = async (): Promise<void> => {
    try {
      while (await moveResult(db, objects, stopping.signal));
      await sweepObjects(db, objects);
      if (Date.now() - uploadsAt < HOUR_MS) return;
      uploadsAt = Date.now();
      const uploads = await sweepUploads(objects, uploadsAt);
      if (uploads > 0) log.info({ uploads }, 'uploads that were never finished were given up');
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.warn(
        { err: (error as Error).cause ?? error },
        'the bucket could not be kept in order; it is tried again in a minute',
      );
    }
  };
  const timer = setInterval(() => (running = running.then(round)), EVERY_MS);
  timer.unref();
  return {
    async stop() {
      stopping.abort(new Error('the service stops'));
      clearInterval(timer);
      await running;
    },
  };
}
