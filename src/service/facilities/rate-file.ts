import type { FacilityOptions } from '../../facilities/options.ts';
import type { ValidatedFacility } from '../../facilities/result.ts';
import type { FacilitySummary } from '../../facilities/summarise.ts';
import { type FeatureFormat, featureText } from '../../locations/formats/feature-text.ts';
import type { AheadOptions } from '../auto-data/read-ahead.ts';
import type { FacilityService } from './facilities.ts';

const MAX_INVALID_SHOWN = 10;

/** What is said of a file of facilities in addition to its results. */
export interface RatedFile {
  readonly summary: FacilitySummary;
  /** A line for each of the first invalid features. */
  readonly invalid: readonly string[];
}

export interface Rating {
  readonly facilities: FacilityService;
  /** Of a file that `inspect` found whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly options: FacilityOptions;
  readonly format: FeatureFormat;
  /** Takes the results, all of them. */
  readonly write: (text: AsyncIterable<string>) => Promise<void>;
  /** Hears of each facility that is rated, with how many are by then. */
  readonly onRated: (done: number) => void;
  readonly onFetch: AheadOptions['onProgress'];
}

/** Rates the facilities of a GeoJSON file and hands the results on as they come. */
export async function rateFile(rating: Rating, signal: AbortSignal): Promise<RatedFile> {
  const { facilities, bytes, options, format, write, onRated, onFetch } = rating;
  const run = facilities.validateBytes(bytes, options, signal, onFetch);
  const invalid: string[] = [];
  const features = (async function* (): AsyncGenerator<ValidatedFacility, void> {
    let done = 0;
    for await (const feature of run.features) {
      onRated(++done);
      const { confidence_level: level, confidence_comment: comment } = feature.properties;
      if (level === 'invalid' && invalid.length < MAX_INVALID_SHOWN)
        invalid.push(
          `  feature ${done}${feature.id === undefined ? '' : ` (id ${JSON.stringify(feature.id)})`}: ${comment}`,
        );
      yield feature;
    }
  })();
  await write(featureText(format, { features, aggregate: run.aggregate, columns: facilities.columns }));
  return { summary: run.aggregate(), invalid };
}
