import { round } from '../../geo/round.ts';
import type { PlotAlerts } from '../../plots/evidence.ts';
import { CatalogueError } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { encodeAlertDates, encodeAlerts } from '../../readers/rasters/encode-row.ts';
import { measureClasses, measurePairs } from '../../readers/rasters/measure-rasters.ts';
import { alertDates, alertRaster, type AlertDatesSpec, type AlertSpec } from '../../readers/rasters/raster-spec.ts';
import { weighAlerts } from '../../readers/rasters/weigh-alerts.ts';
import type { PassOver } from './measures.ts';
import { pass, plotsIn, type PassResult } from './passes.ts';
import { oneMap, type OpenRaster } from './rasters.ts';

/** A map of alerts, ready to be measured, with that of their days. */
export interface AlertLayer extends OpenRaster<AlertSpec, Uint8Array> {
  readonly dates: OpenRaster<AlertDatesSpec, Uint8Array>;
  /** Its entry in the catalogue. */
  readonly entry: Dataset;
}

/** What a map of alerts has on a plot, or why nothing is known of it. */
export type AlertsFound =
  | { readonly yesHa: number; readonly coveredHa: number; readonly alerts: PlotAlerts }
  | { readonly failed: string };

/** The maps of alerts of a catalogue, in its order. @throws CatalogueError that names entry and option. */
export function alertLayers(datasets: readonly Dataset[]): readonly AlertLayer[] {
  const dates = datasets
    .filter(({ role }) => role === 'alert-dates')
    .map((entry) => oneMap(alertDates(entry), encodeAlertDates));
  return datasets
    .filter(({ role }) => role === 'alerts')
    .map((entry) => {
      const spec = alertRaster(entry);
      const own = dates.find((one) => one.spec.dataset.dataset === spec.dates);
      if (own === undefined)
        throw new CatalogueError(
          `${entry.id}: options.dates: wanted the id of a dataset of the role alert-dates, got ${spec.dates}`,
        );
      return { ...oneMap(spec, encodeAlerts), dates: own, entry };
    });
}

/** Measures a map of alerts on some plots. The days are read only for plots that have an alert. */
export async function measureAlerts(
  layer: AlertLayer,
  plots: readonly number[],
  { reader, grounds, signal, report }: PassOver,
): Promise<ReadonlyMap<number, AlertsFound>> {
  const found = await pass(layer.spec, grounds, plotsIn(layer.spec, grounds, plots), signal, report, (some, inner) =>
    measureClasses(reader, layer.map, some, inner),
  );
  const alerted = [...found].filter(([, result]) => 'sums' in result && alertedHa(result.sums) > 0);
  const dated = await pass(
    layer.dates.spec,
    grounds,
    alerted.map(([plot]) => plot),
    signal,
    report,
    (some, inner) => measurePairs(reader, layer.map, layer.dates.map, some, inner),
  );
  return new Map([...found].map(([plot, result]) => [plot, summed(result, dated.get(plot))]));
}

function summed(result: PassResult, dated: PassResult | undefined): AlertsFound {
  if ('failed' in result) return result;
  if (dated !== undefined && 'failed' in dated) return dated;
  const coveredHa = result.sums.reduce((sum, hectares) => sum + hectares, 0);
  if (dated === undefined) return { yesHa: 0, coveredHa, alerts: { doubtfulHa: 0, years: null } };
  const { confirmedHa, doubtfulHa, years } = weighAlerts(dated.sums);
  return { yesHa: confirmedHa, coveredHa, alerts: { doubtfulHa: round(doubtfulHa, 6), years } };
}

/** Hectares of any status but 0, none. */
function alertedHa(sums: Float64Array): number {
  return sums.subarray(1).reduce((sum, hectares) => sum + hectares, 0);
}
