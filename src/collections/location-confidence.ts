import type { LocationsConfidence } from './plot-record.ts';

/** What checks found of one plot. */
export interface PlotFindings {
  readonly checks: readonly { readonly check: string; readonly status: 'pass' | 'warn' | 'fail' | 'unknown' }[];
  /** The place was found by its address: it is not where the user says the plot is. */
  readonly geocoded: boolean;
}

/** Geocoding below this confidence points at too many places to process any. */
export const LEAST_GEOCODE_CONFIDENCE = 0.3;

type PlotConfidence = Extract<LocationsConfidence, 'high' | 'medium' | 'low' | 'invalid'>;

/** The checks without which no plot is `high`. */
const NEEDED = ['position', 'country', 'commodity_zone', 'commodity', 'deforestation'];

/** Without a facility in the batch there is nothing to look at: that says nothing of the plot. */
const OPTIONAL = new Set(['facility_distance']);

/**
 * How far a plot can be relied on, by the worst that was found of it. `invalid`: its geometry cannot be used. `low`: another
 * check failed, or the place was found by its address alone. `medium`: a check has a doubt, or something could not be looked
 * at. `high`: position, commodity and deforestation were looked at, as was everything else, and passed.
 */
export function plotConfidence({ checks, geocoded }: PlotFindings): PlotConfidence {
  if (checks.some(({ check, status }) => check === 'geometry' && status === 'fail')) return 'invalid';
  if (geocoded || checks.some(({ status }) => status === 'fail')) return 'low';
  return checks.some(({ status }) => status === 'warn') || notLookedAt(checks).length > 0 ? 'medium' : 'high';
}

/** What keeps a plot from `high`, in words that are the same for every plot. */
export function plotReasons({ checks, geocoded }: PlotFindings): readonly string[] {
  const doubts = checks.filter(({ status }) => status === 'fail' || status === 'warn');
  return [
    ...(geocoded ? ['plots were found by their address alone'] : []),
    ...doubts.map(({ check, status }) => `plots ${status === 'fail' ? 'fail' : 'have a doubt in'} the check ${check}`),
    ...notLookedAt(checks).map((check) => `plots could not be checked for ${check}`),
  ];
}

/** The checks that nobody could make, those that are missing altogether among them. */
function notLookedAt(checks: PlotFindings['checks']): readonly string[] {
  const unknown = checks.filter(({ check, status }) => status === 'unknown' && !OPTIONAL.has(check));
  const missing = NEEDED.filter((name) => !checks.some(({ check }) => check === name));
  return [...unknown.map(({ check }) => check), ...missing];
}

const VERDICTS = { fail: 'Failed', warn: 'In doubt', unknown: 'Not looked at' } as const;

/** The same of one plot, with what its checks say; as `location_confidence_reasons` gives it. */
export function plotReasonsInFull(
  checks: readonly {
    readonly check: string;
    readonly status: keyof typeof VERDICTS | 'pass';
    readonly detail: string;
  }[],
  geocoded: boolean,
): readonly string[] {
  return [
    ...(geocoded ? ['The place was found by its address alone.'] : []),
    ...checks.flatMap(({ check, status, detail }) =>
      status === 'pass' || (status === 'unknown' && OPTIONAL.has(check))
        ? []
        : [`${VERDICTS[status]}: ${check}. ${detail}`],
    ),
  ];
}
