import type { LocationsConfidence } from './plot-record.ts';

/** What checks found of one plot. */
export interface PlotFindings {
  readonly checks: readonly { readonly check: string; readonly status: 'pass' | 'warn' | 'fail' | 'unknown' }[];
  /** The place was found by its address: it is not where the user says the plot is. */
  readonly geocoded: boolean;
}

/** Geocoding below this confidence points at too many places to process any. */
export const LEAST_GEOCODE_CONFIDENCE = 0.3;

/**
 * How far a plot can be relied on, by the worst that was found of it. `invalid`: its geometry cannot be used. `low`: another
 * check failed, or the place was found by its address alone. `medium`: a check has a doubt. `high`: none has. A check that
 * could not be made says nothing either way.
 */
export function plotConfidence({
  checks,
  geocoded,
}: PlotFindings): Extract<LocationsConfidence, 'high' | 'medium' | 'low' | 'invalid'> {
  if (checks.some(({ check, status }) => check === 'geometry' && status === 'fail')) return 'invalid';
  if (geocoded || checks.some(({ status }) => status === 'fail')) return 'low';
  return checks.some(({ status }) => status === 'warn') ? 'medium' : 'high';
}

/** What keeps a plot from `high`, in words that are the same for every plot. */
export function plotReasons({ checks, geocoded }: PlotFindings): readonly string[] {
  const doubts = checks.filter(({ status }) => status === 'fail' || status === 'warn');
  return [
    ...(geocoded ? ['plots were found by their address alone'] : []),
    ...doubts.map(({ check, status }) => `plots ${status === 'fail' ? 'fail' : 'have a doubt in'} the check ${check}`),
  ];
}
