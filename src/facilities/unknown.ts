import type { Unknown } from './ask.ts';
import type { Finding, Indicator } from './evidence.ts';

interface Subject {
  /** How sentences call what is looked for. */
  readonly words: string;
  /** What a dataset of it would be. */
  readonly dataset: string;
}

/** What the sentences about missing data say of each indicator. */
export const SUBJECTS = {
  country: { words: 'the country', dataset: 'country' },
  // Latitude needs no dataset and is never unknown; the entry completes the table.
  latitude: { words: 'the latitude', dataset: 'country' },
  // Only the generic mask: a commodity with rules of its own has its own sentence.
  commodity_presence: { words: 'the commodity', dataset: 'plantation' },
  poi_presence: { words: 'businesses', dataset: 'business' },
  building_presence: { words: 'buildings', dataset: 'building' },
  road_access: { words: 'roads', dataset: 'road' },
  water_access: { words: 'water', dataset: 'water' },
  port_proximity: { words: 'ports', dataset: 'port' },
  high_density: { words: 'building density', dataset: 'settlement' },
  producer_confirmation: { words: 'the producer', dataset: 'producer registry' },
} as const satisfies Record<Indicator, Subject>;

/** The finding of an indicator nobody could tell: value 0, and a sentence that says why. */
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

/** The finding of a check the caller did not ask for. It is never scored. */
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

const NOT_COVERED = sentences(({ dataset }) => `No ${dataset} dataset covers this place.`);

const NOT_REQUESTED = sentences(({ words }) => `Not checked: the request did not ask for ${words}.`);

function sentences(of: (subject: Subject) => string): Readonly<Record<Indicator, string>> {
  return Object.fromEntries(Object.entries(SUBJECTS).map(([indicator, subject]) => [indicator, of(subject)])) as Record<
    Indicator,
    string
  >;
}
