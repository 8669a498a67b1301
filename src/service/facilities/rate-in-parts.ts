import type { FacilitySummary } from '../../facilities/summarise.ts';
import { createSummary } from '../../facilities/summarise.ts';
import { featureFrame } from '../../locations/formats/feature-text.ts';
import type { GeojsonPart } from '../../readers/formats/geojson/features.ts';
import type { World } from '../world/world.ts';
import type { FacilityService } from './facilities.ts';
import { ratePart, type PartJob, type RatedPart } from './rate-part.ts';
import { HelperEnded, type RatingHelper } from './rating-helper.ts';

/** Parts that a helper is given at the same time, so that it has work while this thread waits for a processor. */
export const PARTS_OF_HELPER = 2;
/** Bytes of features that are rated together; one that is longer is rated in this thread, which is watched. */
export const PART_BYTES = 65_536;
const PART_SIZE = { features: 32, bytes: PART_BYTES } as const;
/** Parts that are cut and not handed on: where a helper waits for a processor, the other threads go on meanwhile. */
export const MOST_PARTS = 48;

/** A thread that rates parts; the first one is this thread. */
interface Lane {
  /** Parts that it takes at the same time; 0 once it has ended. */
  room: number;
  atWork: number;
  rate(part: GeojsonPart): Promise<RatedPart>;
}

/** A part on its way; parts leave in their order. */
interface Waiting {
  readonly rated: Promise<RatedPart>;
  isSettled: boolean;
}

interface RateInParts {
  readonly facilities: FacilityService;
  readonly citation: World['citation'];
  /** Of a file that `inspect` found whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly job: PartJob;
  readonly helpers: readonly RatingHelper[];
  readonly signal: AbortSignal;
}

/**
 * The answer to a file, in pieces, which `helpers` rate together with this thread: the same bytes as if one had rated all of it.
 * Parts are cut no faster than answers are taken. What a helper was given when it ended is rated here.
 */
export async function* rateInParts(work: RateInParts): AsyncGenerator<Uint8Array, FacilitySummary> {
  const { facilities, citation, bytes, job, signal } = work;
  const frame = featureFrame(job.format, facilities.columns);
  const summary = createSummary({ citation });
  let isEmpty = true;
  for await (const { text, tally } of inOrder(facilities.cut(bytes, PART_SIZE), lanesOf(work), signal)) {
    const lead = isEmpty ? frame.head : frame.between;
    if (lead !== '') yield Buffer.from(lead);
    yield text;
    summary.merge(tally);
    isEmpty = false;
  }
  const last = `${isEmpty ? frame.head : ''}${frame.end(isEmpty, summary.result)}`;
  if (last !== '') yield Buffer.from(last);
  return summary.result();
}

function lanesOf({ facilities, job, helpers, signal }: RateInParts): readonly Lane[] {
  const here: Lane = { room: 1, atWork: 0, rate: (part) => ratePart(facilities, part, job, signal) };
  return [
    here,
    ...helpers.map((helper): Lane => {
      const lane = {
        room: PARTS_OF_HELPER,
        atWork: 0,
        async rate(part: GeojsonPart): Promise<RatedPart> {
          try {
            return await helper.rate(part, job);
          } catch (error) {
            if (!(error instanceof HelperEnded) || signal.aborted) throw error;
            lane.room = 0;
            return await here.rate(part);
          }
        },
      };
      return lane;
    }),
  ];
}

async function* inOrder(
  parts: AsyncIterable<GeojsonPart>,
  lanes: readonly Lane[],
  signal: AbortSignal,
): AsyncGenerator<RatedPart, void> {
  const waiting: Waiting[] = [];
  let changed = Promise.withResolvers<void>();

  function start(part: GeojsonPart, lane: Lane): void {
    lane.atWork++;
    const one: Waiting = { rated: lane.rate(part), isSettled: false };
    const settle = (): void => {
      lane.atWork--;
      one.isSettled = true;
      changed.resolve();
    };
    one.rated.then(settle, settle);
    waiting.push(one);
  }

  for await (const part of parts) {
    for (;;) {
      signal.throwIfAborted();
      while (isReady(waiting)) yield await waiting.shift()!.rated;
      const lane = waiting.length < MOST_PARTS ? laneFor(part, lanes) : null;
      if (lane !== null) {
        start(part, lane);
        break;
      }
      changed = Promise.withResolvers();
      if (!isReady(waiting)) await changed.promise;
    }
  }
  for (const { rated } of waiting) yield await rated;
}

function isReady(waiting: readonly Waiting[]): boolean {
  return waiting.length > 0 && waiting[0].isSettled;
}

/** Helpers first, since this thread has the cutting and the writing to do as well. */
function laneFor({ bytes }: GeojsonPart, lanes: readonly Lane[]): Lane | null {
  const able = bytes.length > PART_BYTES ? lanes.slice(0, 1) : lanes.toReversed();
  return able.find(({ atWork, room }) => atWork < room) ?? null;
}
