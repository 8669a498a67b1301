import type { FacilitySummary } from '../../facilities/summarise.ts';
import { createSummary } from '../../facilities/summarise.ts';
import { featureFrame } from '../../locations/formats/feature-text.ts';
import type { GeojsonPart } from '../../readers/formats/geojson/features.ts';
import type { World } from '../world/world.ts';
import type { FacilityService } from './facilities.ts';
import { ratePart, type PartJob, type RatedPart } from './rate-part.ts';
import { lanesOf, workInOrder } from '../files/work-in-order.ts';
import type { RatingHelper } from './rating-helper.ts';

/** Bytes of features that are rated together; one that is longer is rated in this thread, which is watched. */
export const PART_BYTES = 65_536;
const PART_SIZE = { features: 32, bytes: PART_BYTES } as const;
/** Parts that are cut and not handed on: where a helper waits for a processor, the other threads go on meanwhile. */
export const MOST_PARTS = 48;

interface RateInParts {
  readonly facilities: FacilityService;
  readonly citation: World['citation'];
  /** Of a file that `inspect` found whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly job: PartJob;
  readonly helpers: readonly Pick<RatingHelper, 'rate'>[];
  readonly signal: AbortSignal;
}

/**
 * The answer to a file, in pieces, which `helpers` rate together with this thread: the same bytes as if one had rated all of it.
 * Parts are cut no faster than answers are taken. What a helper was given when it ended is rated here.
 */
export async function* rateInParts(work: RateInParts): AsyncGenerator<Uint8Array, FacilitySummary> {
  const { facilities, citation, bytes, job, helpers, signal } = work;
  const frame = featureFrame(job.format, facilities.columns);
  const summary = createSummary({ citation });
  let isEmpty = true;
  const here = (part: GeojsonPart): Promise<RatedPart> => ratePart(facilities, part, job, signal);
  const rated = workInOrder({
    parts: facilities.cut(bytes, PART_SIZE),
    lanes: lanesOf(helpers, here, (helper, part) => helper.rate(part, job), signal),
    most: MOST_PARTS,
    isLarge: (part) => part.bytes.length > PART_BYTES,
    signal,
  });
  for await (const { text, tally } of rated) {
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
