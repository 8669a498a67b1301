import { Worker } from 'node:worker_threads';
import type { GeojsonPart } from '../../readers/formats/geojson/features.ts';
import type { SharedWorld } from '../world/world.ts';
import type { FacilityServiceConfig } from './facilities.ts';
import type { PartJob, RatedPart } from './rate-part.ts';

/** What a thread that rates parts is given when it starts. */
export interface RatingThreadData {
  readonly config: FacilityServiceConfig;
  readonly data: SharedWorld;
  readonly compileCache: string | null;
}

export interface ToRatingThread {
  readonly id: number;
  readonly part: GeojsonPart;
  readonly job: PartJob;
}

export type FromRatingThread =
  | { readonly id: number; readonly rated: RatedPart }
  | { readonly id: number; readonly failed: string };

/** A thread that rates parts. */
export interface RatingHelper {
  /** Rejects with `HelperEnded` when the thread ends before it has answered. */
  rate(part: GeojsonPart, job: PartJob): Promise<RatedPart>;
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

/** Lends threads for a file of so many features; none where they would not pay. */
export type LendHelpers = (features: number) => LentHelpers;

/** The thread is gone: it crashed, ran out of memory, or was closed. */
export class HelperEnded extends Error {}

/** Starts a thread that rates parts. `memoryMb` is the heap after which it ends. */
export function openRatingHelper(entry: URL, data: RatingThreadData, memoryMb: number): RatingHelper {
  const waiting = new Map<number, PromiseWithResolvers<RatedPart>>();
  let isOver = false;
  let lastId = 0;
  const worker = new Worker(entry, {
    name: 'rating',
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  worker.on('message', (message: FromRatingThread) => {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if ('rated' in message) one?.resolve(message.rated);
    else one?.reject(Object.assign(new Error('rating a part of a file failed'), { stack: message.failed }));
  });
  // The exit follows.
  worker.on('error', () => {});
  worker.on('exit', (code) => {
    isOver = true;
    for (const { reject } of waiting.values()) reject(new HelperEnded(`the thread exited with code ${code}`));
    waiting.clear();
  });
  return {
    get isOpen() {
      return !isOver;
    },
    rate(part, job) {
      if (isOver) return Promise.reject(new HelperEnded('the thread has ended'));
      const id = ++lastId;
      const answer = Promise.withResolvers<RatedPart>();
      waiting.set(id, answer);
      // A copy: should the thread end, the part is rated elsewhere.
      worker.postMessage({ id, part, job } satisfies ToRatingThread, []);
      return answer.promise;
    },
    async close() {
      await worker.terminate();
    },
  };
}
