import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pointShape } from '../src/geo/point-shape.ts';
import { createLog } from '../src/log.ts';
import { installedDatasets } from '../src/service/packs.ts';
import { openPackData } from '../src/service/packs-data.ts';
import { quantile } from './rounds.ts';

/** All local checks from disk alone: packs-disk.ts FOLDER FACILITIES, for what `packs.ts` has written. */
const [folder, count] = process.argv.slice(2);
const { signal } = new AbortController();
const config = { dataDir: folder, cacheMaxMb: 0, packMemoryMb: 0 };
const { datasets } = await installedDatasets(config);
const facilities = new Float64Array(new Uint8Array(readFileSync(join(folder, 'facilities.f64'))).buffer);
const idle = rss();
const start = performance.now();
const data = openPackData(datasets, config, createLog({ level: 'silent', json: true }));
const each: number[] = [];
const { sources } = data;
for (let i = 0; i < Number(count); i++) {
  const begun = performance.now();
  const shape = pointShape(facilities[2 * i], facilities[2 * i + 1]);
  await Promise.all([
    sources.nearestRoad(shape, 1_000, signal),
    sources.nearestWater(shape, 5_000, signal),
    sources.nearestPort(shape, 50_000, signal),
    sources.buildings(shape, 100, signal),
    sources.businesses('palm', shape, 2_000, signal),
    sources.density(shape, signal),
  ]);
  each.push(performance.now() - begun);
}
process.stdout.write(
  `first answer ${each[0].toFixed(0)} ms after opening, then p50 ${quantile(each, 0.5).toFixed(1)}, p99 ${quantile(each, 0.99).toFixed(1)} ms a facility; RSS ${rss()} MB, ${rss() - idle} more than idle (${Math.round((performance.now() - start) / 1000)} s in all)\n`,
);
await data.close();

function rss(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}
