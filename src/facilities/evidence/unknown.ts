import type { Unknown } from '../query.ts';
import type { Finding, Indicator } from './evidence.ts';
import { sentence } from './sentences.ts';
import { word, wordCode, type Said } from '../../messages/said.ts';
import { SUBJECT_WORDS } from '../../messages/subject-words.ts';
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
  country: { words: SUBJECT_WORDS.country, dataset: 'country' },
  // Latitude needs no dataset and is never unknown; the entry completes the table.
  latitude: { words: SUBJECT_WORDS.latitude, dataset: 'country' },
  // Only the generic mask: a commodity with rules of its own has its own sentence.
  commodity_presence: { words: SUBJECT_WORDS.commodity_presence, dataset: 'plantation' },
  poi_presence: { words: SUBJECT_WORDS.poi_presence, dataset: 'business', withinM: THRESHOLDS.businessM },
  building_presence: { words: SUBJECT_WORDS.building_presence, dataset: 'building', withinM: THRESHOLDS.buildingM },
  road_access: { words: SUBJECT_WORDS.road_access, dataset: 'road', withinM: THRESHOLDS.roadM },
  water_access: { words: SUBJECT_WORDS.water_access, dataset: 'water', withinM: THRESHOLDS.waterM },
  port_proximity: { words: SUBJECT_WORDS.port_proximity, dataset: 'port', withinM: THRESHOLDS.portM },
  high_density: { words: SUBJECT_WORDS.high_density, dataset: 'settlement', withinM: THRESHOLDS.denseRadiusM },
  producer_confirmation: { words: SUBJECT_WORDS.producer_confirmation, dataset: 'producer registry' },
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

function unknownDetail(indicator: Indicator, unknown: Unknown): Said {
  return unknown.cause === 'not_covered'
    ? NOT_COVERED[indicator]
    : sentence('look_failed', { subject: subjectWord(indicator), reason: unknown.reason });
}

/** What an indicator looks for, as words in a sentence. */
export function subjectWord(indicator: Indicator): Said {
  return SUBJECT_SAID[indicator];
}

const SUBJECT_SAID = sentences((indicator, { words }) => word(wordCode('subject', indicator), words));

/** True also where one covers the place but not all that is searched, and finds nothing in its part. */
const NOT_COVERED = sentences((indicator, { dataset: name, withinM }) => {
  const dataset = word(wordCode('dataset', indicator), name);
  return withinM === undefined
    ? sentence('no_dataset_here', { dataset })
    : sentence('no_dataset_within', { dataset, within_m: withinM });
});

const NOT_REQUESTED = sentences((indicator) => sentence('not_requested', { subject: subjectWord(indicator) }));

function sentences(of: (indicator: Indicator, subject: Subject) => Said): Readonly<Record<Indicator, Said>> {
  return Object.fromEntries(
    Object.entries(SUBJECTS).map(([indicator, subject]) => [indicator, of(indicator as Indicator, subject)]),
  ) as Record<Indicator, Said>;
}
