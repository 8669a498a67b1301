import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * All local checks from disk alone: packs-disk.ts FOLDER FACILITIES, for what `packs.ts` has written. Measured in a process that starts as
 * the service does, with sources that were compiled by a start before.
 */
const [folder, count] = process.argv.slice(2);
if (process.env['NODE_COMPILE_CACHE'] === undefined) measureInChild();
else await measure(Number(count));

function measureInChild(): void {
  const cache = mkdtempSync(join(tmpdir(), 'bench-packs-disk-'));
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const run = (facilities: string) =>
    spawnSync(process.execPath, [...process.execArgv, import.meta.filename, folder, facilities], {
      encoding: 'utf8',
      env,
    });
  try {
    run('1');
    const { stdout, stderr } = run(count);
    process.stdout.write(stdout || stderr);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

async function measure(facilityCount: number): Promise<void> {
  const [
    { pointShape },
    { createLog },
    { installedPacks },
    { PACKS_FOLDER, packDatasets },
    { openPackData },
    { quantile },
  ] = await Promise.all([
    import('../src/geo/shapes/shape.ts'),
    import('../src/log.ts'),
    import('../src/readers/packs/manifest.ts'),
    import('../src/readers/packs/manifest.ts'),
    import('../src/service/world/packs-data.ts'),
    import('./rounds.ts'),
  ]);
  const { signal } = new AbortController();
  const config = { dataDir: folder, cacheMaxMb: 0, packMemoryMb: 0 };
  const { packs } = await installedPacks(join(folder, PACKS_FOLDER));
  const facilities = new Float64Array(new Uint8Array(readFileSync(join(folder, 'facilities.f64'))).buffer);
  const idle = rss();
  const start = performance.now();
  const data = openPackData(packs.flatMap(packDatasets), config, createLog({ level: 'silent', json: true }));
  const each: number[] = [];
  const { sources } = data;
  for (let i = 0; i < facilityCount; i++) {
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
    `first answer ${each[0].toFixed(0)} ms after opening, then p50 ${quantile(each, 0.5).toFixed(2)}, p99 ${quantile(each, 0.99).toFixed(1)} ms a facility; RSS ${rss()} MB, ${rss() - idle} more than idle (${((performance.now() - start) / 1000).toFixed(1)} s in all)\n`,
  );
  await data.close();
}

function rss(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}
