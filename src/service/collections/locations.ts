import type { Config } from '../../config/settings.ts';
import {
  LEAST_GEOCODE_CONFIDENCE,
  plotConfidence,
  plotReasons,
  type PlotFindings,
} from '../../collections/location-confidence.ts';
import type { EarlierGround, LocationsConfidence, PlotRecord } from '../../collections/plot-record.ts';
import type { Evidence } from '../../facilities/evidence/evidence.ts';
import { SUBJECTS } from '../../facilities/evidence/unknown.ts';
import type { ConfidenceLevel } from '../../facilities/thresholds.ts';
import { parseCommodity } from '../../facilities/commodity/commodity-names.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { NormalizedLocation } from '../../locations/normalized.ts';
import { createBatchIndex } from '../../locations/plots/batch-index.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import { addDeforestation, type DeforestationFinding } from '../../locations/plots/check-plot.ts';
import type { World } from '../world/world.ts';
import type { OpenedLocations } from '../locations/locations.ts';
import { addPlot, type ValidatedBefore } from '../plots/index-locations.ts';
import { confidenceIn, processingOf, type ValidatedLocation } from '../plots/evaluate-location.ts';
import { repairRow } from '../plots/repair-row.ts';
import { validateLocations, type ValidateLocationsOptions } from '../locations/validate-locations.ts';

/** A location of a batch before anything is measured. */
export interface EvaluatedLocation {
  /** Its record, whose statistics are still to come where `measurable`. */
  readonly record: PlotRecord;
  /** Why its confidence is not `high`; empty without validation. */
  readonly reasons: readonly string[];
  /** A plot with ground to measure. */
  readonly measurable: boolean;
}

const TOO_UNCERTAIN = 'not processed: validation confidence too low';

/** The locations of a file that are not stored yet, each evaluated by its own checks; `checks` null: not validated. */
export async function* evaluatedLocations(
  opened: OpenedLocations,
  data: Pick<World, 'sources' | 'citation'> & Partial<Pick<World, 'forest' | 'fetchAhead'>>,
  checks: ValidateLocationsOptions | null,
  config: Pick<Config, 'facilitiesInFlight'>,
  kept: { readonly count: number; readonly records: () => AsyncIterable<PlotRecord> },
  signal: AbortSignal,
): AsyncGenerator<EvaluatedLocation, void> {
  let number = kept.count;
  const before: ValidatedBefore = {
    count: kept.count,
    locations: async function* () {
      for await (const { feature } of kept.records()) yield feature as NormalizedLocation;
    },
  };
  if (checks !== null) {
    const { compared } = validateLocations(opened, data, checks, config, signal, before);
    for await (const { feature, earlier, aside } of compared)
      yield evaluated(feature, number++, confidenceOf(feature), aside, () => earlier);
    return;
  }
  const overlay = await openOverlay();
  const index = createBatchIndex(overlay);
  for await (const { number: at, feature, problem, locationType } of kept.records())
    if (problem === null && locationType === 'plot')
      addPlot(index, at, feature as unknown as NormalizedLocation, toShape(feature.geometry as Geometry).shape);
  for await (const row of opened.prepared.rows(signal, kept.count)) {
    const { aside } = row;
    if (aside === null) opened.watch.process(number);
    const confidence = { confidence: null, reasons: aside === null ? [] : [asideReason(row.location)] };
    const { location } = repairRow(row, 'trusted', overlay).row;
    yield evaluated(location, number, confidence, aside, (shape) => {
      addPlot(index, number, location, shape);
      return index.earlierGroundOf(number);
    });
    number++;
  }
}

function asideReason({ properties: { warnings } }: Pick<NormalizedLocation, 'properties'>): string {
  return warnings.some(({ code }) => code === 'unread_rows')
    ? 'locations stand for rows that were not read, because their worker process ended while it read on'
    : 'locations were set aside, because their worker process ended while it worked on them';
}

interface Confidence {
  readonly confidence: LocationsConfidence | null;
  readonly reasons: readonly string[];
}

