import type { Config } from '../config.ts';
import type { FacilityOptions } from '../facilities/options.ts';
import type { ValidatedFacility } from '../facilities/result.ts';
import { parseCommodity } from '../facilities/commodities.ts';
import { createSummary, type FacilitySummary } from '../facilities/summarise.ts';
import { validateFacility } from '../facilities/validate-facility.ts';
import { describeFailure } from '../forest/describe-failure.ts';
import type { Geometry } from '../geo/geometry.ts';
import type { Shape } from '../geo/shape.ts';
import type { PreparedRow } from '../locations/normalize-file.ts';
import type { NormalizedLocation } from '../locations/normalized.ts';
import { comparable, createBatchIndex, type BatchIndex } from '../locations/plots/batch-index.ts';
import {
  checkPlot,
  type DeforestationFinding,
  type PlotCheck,
  type PlotFindings,
} from '../locations/plots/check-plot.ts';
import { openOverlay, type Overlay } from '../locations/plots/geos.ts';
import { repairGeometry } from '../locations/plots/repair-geometry.ts';
import type { LocationDataset } from '../locations/sources.ts';
import { createLocationSummary, type LocationSummary } from '../locations/summarise-locations.ts';
import { byGravity, locationWarning } from '../locations/warnings.ts';
import { toShape } from '../geo/to-shape.ts';
import type { FacilityData } from './facility-data.ts';
import type { OpenedLocations } from './locations.ts';
import { gatherPlots } from './gather-plots.ts';
import { inOrder } from './in-order.ts';
import type { MeasurablePlot } from './plot-statistics.ts';

export interface ValidateLocationsOptions {
  readonly facility: FacilityOptions;
  /** Repair geometries that cannot be used, with a log of the changes. */
  readonly repair: boolean;
}

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

export interface ValidatedLocationSummary extends LocationSummary {
  readonly processing: Readonly<Record<Processing, number>>;
  readonly plots: { readonly total: number; readonly valid: number; readonly repaired: number };
  /** The aggregate of `/validate_facilities` over the facilities that were processed. */
  readonly facilities: FacilitySummary;
}

export interface LocationValidation {
  readonly features: AsyncIterable<ValidatedLocation>;
  readonly aggregate: () => ValidatedLocationSummary;
}

/** Without `forest` nothing is looked for on plots, and the check of deforestation is unknown: a batch measures them later. */
type Data = Pick<FacilityData, 'sources' | 'citation'> & Partial<Pick<FacilityData, 'refresh' | 'forest'>>;

/** Locations at the beginning of a file that were validated before, and are not again. */
export interface ValidatedBefore {
  readonly count: number;
  /** As they were then. */
  readonly locations: () => AsyncIterable<Pick<NormalizedLocation, 'geometry' | 'properties'>>;
}

const NOTHING_BEFORE: ValidatedBefore = { count: 0, locations: async function* () {} };

/**
 * Goes through the file twice: once to learn what its locations have to do with each other, once to judge each that was not
 * judged before.
 */
export function validateLocations(
  opened: OpenedLocations,
  data: Data,
  { facility, repair }: ValidateLocationsOptions,
  config: Pick<Config, 'facilitiesInFlight'>,
  signal: AbortSignal,
  before = NOTHING_BEFORE,
): LocationValidation {
  const summary = createLocationSummary(opened.file, opened.prepared.tables, opened.sources);
  const facilities = createSummary({ facility, citation: data.citation });
  const processing: Record<Processing, number> = {
    processed: 0,
    'not processed: geocoding failed': 0,
    'not processed: geocoding too imprecise': 0,
  };
  const plots = { total: 0, valid: 0, repaired: 0 };
  const measuredOn = new Map<string, LocationDataset>();
  const { forest } = data;
  const deforestation = gatherPlots((asked: readonly MeasurablePlot[]) =>
    forest === undefined ? Promise.resolve(asked.map(() => null)) : forest.check(asked, signal),
  );

  async function* features(): AsyncGenerator<ValidatedLocation, void> {
    await data.refresh?.();
    const overlay = await openOverlay();
    const batch = await gather(opened, overlay, repair, before, signal);
    let index = before.count;
    const judged = inOrder(opened.prepared.rows(signal, before.count), config.facilitiesInFlight, async (row) => ({
      row,
      done: await judge(repaired(row, repair, overlay), index++, batch, { data, facility, deforestation, signal }),
    }));
    for await (const { row, done } of judged) {
      const { feature, counted, rated } = done;
      summary.add(counted, row.table);
      processing[feature.properties.processing]++;
      if (rated !== null) facilities.add(rated);
      if (feature.properties.location_type === 'plot') plots.total++;
      if (feature.properties.plot_valid === true) plots.valid++;
      if (feature.properties.repair_log !== undefined) plots.repaired++;
      for (const { dataset, version } of datasetsOf(feature)) {
        const cited = measuredOn.has(dataset) ? null : data.citation(dataset, version);
        if (cited !== null) measuredOn.set(dataset, cited);
      }
      yield feature;
    }
  }

  return {
    features: features(),
    aggregate: () => ({
      ...summary.result(),
      datasets: [...opened.sources.datasets(), ...measuredOn.values()],
      processing: { ...processing },
      plots: { ...plots },
      facilities: facilities.result(),
    }),
  };
}

