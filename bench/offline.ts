/**
 * What a machine without network pays for `AUTO_DATA=on`: the mills of the sample list are rated by the command with it on and
 * off, in turns, once nothing answers and once every connection hangs. Prints medians and their ratio, which is to stay under 1.1.
 * The first run of each folder, in which the network is looked for, is printed apart.
 *
 * Run: node bench/offline.ts [rounds]   (on a machine without network, or `refused` measures something else)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { SHARED_DATA } from '../test/shared-data.ts';
import { median, ms } from './rounds.ts';

const ROOT = join(import.meta.dirname, '..');
const NETWORKS = {
  refused: [],
  hanging: [`--import=${join(import.meta.dirname, 'hanging-network.ts')}`],
} as const;
const rounds = Number(process.argv[2] ?? 7);
const folder = await mkdtemp(join(tmpdir(), 'firstmile-offline-'));
const mills = join(folder, 'mills.geojson');

try {
  await writeFile(mills, JSON.stringify({ type: 'FeatureCollection', features: millFeatures() }));
  for (const [network, options] of Object.entries(NETWORKS)) {
    const times = { on: [] as number[], off: [] as number[] };
    for (let round = 0; round <= rounds; round++)
      for (const setting of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const))
        times[setting].push(await run(join(folder, network, setting), setting, options));
    const [on, off] = [times.on, times.off].map((all) => median(all.slice(1)));
    const firsts = `first runs ${ms(times.on[0])} and ${ms(times.off[0])} ms`;
    console.log(`${network}: on ${ms(on)} ms, off ${ms(off)} ms, ratio ${(on / off).toFixed(2)}; ${firsts}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Milliseconds of one command. */
async function run(dataDir: string, setting: 'on' | 'off', options: readonly string[]): Promise<number> {
  await mkdir(dataDir, { recursive: true });
  const words = ['bin/firstmile.js', 'validate', mills, '--commodity', 'palm', '-o', join(dataDir, 'out.json'), '-q'];
  const begun = performance.now();
  const child = spawn(process.execPath, [...options, ...words], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, AUTO_DATA: setting },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  return performance.now() - begun;
}

function millFeatures(): readonly object[] {
  const path = join(SHARED_DATA, 'facilities/palm_mills_sample.csv');
  const rows = parse(readFileSync(path), { columns: true }) as Record<string, string>[];
  return rows.map((row) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [Number(row['Longitude']), Number(row['Latitude'])] },
    properties: { name: row['Mill_Name'] },
  }));
}
