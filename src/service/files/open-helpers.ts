import { OWN_HEADS } from '../detection/heads.ts';
import { openRatingHelper, type OpenHelpers } from '../facilities/rating-helper.ts';
import type { FileThreadData } from './threads.ts';

/** Facilities for which starting a thread, a fifth of a second, is worth it: a third of a second of work. */
const FEATURES_OF_HELPER = 2_000;
/** MB of heap after which a helper ends alone. It holds a few parts of 64 KB; packs are shared and not counted. */
const HELPER_MEMORY_MB = 192;

/**
 * Helpers for the file that a thread works on. All files at work share them: each has its share of the threads that the
 * settings allow. Where commodities are measured there are none, since one thread measures for all of them.
 */
export function helpersOf({ config, data, compileCache, rated }: FileThreadData): OpenHelpers {
  const { heads, maps } = data.detection;
  const isMeasured = heads.length > OWN_HEADS.length || maps.some(({ dataset }) => !dataset.synthetic);
  return (features, job) => {
    if (isMeasured) return [];
    const files = Math.max(1, Atomics.load(rated, 0));
    const share = Math.floor((config.fileHelpers + 1) / files) - 1;
    const count = Math.max(0, Math.min(share, Math.floor(features / FEATURES_OF_HELPER)));
    if (count === 0) return [];
    const { facilitiesInFlight, maxFeatures } = config;
    // What is checked at the same time is as much as without helpers, as nearly as it can be divided.
    const own = { facilitiesInFlight: Math.max(1, Math.round(facilitiesInFlight / (2 * count + 1))), maxFeatures };
    return Array.from({ length: count }, () =>
      openRatingHelper(
        new URL('../../app/threads/rating-thread.ts', import.meta.url),
        { config: own, data, job, compileCache },
        HELPER_MEMORY_MB,
      ),
    );
  };
}