function datasetsOf({ properties }: ValidatedLocation): readonly { dataset: string; version: string }[] {
  return properties.plot_checks?.flatMap(({ receipt }) => receipt?.datasets ?? []) ?? [];
}

async function gather(
  opened: OpenedLocations,
  overlay: Overlay,
  repair: boolean,
  before: ValidatedBefore,
  signal: AbortSignal,
): Promise<BatchIndex> {
  const index = createBatchIndex();
  let at = 0;
  const add = (location: Pick<NormalizedLocation, 'geometry' | 'properties'>): void => {
    const { location_type: type, location_id: id, source_row: row } = location.properties;
    const found = location.geometry === null ? null : comparable(location.geometry);
    if (id !== null) index.addId(at, row, id);
    if (found !== null && type === 'facility') index.addFacility(found.shape.inside, row);
    if (found !== null && type === 'plot') index.addPlot({ index: at, row, ...found });
    at++;
  };
  for await (const location of before.locations()) {
    signal.throwIfAborted();
    add(location);
  }
  for await (const prepared of opened.prepared.rows(signal, before.count))
    add(repaired(prepared, repair, overlay).row.location);
  return index.finish(overlay);
}

interface RepairedRow {
  readonly row: PreparedRow;
  readonly log: readonly string[] | null;
}

function repaired(row: PreparedRow, repair: boolean, overlay: Overlay): RepairedRow {
  const fixed = repair && row.location.geometry !== null ? repairGeometry(row.location.geometry, overlay) : null;
  if (fixed === null) return { row, log: null };
  const { properties } = row.location;
  const warning = locationWarning(
    'geometry_repaired',
    { row: properties.source_row },
    { changes: fixed.log.join('; ') },
  );
  const others = properties.warnings.filter(({ code }) => code !== 'invalid_geometry');
  const location = {
    ...row.location,
    geometry: fixed.geometry,
    properties: { ...properties, warnings: byGravity([...others, warning]) },
  };
  return { row: { ...row, location }, log: fixed.log };
}

interface Judging {
  readonly data: Data;
  readonly facility: FacilityOptions;
  readonly deforestation: (plot: MeasurablePlot) => Promise<DeforestationFinding | null>;
  readonly signal: AbortSignal;
}

interface Judged {
  readonly feature: ValidatedLocation;
  /** The location with the warnings of its row and plot alone: those of facilities are another list. */
  readonly counted: NormalizedLocation;
  /** The facility's own result; null for a plot and for what was not processed. */
  readonly rated: ValidatedFacility | null;
}

async function judge({ row, log }: RepairedRow, index: number, batch: BatchIndex, judging: Judging): Promise<Judged> {
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
  const findings = await findingsOf(location, judging);
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

/** Contract: coarser than a settlement is too imprecise to judge anything by. */
export function processingOf({ properties }: NormalizedLocation): Processing {
  const { geometry_source: source, geocode_precision: precision, warnings } = properties;
  if (precision === 'region' || precision === 'country') return 'not processed: geocoding too imprecise';
  return source === 'none' && warnings.some(({ code }) => code === 'geocoding_failed' || code === 'no_location')
    ? 'not processed: geocoding failed'
    : 'processed';
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

/** Share of a plot under its commodity from which it counts as present. */
const PRESENT_SHARE = 0.05;

const NO_GROUND = { status: 'unknown', detail: 'The plot has no usable geometry.' } as const;

async function findingsOf({ geometry, properties }: NormalizedLocation, judging: Judging): Promise<PlotFindings> {
  const { shape } = toShape(geometry as Geometry | null);
  if (shape === null) return { commodity: NO_GROUND, deforestation: NO_GROUND };
  const { area_ha: area } = properties;
  const statedHa = area !== null && area > 0 ? area : null;
  const asked = [commodityOf(shape, properties, judging), judging.deforestation({ geometry, statedHa })] as const;
  // Nothing goes on behind the caller's back when one rejects.
  await Promise.allSettled(asked);
  const [commodity, deforestation] = await Promise.all(asked);
  return { commodity, deforestation };
}

async function commodityOf(
  shape: Shape,
  properties: NormalizedLocation['properties'],
  { data, facility, signal }: Judging,
): Promise<PlotFindings['commodity']> {
  const commodity = properties.commodity_type === null ? facility.commodity : parseCommodity(properties.commodity_type);
  if (commodity === null) return { status: 'unknown', detail: 'No commodity that has a detector was named.' };
  try {
    const answer = await data.sources.commodityShare(commodity, shape, 0, signal);
    if (answer === null) return null;
    const { share, detail } = answer.value;
    return {
      status: share >= PRESENT_SHARE ? 'pass' : 'warn',
      detail: `${(share * 100).toFixed(1)} % of the plot is ${commodity}. ${detail}`,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    // Its own words may hold paths and addresses: they are for the log.
    data.sources.reportFailure?.('commodity', error);
    return { status: 'unknown', detail: `The commodity could not be looked up: ${describeFailure(error)}.` };
  }
}
