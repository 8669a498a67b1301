import { ConfigError, type Config } from '../../config/settings.ts';
import type { DeforestationFinding } from '../../locations/plots/check-plot.ts';
import { CatalogueError } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { DEFAULT_RASTER_DEADLINE_MS } from '../../readers/rasters/raster-spec.ts';
import { forestFinding, todayUtc } from './finding.ts';
import type { ReportFailure } from '../plots/passes.ts';
import { openPlotStatistics, type MeasurablePlot, type PlotStatisticsConfig } from '../plots/statistics.ts';
import { reportOncePerMinute } from '../world/report-once-per-minute.ts';

/** Looks for deforestation on plots whose validation was requested. */
export interface ForestChecker {
  /**
   * What is found of each plot, in their order; null where no dataset covers it. Plots are measured together. What cannot be
   * measured is `unknown` with a reason; rejects only when `signal` aborts.
   */
  check(plots: readonly MeasurablePlot[], signal: AbortSignal): Promise<readonly (DeforestationFinding | null)[]>;
  close(): Promise<void>;
}

/** The settings that the check depends on. */
type ForestCheckConfig = PlotStatisticsConfig & Pick<Config, 'checkTimeoutMs'>;

/**
 * Opens the rasters of forest and of losses of a catalogue; nothing of them is read yet. What a batch measures in addition is
 * left out, and a check waits for less than a batch: `CHECK_TIMEOUT_MS` for a file, half of it for an address, because
 * a plot has a map of forest and one of losses.
 * @throws ConfigError for an entry that says what no reader understands.
 */
export function openForestChecker(
  datasets: readonly Dataset[],
  config: ForestCheckConfig,
  report: ReportFailure = () => {},
): ForestChecker {
  const rasters = datasets
    .filter(({ role }) => role === 'forest-mask' || role === 'loss-year')
    .map((dataset) => soon(dataset, config.checkTimeoutMs));
  const measurer = openMeasurer(rasters, config, reportOncePerMinute(report));
  return {
    async check(plots, signal) {
      if (rasters.length === 0) return plots.map(() => null);
      try {
        const measured = await measurer.measure(plots, signal);
        const today = todayUtc();
        return measured.map((statistics) => forestFinding(statistics, today));
      } catch (error) {
        signal.throwIfAborted();
        report('deforestation', error);
        return plots.map(() => ({ status: 'unknown', detail: 'The plot could not be measured.' }) as const);
      }
    },
    close: () => measurer.close(),
  };
}

function openMeasurer(rasters: readonly Dataset[], config: ForestCheckConfig, report: ReportFailure) {
  try {
    return openPlotStatistics(rasters, config, report, { withEvidence: false });
  } catch (error) {
    if (error instanceof CatalogueError) throw new ConfigError(`CATALOGUE: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The same dataset with as much time as a check has: half of it for an address. */
export function soon(dataset: Dataset, checkTimeoutMs: number): Dataset {
  const { deadlineMs = DEFAULT_RASTER_DEADLINE_MS } = dataset.options;
  const patience = dataset.url === undefined ? checkTimeoutMs : Math.ceil(checkTimeoutMs / 2);
  // Something else than a number is refused by whoever reads the entry.
  return typeof deadlineMs === 'number'
    ? { ...dataset, options: { ...dataset.options, deadlineMs: Math.min(deadlineMs, patience) } }
    : dataset;
}
