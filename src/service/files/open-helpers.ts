import { OWN_HEADS } from '../detection/heads.ts';
import {
  openRatingHelper,
  type LendHelpers,
  type LentHelpers,
  type RatingHelper,
} from '../facilities/rating-helper.ts';
import type { FileThreadData } from './threads.ts';
import { PARTS_OF_HELPER } from './work-in-order.ts';

/** What helpers are given, of what a thread of files has. */
type HelperData = Pick<FileThreadData, 'config' | 'data' | 'compileCache' | 'rated'>;

/** Facilities for which a helper is worth its start, a fifth of a second: they are a third of a second of work. */
const FEATURES_OF_HELPER = 2_000;
/** MB of heap after which a helper ends alone. It holds a few parts of 64 KB; packs are shared and not counted. */
const HELPER_MEMORY_MB = 192;

const NONE: LentHelpers = { helpers: [], giveBack: () => Promise.resolve() };

/**
 * Helpers for the files that a thread works on, one after the other. All files at work share them: each has its share of the
 * threads that the settings allow. They are kept for the next file, since a thread that has rated some thousand facilities is
 * twice as fast as a new one, and end with the thread of the files. Facilities whose commodities are measured have none, because
 * one thread measures for all of them; rows that are normalised have them all the same.
 */
export function helpersOf(started: HelperData, open: () => RatingHelper = () => start(started)): LendHelpers {
  const { config, data, rated } = started;
  let idle: RatingHelper[] = [];
  return (features, isRated = true) => {
    const most = isRated && isMeasured(data) ? 0 : config.fileHelpers;
    const files = Math.max(1, Atomics.load(rated, 0));
    const share = Math.floor((most + 1) / files) - 1;
    const count = Math.min(share, Math.floor(features / FEATURES_OF_HELPER));
    if (count <= 0) return NONE;
    const kept = idle.filter(({ isOpen }) => isOpen);
    const helpers = kept.splice(0, count);
    idle = kept;
    while (helpers.length < count) helpers.push(open());
    return {
      helpers,
      async giveBack(isDone) {
        if (isDone) idle.push(...helpers);
        else await Promise.all(helpers.map((helper) => helper.close()));
      },
    };
  };
}

function isMeasured({ detection: { heads, maps } }: FileThreadData['data']): boolean {
  return heads.length > OWN_HEADS.length || maps.some(({ dataset }) => !dataset.synthetic);
}

function start({ config, data, compileCache }: HelperData): RatingHelper {
  const { facilitiesInFlight, maxFeatures, fileHelpers } = config;
  // With all helpers as many are checked at the same time as without, as nearly as they can be divided.
  const own = Math.max(1, Math.round(facilitiesInFlight / (PARTS_OF_HELPER * fileHelpers + 1)));
  return openRatingHelper(
    new URL('../../app/threads/rating-thread.ts', import.meta.url),
    { config: { facilitiesInFlight: own, maxFeatures }, data, compileCache },
    HELPER_MEMORY_MB,
  );
}
