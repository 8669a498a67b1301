import type { Biomass, Measured, PlotStatistics } from '../plot-record.ts';
import type { MonitoringPeriod } from './monitoring-period.ts';
import { round } from '../../geo/round.ts';

/** Tonnes of carbon in a tonne of dry matter: IPCC 2006, volume 4, table 4.3, tropical and subtropical forest, all parts of a tree. */
const CARBON_FRACTION = 0.47;
/** Tonnes of carbon dioxide in a tonne of carbon: IPCC 2006, volume 4, section 2.2.3. */
const CO2_PER_CARBON = 44 / 12;

interface EmissionOptions {
  /**
   * Tonnes of root in a tonne of shoot (IPCC 2019 refinement, volume 4, table 4.4). Default 0: roots are left out, because
   * the table's value depends on a forest's kind and age, which nothing here knows.
   */
  readonly rootToShoot?: number;
}

/** Emissions of a plot by the change of its biomass. Above 0: given off; below 0: taken up. Tonnes with 4 decimals. */
export interface EmissionsMeasured {
  readonly status: 'measured';
  /** Tonnes of CO2 a year of the whole plot. */
  readonly luc_tco2eyear: number;
  /** Tonnes of CO2 a year and hectare of the plot. */
  readonly luc_tco2ehayear: number;
  /** Years of the two maps that were compared. */
  readonly from_year: number;
  readonly to_year: number;
  /** Tonnes of dry matter above ground in both years. */
  readonly from_tonnes: number;
  readonly to_tonnes: number;
  readonly dataset: string;
  readonly version: string;
  readonly synthetic: boolean;
}

type Emissions =
  | EmissionsMeasured
  | {
      readonly status: 'unknown';
      readonly reason: string;
      readonly luc_tco2eyear: null;
      readonly luc_tco2ehayear: null;
    };

/**
 * Emissions of land use change over a period by the stock-difference method: `(C_t2 - C_t1) / (t2 - t1)` (IPCC 2006, volume
 * 4, equation 2.5), with `C = biomass * (1 + R) * CF` (equation 2.8) and 44/12 tonnes of CO2 a tonne of carbon. Above-ground
 * biomass alone: dead wood, litter and soil are not in the maps.
 *
 * The maps compared are the last one not after the year the period begins in, else the first there is, and the last one not
 * after the year it ends in. Unknown where that gives no two maps.
 */
export function measureEmissions(
  { biomass, areaHa }: Pick<PlotStatistics, 'biomass' | 'areaHa'>,
  period: MonitoringPeriod,
  { rootToShoot = 0 }: EmissionOptions = {},
): Emissions {
  if (biomass.status === 'unknown') return unknown(biomass.reason);
  const years = yearsOf(biomass);
  const pair = chooseYears(years, Number(period.start.slice(0, 4)), Number(period.end.slice(0, 4)));
  if (pair === null)
    return unknown(
      `wanted maps of two years from ${period.start} to ${period.end}, got ${years.length === 0 ? 'none' : years.join(', ')} from ${biomass.dataset}`,
    );
  const [fromYear, toYear] = pair;
  const from = biomass.tonnes[fromYear] ?? 0;
  const to = biomass.tonnes[toYear] ?? 0;
  const carbon = ((to - from) / (toYear - fromYear)) * CARBON_FRACTION * (1 + rootToShoot);
  const perYear = carbon === 0 ? 0 : -carbon * CO2_PER_CARBON;
  return {
    status: 'measured',
    luc_tco2eyear: round(perYear, 4),
    luc_tco2ehayear: round(perYear / (areaHa * biomass.coveredShare), 4),
    from_year: fromYear,
    to_year: toYear,
    from_tonnes: from,
    to_tonnes: to,
    dataset: biomass.dataset,
    version: biomass.version,
    synthetic: biomass.synthetic,
  };
}

function yearsOf({ tonnes }: Extract<Measured<Biomass>, { status: 'measured' }>): number[] {
  return Object.keys(tonnes)
    .map(Number)
    .toSorted((a, b) => a - b);
}

function chooseYears(years: readonly number[], start: number, end: number): readonly [number, number] | null {
  const from = years.findLast((year) => year <= start) ?? years[0];
  const to = years.findLast((year) => year <= end);
  return from === undefined || to === undefined || to <= from ? null : [from, to];
}

function unknown(reason: string): Emissions {
  return { status: 'unknown', reason, luc_tco2eyear: null, luc_tco2ehayear: null };
}
