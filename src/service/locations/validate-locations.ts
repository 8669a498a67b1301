import type { Config } from '../../config/settings.ts';
import { createSummary, type FacilitySummary } from '../../facilities/summarise.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import type { LocationDataset } from '../../locations/sources.ts';
import { createLocationSummary, type LocationSummary } from '../../locations/summarise-locations.ts';
import { evaluateRows, type EvaluationData, type ValidateLocationsOptions } from '../plots/evaluate-rows.ts';
import { indexLocations } from '../plots/index-locations.ts';
import type { Processing, ValidatedLocation } from '../plots/evaluate-location.ts';
import type { OpenedLocations } from './locations.ts';

interface ValidatedLocationSummary extends LocationSummary {
  readonly processing: Readonly<Record<Processing, number>>;
  readonly plots: { readonly total: number; readonly valid: number; readonly repaired: number };
  /** The aggregate of `/validate_facilities` over the facilities that were processed. */
  readonly facilities: FacilitySummary;
}

interface LocationValidation {
  readonly features: AsyncIterable<ValidatedLocation>;
  readonly aggregate: () => ValidatedLocationSummary;
}

/** Goes through the file twice: once to learn what its locations have to do with each other, once to evaluate each. */
export function validateLocations(
  opened: OpenedLocations,
  data: EvaluationData,
  checks: ValidateLocationsOptions,
  config: Pick<Config, 'facilitiesInFlight'>,
  signal: AbortSignal,
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
  async function* validated(): AsyncGenerator<ValidatedLocation, void> {
    await data.refresh?.();
    const batch = await indexLocations(opened, await openOverlay(), checks.repair, signal);
    const { watch, prepared } = opened;
    const evaluated = evaluateRows(prepared.rows(signal), 0, batch, { data, checks, config, watch, signal });
    for await (const { row, done } of evaluated) {
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
    features: validated(),
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
