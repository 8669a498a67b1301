import { plotConfidence, plotReasonsInFull } from '../../collections/location-confidence.ts';
import type { LocationsConfidence } from '../../collections/plot-record.ts';
import { codesOf } from '../../messages/recognised/codes-of.ts';
import type { FacilityWarning } from '../../facilities/evidence/warnings.ts';
import type { FacilityResult, ValidatedFacility } from '../../facilities/result.ts';
import { validateFacility } from '../../facilities/validate-facility.ts';
import type { LocationProperties, NormalizedLocation } from '../../locations/normalized.ts';
import { hasUnreadPosition } from '../../locations/locate-row.ts';
import type { BatchIndex, EarlierGround } from '../../locations/plots/batch-index.ts';
import { checkPlot, type PlotCheck, type PlotFindings } from '../../locations/plots/check-plot.ts';
import { plotFindings, type EvaluationContext } from './plot-findings.ts';
import type { LocationWarning } from '../../locations/warnings.ts';
import type { RepairedRow } from './repair-row.ts';
import type { UncheckedFeature } from '../../geo/geometry.ts';

export const PROCESSING = [
  'processed',
  'not processed: geocoding failed',
  'not processed: geocoding too imprecise',
  'not processed: set aside',
] as const;
export type Processing = (typeof PROCESSING)[number];

/** A location with what its checks found: a facility has the result of `/validate_facilities`, a plot its own checks. */
export type ValidatedLocation = UncheckedFeature<
  LocationProperties & {
    readonly processing: Processing;
    readonly plot_valid?: boolean;
    /** Of a plot: how far it can be relied on. */
    readonly location_confidence?: LocationsConfidence;
    /** Of a plot: what keeps it from `high`, one sentence or a few each. */
    readonly location_confidence_reasons?: readonly string[];
    readonly messages?: ReturnType<typeof codesOf>['messages'];
    readonly plot_checks?: readonly PlotCheck[];
    readonly repair_log?: readonly string[];
  }
>;

export interface EvaluatedRow {
  readonly feature: ValidatedLocation;
  /** The location with the warnings of its row and plot alone: those of facilities are another list. */
  readonly counted: NormalizedLocation;
  /** The facility's own result; null for a plot and for what was not processed. */
  readonly rated: ValidatedFacility | null;
  /** Where a plot lies on earlier plots of the file; null where it was not compared with them. */
  readonly earlier: EarlierGround | null;
}

/** What the data says of a location, whatever else its file holds: nothing of one that is not processed. */
export type FoundLocation =
  | { readonly type: 'nothing' }
  | { readonly type: 'facility'; readonly done: EvaluatedRow }
  | { readonly type: 'plot'; readonly findings: PlotFindings };

/** Looks up what can be said of a location alone. */
export async function lookUpLocation({ row }: RepairedRow, context: EvaluationContext): Promise<FoundLocation> {
  const { location } = row;
  if (stateOf(row) !== 'processed') return { type: 'nothing' };
  if (location.properties.location_type === 'facility')
    return { type: 'facility', done: await rate(location, context) };
  return { type: 'plot', findings: await plotFindings(location, row.statedCountry, context) };
}

/** What the checks of a location find, by what was found of it and by the rest of its file. `index` is its place in the file. */
export function evaluateLocation(
  { row, log }: RepairedRow,
  index: number,
  batch: BatchIndex,
  found: FoundLocation,
): EvaluatedRow {
  const { location } = row;
  const state = stateOf(row);
  if (state !== 'processed' || found.type === 'nothing')
    return {
      feature: { ...location, properties: { ...location.properties, processing: state } },
      counted: location,
      rated: null,
      earlier: null,
    };
  if (found.type === 'facility') return found.done;
  const { properties, checks, valid } = checkPlot(row, location.geometry, index, batch, found.findings);
  const more = {
    processing: state,
    plot_valid: valid,
    ...confidenceIn(checks, location.properties.geometry_source === 'geocoded'),
    plot_checks: checks,
    ...(log === null ? {} : { repair_log: log }),
  };
  const feature = { ...location, properties: { ...properties, ...more } };
  const isUsable = checks.every(({ check, status }) => check !== 'geometry' || status !== 'fail');
  return { feature, counted: feature, rated: null, earlier: isUsable ? batch.earlierGroundOf(index) : null };
}

function stateOf({ aside, location }: RepairedRow['row']): Processing {
  return aside === null ? processingOf(location) : 'not processed: set aside';
}

/** How far a plot can be relied on, by what its checks found. */
function confidenceIn(
  checks: readonly PlotCheck[],
  geocoded: boolean,
): Pick<ValidatedLocation['properties'], 'location_confidence' | 'location_confidence_reasons' | 'messages'> {
  const reasons = plotReasonsInFull(checks, geocoded);
  return {
    location_confidence: plotConfidence({ checks, geocoded }),
    location_confidence_reasons: reasons,
    ...codesOf({ location_confidence_reasons: reasons }),
  };
}

async function rate(
  location: NormalizedLocation,
  { data, facility, signal }: EvaluationContext,
): Promise<EvaluatedRow> {
  const { properties } = location;
  const input = {
    ...location,
    properties: {
      facility_name: properties.name ?? properties.supplier_name,
      country: properties.country_code,
      commodity_type: properties.commodity_type,
    },
  };
  const rated = await validateFacility(input, facility, data.sources, signal);
  const warned = withoutRepeats(properties.warnings, rated.properties);
  return {
    feature: {
      ...location,
      properties: {
        ...properties,
        processing: 'processed',
        ...rated.properties,
        ...warned,
      } as ValidatedLocation['properties'],
    },
    counted: location,
    rated,
    earlier: null,
  };
}

/**
 * The warnings of a row and then those of its facility, each fault once: where both name one, that of the row stays, which has the
 * number of the row and how it is put right. A warning of a row that names a column is about what is written there.
 */
function withoutRepeats(
  own: readonly LocationWarning[],
  { warnings, primary_warning }: FacilityResult,
): { readonly warnings: readonly (LocationWarning | FacilityWarning)[]; readonly primary_warning: string | null } {
  const ofPlace = new Map<string, LocationWarning>(
    own.flatMap((warning) => (warning.column === undefined ? [[warning.code, warning]] : [])),
  );
  // That the geometry is none, or unusable, follows from what stands in the row and is no position.
  const unread = own.find((one) => one.code === 'out_of_range' || hasUnreadPosition({ warnings: [one] }));
  if (unread !== undefined) ofPlace.set('invalid_geometry', unread);
  const [primary] = warnings;
  return {
    warnings: [...own, ...warnings.filter(({ code }) => !ofPlace.has(code))],
    primary_warning: primary === undefined ? primary_warning : (ofPlace.get(primary.code) ?? primary).message,
  };
}

/** Contract: coarser than a settlement is too imprecise to evaluate anything. */
export function processingOf({ properties }: Pick<NormalizedLocation, 'properties'>): Processing {
  const { geometry_source: source, geocode_precision: precision, warnings } = properties;
  if (precision === 'region' || precision === 'country') return 'not processed: geocoding too imprecise';
  return source === 'none' && warnings.some(({ code }) => code === 'geocoding_failed' || code === 'no_location')
    ? 'not processed: geocoding failed'
    : 'processed';
}
