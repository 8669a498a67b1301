/**
 * An upload of 10,000 facilities to the running service, with a pack of 1 M roads and 2 M buildings: whether it comes back whole and in
 * order, and what each facility takes with all checks. Run: packs-upload.ts [size = 1] [FOLDER that such a pack was written to]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/settings.ts';
import type { FacilityOptions } from '../src/facilities/options.ts';
import { validateFacility } from '../src/facilities/validate-facility.ts';
import { createLog } from '../src/log.ts';
import { openWorld } from '../src/service/world/world.ts';
import { packsFolder } from '../src/service/datasets/pack-folder.ts';
import { runService, shareSampleDistrict } from '../test/end-to-end/run-service.ts';
import { writeWorld } from './packs-write.ts';
import { packsWorld } from './packs-world.ts';
import { quantile } from './rounds.ts';

const COUNT = 10_000;
const size = Number(process.argv[2] ?? 1);
const given = process.argv[3];
const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-upload-'));
const world = packsWorld(size, COUNT);
const features = Array.from({ length: COUNT }, (_, id) => ({
  type: 'Feature',
  id,
  properties: {},
  geometry: { type: 'Point', coordinates: [world.facilities[2 * id], world.facilities[2 * id + 1]] },
}));
try {
  if (!existsSync(join(packsFolder({ dataDir: folder }), 'bench'))) await writeWorld(world, folder);
  if (!existsSync(join(folder, 'packs'))) await shareSampleDistrict(folder);
  await throughService();
  await inProcess();
  say(
    'load',
    loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  );
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}

/** Results are read as they come. */
async function throughService(): Promise<void> {
  const env = { PACK_MEMORY_MB: '8000' };
  await using service = await runService({ dataDir: folder, env });
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 200));
  const form = new FormData();
  form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'facilities.geojson');
  form.set('commodity_type', 'palm');
  form.set('check_water_access', 'true');
  form.set('check_port_proximity', 'true');
  const begun = performance.now();
  const headers = { accept: 'application/x-ndjson' };
  const answer = await service.fetch('/validate_facilities', { method: 'POST', body: form, headers });
  const lines = (await answer.text()).trimEnd().split('\n').slice(0, -1);
  const seconds = (performance.now() - begun) / 1000;
  const results = lines.map((line) => JSON.parse(line) as { id: number; properties: { evidence: unknown[] } });
  const isInOrder = results.length === COUNT && results.every(({ id }, i) => id === i);
  const isWhole = results.every(({ properties }) => properties.evidence.length === 10);
  say(
    'upload',
    `${results.length} of ${COUNT} came back, ${isInOrder ? 'in order' : 'OUT OF ORDER'}, ${isWhole ? 'with all ten checks' : 'CHECKS MISSING'}; ${seconds.toFixed(1)} s, ${Math.round(COUNT / seconds)} facilities/s`,
  );
}

/** Each facility alone, with every check, score and receipt, in this thread. */
async function inProcess(): Promise<void> {
  const config = readConfig({ DATA_DIR: folder, PACK_MEMORY_MB: '8000', AUTO_DATA: 'off' });
  const data = await openWorld(config, createLog({ level: 'silent', json: true }));
  await data.share();
  const options: FacilityOptions = {
    commodity: 'palm',
    commodityText: 'palm',
    commodityRadiusM: 5_000,
    checkWater: true,
    checkPort: true,
    checkRoad: true,
    checkTimeoutMs: 10_000,
  };
  const { signal } = new AbortController();
  for (const round of ['cold', 'warm']) {
    const each: number[] = [];
    for (const feature of features) {
      const begun = performance.now();
      await validateFacility(feature, options, data.sources, signal);
      each.push((performance.now() - begun) * 1000);
    }
    const text = [0.5, 0.99, 0.999, 1].map((share) => quantile(each, share).toFixed(0)).join(' / ');
    const mean = each.reduce((a, b) => a + b, 0) / COUNT;
    say(round, `${mean.toFixed(0)} us a facility; p50 / p99 / p99.9 / longest ${text} us`);
  }
  await data.close();
}

function say(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(10)} ${text}\n`);
}
