import type { KeptAuditLog } from '../db/audit-log.ts';
import { deleteAbandonedBlobs } from '../db/blobs.ts';
import { moveResult, sweepObjects, sweepUploads } from '../db/object-store/keep-objects.ts';
import type { Store } from '../db/open-store.ts';
import { HOUR_MS } from '../durations.ts';
import { every, type Every } from '../every.ts';
import type { Log } from '../log.ts';

const EVERY_MS = 60_000;

interface StoreKeeper {
  stop(): Promise<void>;
}

interface StoreKeeperParts {
  readonly store: Pick<Store, 'db' | 'objects'>;
  readonly audit: Pick<KeptAuditLog, 'deleteExpired'>;
  readonly log: Log;
  /** Default: by the clock. */
  readonly repeat?: Every;
}

/**
 * Keeps what belongs to no other loop in order, from a minute after the start on. Once an hour deletes acts that are past their
 * retention, and what was left of files that were never stored to their end. With a bucket, once a minute moves large results into it and removes objects that nobody names any more, and once an
 * hour gives up uploads that were never finished. Any number of processes may do so; a failure is logged and tried again a minute later.
 */
export function startStoreKeeper({ store, audit, log, repeat = every }: StoreKeeperParts): StoreKeeper {
  const { db, objects } = store;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const deleteActs = hourly(async () => {
    const acts = await audit.deleteExpired();
    if (acts > 0) log.info({ acts }, 'acts past their retention were deleted from the audit log');
  });
  const deleteAbandoned = hourly(async () => {
    const files = await deleteAbandonedBlobs(db);
    if (files > 0) log.info({ files }, 'what was left of files that were never stored was deleted');
  });
  const giveUpUploads = hourly(async (now) => {
    const uploads = objects === null ? 0 : await sweepUploads(objects, now);
    if (uploads > 0) log.info({ uploads }, 'uploads that were never finished were given up');
  });

  async function keepBucket(): Promise<void> {
    if (objects === null) return;
    while (await moveResult(db, objects, stopping.signal));
    await sweepObjects(db, objects);
    await giveUpUploads();
  }

  async function tryTo(work: () => Promise<void>, failed: string): Promise<void> {
    try {
      if (!stopping.signal.aborted) await work();
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: (error as Error).cause ?? error }, failed);
    }
  }

  async function round(): Promise<void> {
    await tryTo(deleteActs, 'old acts could not be deleted from the audit log; it is tried again in a minute');
    await tryTo(deleteAbandoned, 'what is left of files cannot be deleted; it is tried again in a minute');
    await tryTo(keepBucket, 'the bucket could not be kept in order; it is tried again in a minute');
  }

  const stopRepeating = repeat(EVERY_MS, () => (running = running.then(round)));
  return {
    async stop() {
      stopping.abort(new Error('the service stops'));
      stopRepeating();
      await running;
    },
  };
}

/** Does the work where it was not done within the last hour; work that fails counts as not done. */
function hourly(work: (now: number) => Promise<void>): () => Promise<void> {
  let doneAt = -Infinity;
  return async () => {
    const now = Date.now();
    if (now - doneAt < HOUR_MS) return;
    await work(now);
    doneAt = now;
  };
}
