import { send, type OperationId } from '../../api/client.ts';
import type { Period } from './batch/period.ts';

interface DatasetUse {
  readonly role: string;
  readonly dataset: string;
  readonly version: string;
  readonly synthetic: boolean;
}

type ByYear = Readonly<Record<string, number>> | null;

/** What all plots of a collection come to. A total of nothing known is null; `unknown` counts the plots it leaves out. */
interface TotalsOf {
  readonly plots: number;
  readonly locations: number;
  readonly facilities: number;
  readonly problems: number;
  readonly area_ha: number | null;
  /** Hectares that lie in more than one plot, and are in the totals once. */
  readonly overlap_area_ha: number | null;
  /** Whether all plots were compared. */
  readonly overlaps_counted_once: boolean;
  readonly known: Readonly<Record<string, number>>;
  readonly unknown: Readonly<Record<string, number>>;
  readonly datasets: readonly DatasetUse[];
}

interface DeforestationTotals extends TotalsOf {
  readonly baseline_forest_ha: number | null;
  readonly noncompliance_area_ha: number | null;
  /** How many plots each year was looked at in. */
  readonly years_looked_at_counts: Readonly<Record<string, number>>;
  readonly loss_ha_by_year: ByYear;
  readonly loss_in_baseline_ha_by_year: ByYear;
  /** Locations by group; `unknown`: processed by an earlier version. */
  readonly plot_group_counts: Readonly<Record<string, number>>;
}

interface EmissionsTotals extends TotalsOf {
  readonly luc_tco2eyear: number | null;
  readonly luc_tco2ehayear: number | null;
  readonly agb_t: number | null;
  readonly agb_t_by_year: ByYear;
}

interface DiversityTotals extends TotalsOf {
  readonly diversity_score: number | null;
}

export interface Totals {
  readonly deforestation: DeforestationTotals;
  readonly emissions: EmissionsTotals;
  readonly diversity: DiversityTotals;
}

/** The totals of a measured collection over a period. */
export async function fetchTotals(id: string, { start, end }: Period, signal: AbortSignal): Promise<Totals> {
  const query = { filename: id, monitoring_start: start, monitoring_end: end, aggregate: true };
  const totals = async (operation: OperationId): Promise<TotalsOf> => {
    const response = await send(operation, { query: query as never, accept: 'application/x-ndjson', signal });
    return ((await response.json()) as { properties: TotalsOf }).properties;
  };
  const [deforestation, emissions, diversity] = await Promise.all([
    totals('fetchDeforestationCheck'),
    totals('fetchBiomassEmissions'),
    totals('fetchBiodiversity'),
  ]);
  return {
    deforestation: deforestation as DeforestationTotals,
    emissions: emissions as EmissionsTotals,
    diversity: diversity as DiversityTotals,
  };
}
