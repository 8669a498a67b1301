import { parentPort, workerData } from 'node:worker_threads';
import { useCompileCache } from '../../jobs/compile-cache.ts';
import { giveWay } from '../../jobs/give-way.ts';
import type { GridPart } from '../../locations/source-table.ts';
import type { GeojsonPart } from '../../readers/formats/geojson/features.ts';
import type { PartJob, RatedPart } from '../../service/facilities/rate-part.ts';
import type { SourceMemory } from '../../service/locations/locations.ts';
import type { NormalizedPart, NormalizeJob } from '../../service/locations/normalize-part.ts';
import type { FromRatingThread, RatingThreadData, ToRatingThread } from '../../service/facilities/rating-helper.ts';

const { config, data, compileCache } = workerData as RatingThreadData;
giveWay();
useCompileCache(compileCache);
const [{ openSharedWorld }, { openFailureReporter }] = await Promise.all([
  import('../../service/world/world.ts'),
  import('../../service/files/thread-failures.ts'),
]);
const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread only');
const world = openSharedWorld(data, openFailureReporter());
// The thread is ended when nobody wants its answers any more.
const { signal } = new AbortController();
let rate: ReturnType<typeof openRater> | null = null;
let normalize: ReturnType<typeof openNormalizer> | null = null;

port.on('message', (message: ToRatingThread) => {
  const { id } = message;
  work(message).then(
    (done) => port.postMessage({ id, done } satisfies FromRatingThread, [done.text.buffer]),
    (error: unknown) => port.postMessage({ id, failed: stackOf(error) } satisfies FromRatingThread, []),
  );
});

async function work(message: ToRatingThread): Promise<RatedPart | NormalizedPart> {
  if (message.kind === 'rate') return await (await (rate ??= openRater()))(message.part, message.job);
  return await (
    await (normalize ??= openNormalizer())
  )(message.part, message.job);
}

/** Loaded when it is needed, as the next: most threads do one of the two alone, and each takes memory. */
async function openRater(): Promise<(part: GeojsonPart, job: PartJob) => Promise<RatedPart>> {
  const [{ createFacilityService, FEATURE_BYTES }, { ratePart }] = await Promise.all([
    import('../../service/facilities/facilities.ts'),
    import('../../service/facilities/rate-part.ts'),
  ]);
  const facilities = createFacilityService(world, config, FEATURE_BYTES.atOnce);
  return (part, job) => ratePart(facilities, part, job, signal);
}

async function openNormalizer(): Promise<(part: GridPart, job: NormalizeJob | null) => Promise<NormalizedPart>> {
  const [{ normalizePart }, { createSourceMemory, createSources }] = await Promise.all([
    import('../../service/locations/normalize-part.ts'),
    import('../../service/locations/locations.ts'),
  ]);
  let current: { readonly job: NormalizeJob; readonly memory: SourceMemory } | null = null;
  return (part, job) => {
    if (job !== null) current = { job, memory: createSourceMemory() };
    if (current === null) throw new Error('a part came before its job');
    return normalizePart(part, current.job, createSources(world, current.memory), signal);
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
