import type { Biomass, Measured } from '../../collections/plot-record.ts';
import { measureBiomass, unknown } from '../../collections/statistics/assemble-statistics.ts';
import { measureValues } from '../../readers/rasters/measure-rasters.ts';
import { NOT_COVERED, type PassOver } from './measures.ts';
import { pass, plotsIn } from './passes.ts';
import type { PlotRasters } from './rasters.ts';

/** Tonnes of biomass of each plot by year, from the first dataset that has any data on it. */
export async function measureBiomasses({ biomass }: PlotRasters, over: PassOver): Promise<Measured<Biomass>[]> {
  const { reader, grounds, signal, report } = over;
  const found: Measured<Biomass>[] = grounds.map(() => unknown(NOT_COVERED));
  let open = grounds.map((_, plot) => plot);
  for (const { spec, maps } of biomass) {
    const asked = plotsIn(spec, grounds, open);
    const sums = new Map(asked.map((plot) => [plot, new Map<number, { tonnes: number; knownHa: number }>()]));
    const failed = new Map<number, string>();
    for (const [year, map] of maps) {
      const plots = asked.filter((plot) => !failed.has(plot));
      const results = await pass(spec, grounds, plots, signal, report, (some, inner) =>
        measureValues(reader, map, some, inner),
      );
      for (const [plot, result] of results) {
        if ('failed' in result) failed.set(plot, result.failed);
        else sums.get(plot)?.set(year, { tonnes: result.sums[0], knownHa: result.sums[1] });
      }
    }
    for (const [plot, years] of sums) {
      const reason = failed.get(plot);
      found[plot] = reason === undefined ? measureBiomass(spec.dataset, grounds[plot].areaHa, years) : unknown(reason);
      // One without data leaves the plot to the next dataset; one that failed does not.
      if (found[plot].status === 'measured' || reason !== undefined) open = open.filter((one) => one !== plot);
    }
  }
  return found;
}
