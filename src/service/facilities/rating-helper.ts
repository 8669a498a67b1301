import { Worker } from 'node:worker_threads';
import type { GeojsonPart } from '../../readers/formats/geojson/features.ts';
import type { SharedWorld } from '../world/world.ts';
import type { FacilityServiceConfig } from './facilities.ts';
import type { GridPart } from '../../locations/source-table.ts';
import { HelperEnded } from '../files/work-in-order.ts';
import type { NormalizedPart, NormalizeJob } from '../locations/normalize-part.ts';
import type { PartJob, RatedPart } from './rate-part.ts';

/** What a thread that rates parts is given when it starts. */
export interface RatingThreadData {
  readonly config: FacilityServiceConfig;
  readonly data: SharedWorld;
  readonly compileCache: string | null;
}

/** What a thread is sent and what it answers, by the name of the work. */
interface HelperWork {
  readonly rate: { readonly sent: { readonly part: GeojsonPart; readonly job: PartJob }; readonly done: RatedPart };
  readonly normalize: {
    /** The job stands with its first part; the same again is null. */
    readonly sent: { readonly part: GridPart; readonly job: NormalizeJob | null };
    readonly done: NormalizedPart;
  };
}

type Kind = keyof HelperWork;

export type ToRatingThread = {
  [K in Kind]: { readonly id: number; readonly kind: K } & HelperWork[K]['sent'];
}[Kind];

export type FromRatingThread =
  | { readonly id: number; readonly done: HelperWork[Kind]['done'] }
  | { readonly id: number; readonly failed: string };

/** A thread that works on parts of files. Both reject with `HelperEnded` when the thread ends before it has answered. */
export interface RatingHelper {
  rate(part: GeojsonPart, job: PartJob): Promise<RatedPart>;
  normalize(part: GridPart, job: NormalizeJob): Promise<NormalizedPart>;
  /** Whether it can be given a part. */
  readonly isOpen: boolean;
  close(): Promise<void>;
}

/** Helpers for one file. */
export interface LentHelpers {
  readonly helpers: readonly RatingHelper[];
  /** Takes them back for the next file; those of a file that was broken off may still be at work on it, and are closed. */
  giveBack(isDone: boolean): Promise<void>;
}

/** Lends threads for a file of so many features, which are rated unless it is said that they are not; none where they would not pay. */
export type LendHelpers = (features: number, isRated?: boolean) => LentHelpers;

/** Starts a thread that works on parts. `memoryMb` is the heap after which it ends. */
export function openRatingHelper(entry: URL, data: RatingThreadData, memoryMb: number): RatingHelper {
  const waiting = new Map<number, PromiseWithResolvers<HelperWork[Kind]['done']>>();
  let isOver = false;
  let lastId = 0;
  let lastJob: NormalizeJob | null = null;
  const worker = new Worker(entry, {
    name: 'rating',
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: memoryMb },
  });
  worker.on('message', (message: FromRatingThread) => {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if ('done' in message) one?.resolve(message.done);
    else one?.reject(Object.assign(new Error('the work on a part of a file failed'), { stack: message.failed }));
  });
  // The exit follows.
  worker.on('error', () => {});
  worker.on('exit', (code) => {
    isOver = true;
    for (const { reject } of waiting.values()) reject(new HelperEnded(`the thread exited with code ${code}`));
    waiting.clear();
  });
  function send<K extends Kind>(kind: K, sent: HelperWork[K]['sent']): Promise<HelperWork[K]['done']> {
    if (isOver) return Promise.reject(new HelperEnded('the thread has ended'));
    const id = ++lastId;
    const answer = Promise.withResolvers<HelperWork[K]['done']>();
    waiting.set(id, answer as PromiseWithResolvers<HelperWork[Kind]['done']>);
    // A copy: should the thread end, the part is worked on elsewhere.
    worker.postMessage({ id, kind, ...sent } as ToRatingThread, []);
    return answer.promise;
  }

  return {
    get isOpen() {
      return !isOver;
    },
    rate: (part, job) => send('rate', { part, job }),
    normalize(part, job) {
      const isKnown = job === lastJob;
      lastJob = job;
      return send('normalize', { part, job: isKnown ? null : job });
    },
    async close() {
      await worker.terminate();
    },
  };
}
