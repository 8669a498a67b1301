import type { ValidatedFacility } from '../facilities/result.ts';
import { parseCommodity } from '../facilities/commodities.ts';
import { validateFacility } from '../facilities/validate-facility.ts';
import type { NormalizedLocation } from '../locations/normalized.ts';
import type { BatchIndex } from '../locations/plots/batch-index.ts';
import { checkPlot, type PlotCheck } from '../locations/plots/check-plot.ts';
import { plotFindings, type Judging } from './plot-findings.ts';
import type { RepairedRow } from './repair-row.ts';

export const PROCESSING = [
  'processed',
  'not processed: geocoding failed',
  'not processed: geocoding too imprecise',
] as const;
export type Processing = (typeof PROCESSING)[number];

/** A location with what its checks found: a facility has the result of `/validate_facilities`, a plot its own checks. */
export interface ValidatedLocation {
  readonly type: 'Feature';
  readonly id?: string | number;
  readonly geometry: unknown;
  readonly properties: NormalizedLocation['properties'] & {
    readonly processing: Processing;
    readonly plot_valid?: boolean;
    readonly plot_checks?: readonly PlotCheck[];
    readonly repair_log?: readonly string[];
  };
}

interface Judged {
  readonly feature: ValidatedLocation;
  /** The location with the warnings of its row and plot alone: those of facilities are another list. */
  readonly counted: NormalizedLocation;
  /** The facility's own result; null for a plot and for what was not processed. */
  readonly rated: ValidatedFacility | null;
}

/** What the checks of a location find. `index` is its place in the file. */
export async function judgeLocation(
  { row, log }: RepairedRow,
  index: number,
  batch: BatchIndex,
  judging: Judging,
): Promise<Judged> {
  const { location } = row;
  const { location_type: type } = location.properties;
  const state = processingOf(location);
  if (state !== 'processed')
    return {
      feature: { ...location, properties: { ...location.properties, processing: state } },
      counted: location,
      rated: null,
    };
  if (type === 'facility') return await rate(location, judging);
  const findings = await plotFindings(location, judging);
  const { properties, checks, valid } = checkPlot(row, location.geometry, index, batch, findings);
  const more = {
    processing: state,
    plot_valid: valid,
    plot_checks: checks,
    ...(log === null ? {} : { repair_log: log }),
  };
  const feature = { ...location, properties: { ...properties, ...more } };
  return { feature, counted: feature, rated: null };
}

async function rate(location: NormalizedLocation, { data, facility, signal }: Judging): Promise<Judged> {
  const { properties } = location;
  const own =
    properties.commodity_type === null
      ? facility
      : { ...facility, commodity: parseCommodity(properties.commodity_type), commodityText: properties.commodity_type };
  const input = {
    ...location,
    properties: { facility_name: properties.name ?? properties.supplier_name, country: properties.country },
  };
  const rated = await validateFacility(input, own, data.sources, signal);
  const warnings = [...properties.warnings, ...rated.properties.warnings];
  return {
    feature: {
      ...location,
      properties: {
        ...properties,
        processing: 'processed',
        ...rated.properties,
        warnings,
      } as unknown as ValidatedLocation['properties'],
    },
    counted: location,
    rated,
  };
}

/** Contract: coarser than a settlement is too imprecise to judge anything by. */
export function processingOf({ properties }: NormalizedLocation): Processing {
  const { geometry_source: source, geocode_precision: precision, warnings } = properties;
  if (precision === 'region' || precision === 'country') return 'not processed: geocoding too imprecise';
  return source === 'none' && warnings.some(({ code }) => code === 'geocoding_failed' || code === 'no_location')
    ? 'not processed: geocoding failed'
    : 'processed';
}
