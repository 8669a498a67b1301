import type { Config } from '../../config/settings.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import { createSummary, type FacilitySummary } from '../../facilities/summarise.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import type { EarlierGround } from '../../locations/plots/batch-index.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { PreparedRow } from '../../locations/normalize-file.ts';
import type { LocationDataset } from '../../locations/sources.ts';
import { createLocationSummary, type LocationSummary } from '../../locations/summarise-locations.ts';
import type { World } from '../world/world.ts';
import { gatherPlots } from '../plots/gather-plots.ts';
import { inOrder } from '../world/in-order.ts';
import { indexLocations, type ValidatedBefore } from '../plots/index-locations.ts';
import { evaluateLocation, processingOf, type Processing, type ValidatedLocation } from '../plots/evaluate-location.ts';
import type { OpenedLocations } from './locations.ts';
import type { MeasurablePlot } from '../plots/statistics.ts';
import { repairRow, type RepairMode } from '../plots/repair-row.ts';

export interface ValidateLocationsOptions {
  readonly facility: FacilityOptions;
  /** Repair geometries that cannot be used, with a log of the changes. */
  readonly repair: RepairMode;
}

interface ValidatedLocationSummary extends LocationSummary {
  readonly processing: Readonly<Record<Processing, number>>;
  readonly plots: { readonly total: number; readonly valid: number; readonly repaired: number };
  /** The aggregate of `/validate_facilities` over the facilities that were processed. */
  readonly facilities: FacilitySummary;
}

/** A validated location, and where a plot lies on earlier plots of the file; null where it was not compared with them. */
interface ComparedLocation {
  readonly feature: ValidatedLocation;
  readonly earlier: EarlierGround | null;
  /** Why it was not validated, as a sentence; null where no worker crashed on it. */
  readonly aside: string | null;
}

interface LocationValidation {
  readonly features: AsyncIterable<ValidatedLocation>;
  /** The same locations as `features`: one of the two is read. */
  readonly compared: AsyncIterable<ComparedLocation>;
  readonly aggregate: () => ValidatedLocationSummary;
}

/** Without `forest` nothing is looked for on plots, and the check of deforestation is unknown: a batch measures them later. */
type Data = Pick<World, 'sources' | 'citation'> & Partial<Pick<World, 'refresh' | 'forest' | 'fetchAhead'>>;

const NOTHING_BEFORE: ValidatedBefore = { count: 0, locations: async function* () {} };

/**
 * Goes through the file twice: once to learn what its locations have to do with each other, once to evaluate each that was not
 * evaluated before.
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
  const facilities = createSummary({ citation: data.citation });
  const processing: Record<Processing, number> = {
    processed: 0,
    'not processed: geocoding failed': 0,
    'not processed: geocoding too imprecise': 0,
    'not processed: set aside': 0,
  };
  const plots = { total: 0, valid: 0, repaired: 0 };
  const measuredOn = new Map<string, LocationDataset>();
  const { forest } = data;
  const deforestation = gatherPlots((plots: readonly MeasurablePlot[]) =>
    forest === undefined ? Promise.resolve(plots.map(() => null)) : forest.check(plots, signal),
  );

  async function* compare(): AsyncGenerator<ComparedLocation, void> {
    await data.refresh?.();
    const overlay = await openOverlay();
    const batch = await indexLocations(opened, overlay, repair, before, signal);
    let index = before.count;
    const { watch, prepared } = opened;
    const inFlight = watch.isOneByOne ? 1 : config.facilitiesInFlight;
    const rows = prepared.rows(signal, before.count);
    // One by one nothing is read ahead, so that it is known at which location a thread ends.
    const ready = watch.isOneByOne ? rows : (data.fetchAhead?.(rows, facilityShape, { signal }) ?? rows);
    const evaluated = inOrder(ready, inFlight, async (row) => {
      const at = index++;
      if (row.aside === null) watch.process(at);
      const evaluation = { data, facility, deforestation, signal };
      return { row, done: await evaluateLocation(repairRow(row, repair, overlay), at, batch, evaluation) };
    });
    for await (const { row, done } of evaluated) {
      const { feature, counted, rated, earlier } = done;
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
      yield { feature, earlier, aside: row.aside };
    }
  }

  const compared = compare();
  return {
    features: featuresOf(compared),
    compared,
    aggregate: () => ({
      ...summary.result(),
      datasets: [...opened.sources.datasets(), ...measuredOn.values()],
      processing: { ...processing },
      plots: { ...plots },
      facilities: facilities.result(),
    }),
  };
}

/** What a row has to have map data fetched for. */
function facilityShape({ location }: PreparedRow): Shape | null {
  const isRated = location.properties.location_type === 'facility' && processingOf(location) === 'processed';
  return isRated ? toShape(location.geometry).shape : null;
}

async function* featuresOf(compared: AsyncIterable<ComparedLocation>): AsyncGenerator<ValidatedLocation, void> {
  for await (const { feature } of compared) yield feature;
}

function datasetsOf({ properties }: ValidatedLocation): readonly { dataset: string; version: string }[] {
  return properties.plot_checks?.flatMap(({ receipt }) => receipt?.datasets ?? []) ?? [];
}
