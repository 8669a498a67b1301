import { parentPort, workerData } from 'node:worker_threads';
import { useCompileCache } from '../../jobs/compile-cache.ts';
import { giveWay } from '../../jobs/give-way.ts';
import type { FromRatingThread, RatingThreadData, ToRatingThread } from '../../service/facilities/rating-helper.ts';

const { config, data, compileCache } = workerData as RatingThreadData;
giveWay();
useCompileCache(compileCache);
const [{ createFacilityService, FEATURE_BYTES }, { openSharedWorld }, { openFailureReporter }, { ratePart }] =
  await Promise.all([
    import('../../service/facilities/facilities.ts'),
    import('../../service/world/world.ts'),
    import('../../service/files/thread-failures.ts'),
    import('../../service/facilities/rate-part.ts'),
  ]);
const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread only');
const facilities = createFacilityService(openSharedWorld(data, openFailureReporter()), config, FEATURE_BYTES.atOnce);
// The thread is ended when nobody wants its answers any more.
const { signal } = new AbortController();
port.on('message', ({ id, part, job }: ToRatingThread) => {
  ratePart(facilities, part, job, signal).then(
    (rated) => port.postMessage({ id, rated } satisfies FromRatingThread, [rated.text.buffer]),
    (error: unknown) => port.postMessage({ id, failed: stackOf(error) } satisfies FromRatingThread, []),
  );
});

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
