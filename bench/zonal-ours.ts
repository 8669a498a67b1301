/** The measurer of this service for `zonal.ts`: `zonal-ours.ts FOLDER`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { openPlotStatistics, type MeasurablePlot } from '../src/service/plots/statistics.ts';
import type { ZonalRun } from './zonal.ts';

const folder = process.argv[2];
const plots = (JSON.parse(readFileSync(join(folder, 'plots.json'), 'utf8')) as unknown[]).map(
  (geometry): MeasurablePlot => ({ geometry, statedHa: null }),
);
const terms = {
  kind: 'cog',
  coverage: { bbox: [-180, -90, 180, 90] },
  version: '1',
  date: null,
  licence: 'CC0-1.0',
  attribution: 'synthetic',
  synthetic: true,
} as const;
const datasets: readonly Dataset[] = [
  { id: 'forest', role: 'forest-mask', path: join(folder, 'forest.tif'), options: { threshold: 30 }, ...terms },
  { id: 'losses', role: 'loss-year', path: join(folder, 'losses.tif'), options: { lastYear: 2025 }, ...terms },
];
const config = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };

process.on('message', () => void run().then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run(): Promise<ZonalRun> {
  const start = performance.now();
  const before = process.cpuUsage();
  const measurer = openPlotStatistics(datasets, config);
  const sums = { forest: 0, lost: 0, inside: 0 };
  for (const { baseline, losses } of await measurer.measure(plots, new AbortController().signal)) {
    if (baseline.status === 'measured') sums.forest += baseline.forestHa;
    for (const loss of losses) {
      if (loss.status === 'unknown') throw new Error(loss.reason);
      for (const hectares of Object.values(loss.lossHa)) sums.lost += hectares;
      for (const hectares of Object.values(loss.inBaselineHa ?? {})) sums.inside += hectares;
    }
  }
  await measurer.close();
  const peakMb = process.resourceUsage().maxRSS / 1000;
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000, ...sums, peakMb };
}