function evaluated(
  location: NormalizedLocation,
  number: number,
  { confidence, reasons }: Confidence,
  aside: string | null,
  earlierGround: (shape: Shape) => EarlierGround | null,
): EvaluatedLocation {
  const { location_type: locationType } = location.properties;
  const ground = aside ?? groundOf(location);
  const problem = typeof ground === 'string' ? ground : null;
  const measurable = problem === null && locationType === 'plot';
  const earlier = typeof ground !== 'string' && measurable ? earlierGround(ground) : null;
  return {
    record: {
      number,
      locationType,
      feature: location,
      confidence,
      statistics: null,
      problem,
      commodity: commodityOf(location),
      ...(earlier === null ? {} : { earlier }),
    },
    reasons,
    measurable,
  };
}

function commodityOf({ properties: { commodity_type: name } }: NormalizedLocation): string | null {
  return name === null ? null : parseCommodity(name);
}

/** The ground of a location, or why there is nothing to measure, as a sentence. */
function groundOf(location: NormalizedLocation): Shape | string {
  const state = processingOf(location);
  const { geocode_precision: precision, geocode_confidence: confidence } = location.properties;
  if (state === 'not processed: geocoding too imprecise')
    return `${state}: the address was found no closer than its ${precision}.`;
  if (state !== 'processed') return `${state}: the row has neither coordinates nor an address that was found.`;
  if (isTooUncertain(location))
    return `${TOO_UNCERTAIN}: the address was found with a confidence of ${confidence}, below ${LEAST_GEOCODE_CONFIDENCE}.`;
  const found = toShape(location.geometry);
  if (found.shape === null) return found.fault.message;
  const { points, polygons } = found.shape;
  const isLine = points.length === 0 && polygons.length === 0;
  return isLine && location.properties.location_type === 'plot'
    ? 'A line has no area; wanted a point or a polygon.'
    : found.shape;
}

function isTooUncertain({ properties }: NormalizedLocation): boolean {
  const { geometry_source: source, geocode_confidence: confidence } = properties;
  return source === 'geocoded' && confidence !== null && confidence < LEAST_GEOCODE_CONFIDENCE;
}

/** A plot that was validated before its forest was measured, evaluated again with what was found of it. */
export function reevaluate(location: EvaluatedLocation, finding: DeforestationFinding): EvaluatedLocation {
  const before = location.record.feature as ValidatedLocation;
  const { plot_checks: checks } = before.properties;
  if (checks === undefined) return location;
  const { properties, checks: plot_checks, valid: plot_valid } = addDeforestation(before.properties, checks, finding);
  const rating = confidenceIn(plot_checks, before.properties.geometry_source === 'geocoded');
  const feature = {
    ...before,
    properties: { ...before.properties, ...properties, ...rating, plot_checks, plot_valid },
  };
  const { confidence, reasons } = confidenceOf(feature);
  return {
    ...location,
    record: { ...location.record, feature, confidence },
    reasons,
  };
}

function confidenceOf(location: ValidatedLocation): Confidence {
  const { processing, location_type: type } = location.properties;
  if (processing === 'not processed: set aside') return { confidence: null, reasons: [asideReason(location)] };
  if (processing !== 'processed') return { confidence: processing, reasons: [`locations are ${processing}`] };
  if (isTooUncertain(location)) return { confidence: TOO_UNCERTAIN, reasons: [`locations are ${TOO_UNCERTAIN}`] };
  if (type === 'facility') return facilityConfidence(location);
  const findings: PlotFindings = {
    checks: location.properties.plot_checks ?? [],
    geocoded: location.properties.geometry_source === 'geocoded',
  };
  return { confidence: plotConfidence(findings), reasons: plotReasons(findings) };
}

/** A facility has the level that `/validate_facilities` gives it; what cost it points are the reasons. */
function facilityConfidence({ properties }: ValidatedLocation): Confidence {
  const { confidence_level: level, evidence } = properties as unknown as {
    readonly confidence_level: ConfidenceLevel;
    readonly evidence: readonly Evidence[];
  };
  if (level === 'high') return { confidence: level, reasons: [] };
  if (level === 'invalid') return { confidence: level, reasons: ['facilities have a geometry that cannot be used'] };
  const costly = evidence.filter(({ penalty }) => penalty > 0);
  return {
    confidence: level,
    reasons: costly.map(({ indicator, status }) => {
      const { words } = SUBJECTS[indicator];
      // What could not be looked at speaks against nobody.
      return status === 'unknown'
        ? `facilities could not be checked for ${words}`
        : `facilities lost points for ${words}`;
    }),
  };
}
