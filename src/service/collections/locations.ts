import { Readable } from 'node:stream';
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
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { NormalizedLocation } from '../../locations/normalized.ts';
import { openOverlay, type Overlay } from '../../locations/plots/geos.ts';
import {
  createPartIndex,
  type BatchSurroundings,
  type PartSurroundings,
} from '../../locations/plots/compared-plots.ts';
import type { StagedRow } from '../../locations/normalize-file.ts';
import { setAside } from '../../locations/set-aside.ts';
import type { TaskWatch } from '../locations/watch-crashes.ts';
import { addPlot, indexLocation } from '../plots/index-locations.ts';
import { lookUpRows, type EvaluationData, type ValidateLocationsOptions } from '../plots/evaluate-rows.ts';
import {
  evaluateLocation,
  processingOf,
  type FoundLocation,
  type ValidatedLocation,
} from '../plots/evaluate-location.ts';
import { repairRow, type RepairedRow } from '../plots/repair-row.ts';
import type { MeasurablePlot } from '../plots/statistics.ts';

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

/** The rows of a part of a batch. */
export interface OpenedPart {
  /** Number of its first location. */
  readonly first: number;
  readonly rows: readonly RepairedRow[];
  readonly watch: TaskWatch;
}

/** A location of a part, as far as it can be looked up without the rest of its batch. */
export interface LookedUpLocation {
  /** Null: locations are not validated. */
  readonly found: FoundLocation | null;
  /** What is to be measured of it, if anything. */
  readonly plot: MeasurablePlot | null;
}

/** The rows of a part as the batch was cut, without those that crashed their worker. */
export async function openPart(first: number, staged: readonly StagedRow[], watch: TaskWatch): Promise<OpenedPart> {
  const overlay = await openOverlay();
  const rows = staged.map((row, i) => {
    const crashes = watch.crashesOf('processing', first + i);
    return repairRow(crashes > 0 && row.aside === null ? setAside(row, crashes) : row, 'trusted', overlay);
  });
  return { first, rows, watch };
}

/** What the data says of each location of a part; `checks` null: not validated, only measured. */
export async function* lookUpLocations(
  { first, rows, watch }: OpenedPart,
  data: EvaluationData,
  checks: Pick<ValidateLocationsOptions, 'facility'> | null,
  config: Pick<Config, 'facilitiesInFlight'>,
  signal: AbortSignal,
): AsyncGenerator<LookedUpLocation, void> {
  if (checks !== null) {
    const repaired = Readable.from(rows.map(({ row }) => row));
    const options = { data, checks: { ...checks, repair: false }, config, watch, signal } as const;
    for await (const { row, found } of lookUpRows(repaired, first, options)) yield { found, plot: plotToMeasure(row) };
    return;
  }
  for (const [i, { row }] of rows.entries()) {
    signal.throwIfAborted();
    if (row.aside === null) watch.process(first + i);
    yield { found: null, plot: plotToMeasure(row) };
  }
}

/** The locations of a part, each evaluated by what was found of it and by the rest of its batch. */
export async function evaluateLocations(
  { first, rows, watch }: OpenedPart,
  lookedUp: readonly Pick<LookedUpLocation, 'found'>[],
  surroundings: PartSurroundings,
  batch: BatchSurroundings,
): Promise<readonly EvaluatedLocation[]> {
  const index = createPartIndex({ first }, surroundings, batch, await openOverlay());
  const isValidated = lookedUp.some(({ found }) => found !== null);
  if (isValidated) {
    for (const [i, { row }] of rows.entries()) indexLocation({ ...OF_OTHERS, ...index }, first + i, row.location);
    index.addLater();
  }
  return rows.map((repaired, i) => {
    const number = first + i;
    const { row } = repaired;
    const { aside, location } = row;
    if (aside === null) watch.process(number);
    const found = lookedUp[i]!.found;
    if (found !== null) {
      const done = evaluateLocation(repaired, number, index, found);
      return evaluated(done.feature, number, confidenceOf(done.feature), aside, () => done.earlier);
    }
    const confidence = { confidence: null, reasons: aside === null ? [] : [asideReason(location)] };
    return evaluated(location, number, confidence, aside, (shape) => {
      addPlot(index, number, location, shape);
      return index.earlierGroundOf(number);
    });
  });
}

/** Nothing that the rest of the batch says of a location changes what is measured of it. */
function plotToMeasure({ location, aside }: StagedRow): MeasurablePlot | null {
  const { location_type: type, area_ha: area } = location.properties;
  if (aside !== null || type !== 'plot' || typeof groundOf(location) === 'string') return null;
  // A stated area that is none counts as not stated.
  return { geometry: location.geometry, statedHa: area !== null && area > 0 ? area : null };
}

/** Ids and facilities are known of the whole batch already. */
const OF_OTHERS = { addId(): void {}, addFacility(): void {} } as const;

/**
 * Adds a row to what the locations of its batch are compared by: by all of it where they are validated, or only where it is a plot
 * that can be measured.
 */
export function compareRow(
  compared: Parameters<typeof indexLocation>[0],
  number: number,
  row: StagedRow,
  isValidated: boolean,
  overlay: Overlay,
): void {
  const { location } = repairRow(row, 'trusted', overlay).row;
  if (isValidated) return indexLocation(compared, number, location);
  if (row.aside !== null || location.properties.location_type !== 'plot') return;
  const ground = groundOf(location);
  if (typeof ground !== 'string') addPlot(compared, number, location, ground);
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
