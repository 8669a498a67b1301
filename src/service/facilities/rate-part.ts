import type { FacilityOptions } from '../../facilities/options.ts';
import type { FacilityTally } from '../../facilities/summarise.ts';
import { featureFrame, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { readGeojsonPart, type GeojsonPart } from '../../readers/formats/geojson/features.ts';
import type { FacilityService } from './facilities.ts';

/** How the parts of one file are rated and written. */
export interface PartJob {
  readonly options: FacilityOptions;
  readonly format: FeatureFormat;
}

/** The results of a part as they stand in the answer, without what comes before the first and after the last of the file. */
export interface RatedPart {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly tally: FacilityTally;
}

/**
 * Rates the features of a part, in their order.
 *
 * @throws the reason of `signal` when it aborts.
 */
export async function ratePart(
  facilities: FacilityService,
  part: GeojsonPart,
  { options, format }: PartJob,
  signal: AbortSignal,
): Promise<RatedPart> {
  const frame = featureFrame(format, facilities.columns);
  const run = facilities.validateItems(readGeojsonPart(part), options, signal);
  const texts: string[] = [];
  for await (const feature of run.features) texts.push(frame.one(feature));
  return { text: encoder.encode(texts.join(frame.between)), tally: run.tally() };
}

const encoder = new TextEncoder();
