import type { Unknown } from '../query.ts';
import type { Finding, Indicator } from './evidence.ts';
import { metres } from './in-words.ts';
import { THRESHOLDS } from '../thresholds.ts';

interface Subject {
  /** How sentences call what is looked for. */
  readonly words: string;
  /** What a dataset of it would be. */
  readonly dataset: string;
  /** Metres around the place that are searched; absent where the place itself is all that is looked at. */
  readonly withinM?: number;
}

/** What the sentences about missing data say of each indicator. */
export const SUBJECTS = {
  country: { words: 'the country', dataset: 'country' },
  // Latitude needs no dataset and is never unknown; the entry completes the table.
  latitude: { words: 'the latitude', dataset: 'country' },
  // Only the generic mask: a commodity with rules of its own has its own sentence.
  commodity_presence: { words: 'the commodity', dataset: 'plantation' },
  poi_presence: { words: 'businesses', dataset: 'business', withinM: THRESHOLDS.businessM },
  building_presence: { words: 'buildings', dataset: 'building', withinM: THRESHOLDS.buildingM },
  road_access: { words: 'roads', dataset: 'road', withinM: THRESHOLDS.roadM },
  water_access: { words: 'water', dataset: 'water', withinM: THRESHOLDS.waterM },
  port_proximity: { words: 'ports', dataset: 'port', withinM: THRESHOLDS.portM },
  high_density: { words: 'building density', dataset: 'settlement', withinM: THRESHOLDS.denseRadiusM },
  producer_confirmation: { words: 'the producer', dataset: 'producer registry' },
} as const satisfies Record<Indicator, Subject>;

/** The finding of an indicator that is unknown: value 0, and a sentence that says why. */
export function unknownFinding(indicator: Indicator, unknown: Unknown): Finding {
  return {
    indicator,
    status: 'unknown',
    value: 0,
    dataset: null,
    detail: unknownDetail(indicator, unknown),
    cause: unknown.cause,
  };
}

/** The finding of a check that the caller did not request. It is never scored. */
export function notRequested(indicator: Indicator): Finding {
  return {
    indicator,
    status: 'unknown',
    value: 0,
    dataset: null,
    detail: NOT_REQUESTED[indicator],
    cause: 'not_requested',
  };
}

function unknownDetail(indicator: Indicator, unknown: Unknown): string {
  return unknown.cause === 'not_covered'
    ? NOT_COVERED[indicator]
    : `Could not look for ${SUBJECTS[indicator].words}: ${unknown.reason}.`;
}

/** True also where one covers the place but not all that is searched, and finds nothing in its part. */
const NOT_COVERED = sentences(({ dataset, withinM }: Subject) =>
  withinM === undefined
    ? `No ${dataset} dataset covers this place.`
    : `No ${dataset} dataset covers everything within ${metres(withinM)} of this place.`,
);

const NOT_REQUESTED = sentences(({ words }) => `Not checked: the request did not include ${words}.`);

function sentences(of: (subject: Subject) => string): Readonly<Record<Indicator, string>> {
  return Object.fromEntries(Object.entries(SUBJECTS).map(([indicator, subject]) => [indicator, of(subject)])) as Record<
    Indicator,
    string
  >;
}
