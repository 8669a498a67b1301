import type { Diversity, Measured } from '../../collections/plot-record.ts';
import { measureDiversity, noData, unknown } from '../../collections/statistics/assemble-statistics.ts';
import { raoOfNumbers } from '../../geo/zonal/rao-q.ts';
import { visitValues } from '../../readers/rasters/measure-rasters.ts';
import type { DiversityOfEmbeddings } from './embeddings.ts';
import type { PassOver } from './measures.ts';
import { pass, plotsIn } from './passes.ts';
import type { PlotRasters } from './rasters.ts';

/** Heights are taken to this part of a metre; no map of them is more exact. */
const STEPS_PER_METRE = 10;

/**
 * Rao's Q of each plot: of canopy heights in metres where a dataset of them has data, else of embeddings. A dataset that
 * fails leaves its plots unknown; without network embeddings of this machine answer.
 */
export async function measureDiversities(
  { canopy }: PlotRasters,
  embeddings: DiversityOfEmbeddings,
  over: PassOver,
): Promise<Measured<Diversity>[]> {
  const { reader, grounds, signal, report } = over;
  const found: Measured<Diversity>[] = grounds.map(() => unknown('no dataset covers the plot'));
  let open = grounds.map((_, plot) => plot);
  for (const { spec, map, year } of canopy) {
    const { largestHa } = spec;
    const reached = plotsIn(spec, grounds, open);
    const queried = reached.filter((plot) => largestHa === null || grounds[plot].areaHa <= largestHa);
    for (const plot of reached)
      if (!queried.includes(plot))
        found[plot] = unknown(`${spec.dataset.dataset}: plots above ${largestHa} hectares are not measured on it`);
    const heights = queried.map(() => new Map<number, number>());
    const results = await pass(spec, grounds, queried, signal, report, (some, inner) =>
      visitValues(reader, map, some, inner, (plot, weights, values, count) =>
        addHeights(weights, values, count, heights[plot]),
      ),
    );
    const settled = new Set<number>();
    queried.forEach((plot, i) => {
      const result = results.get(plot);
      if (result !== undefined && 'failed' in result) {
        found[plot] = unknown(result.failed);
        // Embeddings on this machine say of their own what they are the basis of.
        if (result.isOffline === true) return;
      } else {
        const knownHa = heights[i].values().reduce((sum, weight) => sum + weight, 0);
        const covered = { use: spec.dataset, knownHa, areaHa: grounds[plot].areaHa };
        const score = raoOfNumbers(heights[i]) / STEPS_PER_METRE;
        found[plot] =
          knownHa > 0 ? measureDiversity(covered, { score, basis: 'canopy-height', year }) : noData(spec.dataset);
        if (knownHa === 0) return;
      }
      settled.add(plot);
    });
    open = open.filter((plot) => !settled.has(plot));
  }
  for (const plot of open) {
    const measured = await embeddings.measure(grounds[plot], signal);
    if (measured !== null) found[plot] = measured;
  }
  return found;
}

/** Adds the hectares of each height, counted in steps. */
function addHeights(weights: Float64Array, values: Float32Array, count: number, out: Map<number, number>): void {
  for (let i = 0; i < count; i++) {
    const value = values[i];
    if (weights[i] === 0 || Number.isNaN(value)) continue;
    const step = Math.round(value * STEPS_PER_METRE);
    out.set(step, (out.get(step) ?? 0) + weights[i]);
  }
}
