/**
 * An upload of 10,000 facilities to the running service, with a pack of 1 M roads and 2 M buildings: whether it comes back whole and in
 * order, and what each facility takes with all checks, through HTTP and in this thread, in turn. Run: packs-upload.ts [size = 1] [FOLDER that such a pack was written to]
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/settings.ts';
import type { FacilityOptions } from '../src/facilities/options.ts';
import { validateFacility } from '../src/facilities/validate-facility.ts';
import { createLog } from '../src/log.ts';
import { openWorld } from '../src/service/world/world.ts';
import { packsFolder } from '../src/service/datasets/pack-folder.ts';
import { runService, type RunningProcess, shareSampleDistrict } from '../test/end-to-end/run-service.ts';
import { writeWorld } from './packs-write.ts';
import { packsWorld } from './packs-world.ts';
import { processorMs } from './process-figures.ts';
import { saveResult } from './results.ts';
import { type Cost, costOf, Costs, quantile, ROUNDS } from './rounds.ts';

const COUNT = 10_000;
const CHECKS = 10;
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
  await main();
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  await using service = await runService({ dataDir: folder, env: { PACK_MEMORY_MB: '8000' } });
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 200));
  const config = readConfig({ DATA_DIR: folder, PACK_MEMORY_MB: '8000', AUTO_DATA: 'off' });
  const data = await openWorld(config, createLog({ level: 'silent', json: true }));
  await data.share();
  const costs = new Costs();
  const each: number[] = [];
  const kept: unknown[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    const uploaded = await upload(service);
    costs.add('upload', uploaded);
    const [alone, latencies] = await costOf(() => validateAll(data, kept));
    costs.add('alone', alone);
    if (round > 0) each.push(...latencies);
    const [texts] = await costOf(() => kept.map((result) => JSON.stringify(result)).length);
    costs.add('texts', texts);
    console.log(round, JSON.stringify({ uploaded, alone, texts }));
  }
  await data.close();
  const of = (name: string): Cost => costs.median(name, COUNT);
  const us = (ms: number): string => `${(ms * 1000).toFixed(0)} µs`;
  const at = (share: number): string => quantile(each, share).toFixed(0);
  const cores = availableParallelism();
  const size = `a pack of ${world.buildings.length / 8e6} M buildings`;
  saveResult('packs-upload', [
    {
      what: `${COUNT.toLocaleString('en')} facilities through HTTP with ${size}, all ten checks, all of them back in order`,
      ours: `${Math.round(1000 / of('upload').ms).toLocaleString('en')} a second, ${us(of('upload').cpuMs)} of processor each`,
      limit: `${cores} processors with nothing else on them, ${Math.round((cores * 1000) / of('upload').cpuMs).toLocaleString('en')} a second`,
    },
    {
      what: `one facility with score and receipt in this thread, ${size}`,
      ours: `p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)} µs; ${us(of('alone').cpuMs)} of processor`,
      limit: `\`JSON.stringify\` of such a result, ${us(of('texts').cpuMs)} of processor`,
    },
  ]);
}

/** What one upload costs the service. @throws when a facility is missing, out of order or without a check. */
async function upload(service: RunningProcess): Promise<Cost> {
  const form = new FormData();
  form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'facilities.geojson');
  form.set('commodity_type', 'palm');
  form.set('check_water_access', 'true');
  form.set('check_port_proximity', 'true');
  const [before, begun] = [processorMs(service.pid), performance.now()];
  // As it is: compressing for a client on the same machine would be most of the work.
  const headers = { accept: 'application/x-ndjson', 'accept-encoding': 'identity' };
  const answer = await service.fetch('/validate_facilities', { method: 'POST', body: form, headers });
  const lines = (await answer.text()).trimEnd().split('\n').slice(0, -1);
  const cost = { ms: performance.now() - begun, cpuMs: processorMs(service.pid) - before };
  const results = lines.map((line) => JSON.parse(line) as { id: number; properties: { evidence: unknown[] } });
  if (results.length !== COUNT || results.some(({ id }, i) => id !== i))
    throw new Error(`${results.length} of ${COUNT} facilities came back, not in order`);
  if (results.some(({ properties }) => properties.evidence.length !== CHECKS)) throw new Error('a check is missing');
  return cost;
}

/** Microseconds of each facility alone, with every check, score and receipt. */
async function validateAll({ sources }: Awaited<ReturnType<typeof openWorld>>, out: unknown[]): Promise<number[]> {
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
  const each: number[] = [];
  for (const [i, feature] of features.entries()) {
    const begun = performance.now();
    out[i] = await validateFacility(feature, options, sources, signal);
    each.push((performance.now() - begun) * 1000);
  }
  return each;
}
