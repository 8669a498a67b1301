import { codesOf } from '../messages/recognised/codes-of.ts';

export interface ForestWarning {
  readonly code: ForestWarningCode;
  readonly message: string;
  /** What `message` says, as codes with parameters. */
  readonly messages?: ReturnType<typeof codesOf>['messages'];
}

interface WarningRow {
  /** `{word}` is filled in. */
  readonly message: string;
  readonly fix: string;
}

/** Every warning a forest feature can carry. Those up to `outside_crs` come with a null geometry. The list is closed. */
export const FOREST_WARNINGS = {
  invalid_point: {
    message: 'The feature has no usable point: {reason}.',
    fix: 'Send a GeoJSON Feature with a Point of [longitude, latitude] in degrees.',
  },
  outside_coverage: {
    message: 'No dataset of embeddings or segment labels covers this place.',
    fix: 'Check the coordinates; `/datasets` lists what is covered.',
  },
  nodata: {
    message: 'The dataset {dataset} has no data at this place.',
    fix: 'Choose a point nearby; clouds, open sea and the edges of images leave holes.',
  },
  background: {
    message: 'The segment at this place is not forest{detail}.',
    fix: 'Check the coordinates; a place outside forest has no forest patch.',
  },
  source_unavailable: {
    message: 'The place could not be looked up: {reason}.',
    fix: 'Try again later; with `async_mode=true` there is more time.',
  },
  outside_crs: {
    message: 'The forest patch lies outside the area in which {crs} can be used.',
    fix: 'Choose an `output_crs` that is made for this place, or EPSG:4326.',
  },
  segment_truncated: {
    message: 'The forest patch goes on beyond the {extent} around the point that were searched; it was cut off there.',
    fix: 'Treat the outline as the part of the patch around the point. Another point may give another part.',
  },
  outline_redrawn: {
    message:
      'The point lies in a corner of its segment that smoothing cuts off, {metres} m from the outline that other points of {segment} get; the outline was drawn again so that it holds the point.',
    fix: 'Compare patches by `segment_id`, not by their outlines. Both outlines have the area of the segment within 1 %.',
  },
  smoothing_skipped: {
    message: 'The outline is that of the raster: no smoothing of it would keep its area and stay valid.',
    fix: 'None needed; the polygon is right, but has steps.',
  },
  synthetic_data: {
    message: 'Generated data: the dataset {dataset} describes no real place.',
    fix: 'Use it to try the service only; a catalogue with real embeddings gives real patches.',
  },
} as const satisfies Record<string, WarningRow>;

type ForestWarningCode = keyof typeof FOREST_WARNINGS;

/** A warning with its message filled in. A word without a value stays empty. */
export function forestWarning(code: ForestWarningCode, words: Readonly<Record<string, string>> = {}): ForestWarning {
  const message = FOREST_WARNINGS[code].message.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');
  return { code, message, ...codesOf({ message }) };
}

/** What a client may know of each kind of failed read. Addresses, paths and words of servers stay in the log. */
const READ_FAULTS: Readonly<Record<string, string>> = {
  transport: 'it could not be reached',
  offline: 'this machine has no network',
  timeout: 'it did not answer in time',
  status: 'it refused to be read',
  short: 'an answer ended early',
  changed: 'it was replaced while it was read',
  contract: 'it is no longer what its contract says; GET /datasets says more',
};

/** Why sources failed, as the end of a sentence: each reason once, after the datasets that it is of. */
export function describeFailures(failures: readonly { readonly dataset: string; readonly error: unknown }[]): string {
  const byReason = Map.groupBy(failures, ({ error }) => describeFailure(error));
  return [...byReason]
    .map(([reason, of]) => `${[...new Set(of.map(({ dataset }) => dataset))].join(', ')}: ${reason}`)
    .join('; ');
}

/** Why a source failed, as the end of a sentence. Holds nothing of the error's own words. */
export function describeFailure(error: unknown): string {
  const { name, kind } = error as { readonly name?: unknown; readonly kind?: unknown };
  if (name === 'TimeoutError') return 'it did not answer in time';
  return (typeof kind === 'string' ? READ_FAULTS[kind] : undefined) ?? 'its data could not be read';
}
