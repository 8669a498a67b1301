/** The measurer of this service for `convergence.ts`: `convergence-ours.ts FOLDER`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { openPlotStatistics, type MeasurablePlot } from '../src/service/plots/statistics.ts';
import { LAYERS, type ConvergenceRun } from './convergence.ts';

const folder = process.argv[2];
const plots = (JSON.parse(readFileSync(join(folder, 'plots.json'), 'utf8')) as unknown[]).map(
  (geometry): MeasurablePlot => ({ geometry, statedHa: null }),
);
/** The question each layer answers: none twice, so that each has sums of its own. */
const INDICATORS = {
  forest: 'forest_2020',
  losses: 'disturbance_after_2020',
  cover: 'tree_cover_after_2020',
  primary: 'primary_forest_2020',
  planted: 'planted_forest_2020',
  crops: 'commodities_2020',
  alerts: 'agriculture_after_2020',
  parks: 'protected_land',
} as const;
const ROLES: Readonly<Record<string, Pick<Dataset, 'role' | 'options'>>> = {
  forest: { role: 'forest-mask', options: { threshold: 30 } },
  losses: { role: 'loss-year', options: { lastYear: 2025 } },
};
const datasets = LAYERS.map(({ name, yes }): Dataset => ({
  id: name,
  kind: 'cog',
  path: join(folder, `${name}.tif`),
  coverage: { bbox: [-180, -90, 180, 90] },
  version: '1',
  date: '2020',
  licence: 'CC0-1.0',
  attribution: 'synthetic',
  synthetic: true,
  ...(ROLES[name] ?? { role: 'evidence', options: { votes: [{ indicator: INDICATORS[name], from: yes }] } }),
}));
const config = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };

process.on('message', () => void run().then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run(): Promise<ConvergenceRun> {
  const start = performance.now();
  const before = process.cpuUsage();
  const measurer = openPlotStatistics(datasets, config);
  const sums = new Map<string, number>();
  for (const { evidence = [] } of await measurer.measure(plots, new AbortController().signal))
    for (const one of evidence) {
      if ('reason' in one) throw new Error(one.reason);
      if (one.indicator === INDICATORS[one.dataset as keyof typeof INDICATORS])
        sums.set(one.dataset, (sums.get(one.dataset) ?? 0) + one.yesHa);
    }
  await measurer.close();
  // Not `maxRSS`, which begins with that of the process that started this one.
  const peakMb = Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000;
  const { user, system } = process.cpuUsage(before);
  const hectares = LAYERS.map(({ name }) => sums.get(name) ?? 0);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000, hectares, peakMb };
}
