import { codesOf } from '../messages/recognised/codes-of.ts';

export interface ParcelWarning {
  readonly code: ParcelWarningCode;
  readonly message: string;
  /** What `message` says, as codes with parameters. */
  readonly messages?: ReturnType<typeof codesOf>['messages'];
}

interface WarningRow {
  /** `{word}` is filled in. */
  readonly message: string;
  readonly fix: string;
}

/** Every warning a parcel feature can carry. Those up to `outside_crs` come with a null geometry. The list is closed. */
export const PARCEL_WARNINGS = {
  invalid_point: {
    message: 'The feature has no usable point: {reason}.',
    fix: 'Send a GeoJSON Feature with a Point of [longitude, latitude] in degrees.',
  },
  outside_parcel_footprint: {
    message: 'No parcel dataset covers this place.',
    fix: 'Send `forest_fallback: true` for the forest patch instead, or import the parcels of the jurisdiction with `firstmile data import parcels`.',
  },
  no_parcel: {
    message: 'The place lies in {jurisdiction}, but in no parcel of it, such as a road allowance or water.',
    fix: 'Choose a point on the land itself. There is no forest fallback inside the coverage of a parcel dataset.',
  },
  source_unavailable: {
    message: 'The parcel could not be looked up: {reason}.',
    fix: 'Try again later.',
  },
  forest_unavailable: {
    message: 'The forest fallback gave no answer: {reason}.',
    fix: 'Try again later.',
  },
  forest_pending: {
    message: 'The forest fallback is still running; its results will be at {results}.',
    fix: 'Poll `forest_task.poll_url` until it is completed, then fetch `forest_task.results_url`; `forest_task.index` says which of its features this is.',
  },
  outside_crs: {
    message: 'The parcel lies outside the area in which {crs} can be used.',
    fix: 'Choose an `output_crs` that is made for this place, or EPSG:4326.',
  },
  several_parcels: {
    message: '{count} parcels hold this place; the smallest is given. The others: {others}.',
    fix: 'Check whether another one is meant: strata and condominium lots lie above each other.',
  },
  on_boundary: {
    message: 'The place lies on the boundary of the parcel{others}.',
    fix: 'Choose a point inside the intended parcel.',
  },
  more_parcels: {
    message: '{dataset} holds more parcels around this place than were read.',
    fix: 'Import the parcels of the place, which are read without such a limit.',
  },
  other_source_failed: {
    message: 'A dataset that is queried before this one failed: {reason}.',
    fix: 'Try again later when its parcel is wanted.',
  },
  invalid_parcel_geometry: {
    message: 'The boundary of the parcel is not valid in its source: {reason}.',
    fix: 'Repair it before you use it where a valid polygon is needed.',
  },
  kept_answer: { message: '{note}', fix: 'None needed; repeat the request later for a newer answer.' },
  synthetic_data: {
    message: 'Generated data: the dataset {dataset} describes no real place.',
    fix: 'Use it to try the service only; imported parcels are real.',
  },
} as const satisfies Record<string, WarningRow>;

type ParcelWarningCode = keyof typeof PARCEL_WARNINGS;

/** A warning with its message filled in. A word without a value stays empty. */
export function parcelWarning(code: ParcelWarningCode, words: Readonly<Record<string, string>> = {}): ParcelWarning {
  const message = PARCEL_WARNINGS[code].message.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');
  return { code, message, ...codesOf({ message }) };
}
