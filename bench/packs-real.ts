/**
 * All local checks on real extracts of OpenStreetMap, against PostGIS on geography (GiST, warm, nearest by KNN) over the same
 * features, in turn: time for each facility, and every decision compared. Facilities are made up around real buildings.
 * Run: packs-real.ts [FILE.osm.pbf ...]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pointShape } from '../src/geo/shapes/shape.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { createLog } from '../src/log.ts';
import { businessReach } from '../src/readers/themes/business-kinds.ts';
import { LAYER_PLANS } from '../src/readers/packs/layer/layer-plan.ts';
import { type InstalledPack, packDatasets } from '../src/readers/packs/manifest.ts';
import { importOsmPack } from '../src/service/datasets/import-osm.ts';
import { openPackData, type PackData } from '../src/service/world/packs-data.ts';
import { SHARED_DATA } from '../test/shared-data.ts';
import { queryAtOnce, differences, type PackAnswer } from './packs-query.ts';
import { openPostgis, type PostgisPeer } from './packs-postgis.ts';
import { type BenchRow, saveResult } from './results.ts';
import { costOf, Costs, ROUNDS } from './rounds.ts';

const COMMODITY = 'coffee';
const FACILITIES = 5_000;
const CHECKED = 500;
const POSTGIS_SAMPLE = 200;
/** Samples that places suffice for. */
const TURNS = (FACILITIES - CHECKED) / POSTGIS_SAMPLE;
/** Metres around a building within which its facility lies, each way. */
const AROUND_M = 400;

/** The extract stands for the world, so that nothing found is an answer on both sides. */
const WHOLE = [[Float64Array.of(-180, -90, 180, -90, 180, 90, -180, 90, -180, -90)]];

const { signal } = new AbortController();
const log = createLog({ level: 'silent', json: true });
const given = process.argv.slice(2);
const files =
  given.length > 0 ? given : ['duitama_co', 'legazpi_ph'].map((name) => join(SHARED_DATA, `osm/${name}.osm.pbf`));
const rows: BenchRow[] = [];
for (const file of files) await benchmark(file);
if (given.length === 0) saveResult('packs-real', rows);

async function benchmark(path: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-packs-real-'));
  try {
    const begun = performance.now();
    const request = { path, id: 'extract', coverage: WHOLE, onProgress: () => {} };
    const { pack } = await importOsmPack({ dataDir }, request, signal);
    const themes = pack.manifest.themes.map(({ theme, features }) => `${features} ${theme}`).join(', ');
    say(basename(path), `imported in ${((performance.now() - begun) / 1000).toFixed(1)} s: ${themes}`);
    const data = openPackData(packDatasets(pack), { dataDir, cacheMaxMb: 0, packMemoryMb: 2_000 }, log);
    await data.loaded;
    const postgis = await fill(pack);
    rows.push(await compare(basename(path, '.osm.pbf'), themes, data, postgis, await places(postgis)));
    await postgis.close();
    await data.close();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The files of the pack in PostGIS, without what the checks leave out. */
async function fill({ folder, manifest }: InstalledPack): Promise<PostgisPeer> {
  const postgis = await openPostgis();
  const file = (theme: string): string | null =>
    manifest.themes.some((own) => own.theme === theme) ? join(folder, `${theme}.fgb`) : null;
  const ofClass =
    (role: keyof typeof LAYER_PLANS) =>
    ({ class: kind }: Record<string, unknown>): boolean =>
      LAYER_PLANS[role].accepts(String(kind ?? ''));
  await postgis.loadFile('roads', file('roads'), ofClass('roads'));
  await postgis.loadFile('rivers', file('water'), ofClass('water'));
  await postgis.loadFile('ports', file('ports'), () => true);
  await postgis.loadFile('buildings', file('buildings'), () => true, 'area_m2');
  // PostGIS has one limit for all businesses; those of general industrial kinds, which count to 300 m, would show up as differences.
  const list = (text: unknown, separator: string): string[] => String(text ?? '').split(separator);
  await postgis.loadFile(
    'businesses',
    file('businesses'),
    ({ kinds, names }) => businessReach(COMMODITY, list(kinds, ' '), list(names, ';')) === 'chain',
  );
  return postgis;
}

/** Around real buildings, drawn with a fixed seed. */
async function places(postgis: PostgisPeer): Promise<readonly (readonly [number, number])[]> {
  const middles = await postgis.middles('buildings');
  const random = seededRandom(7);
  return Array.from({ length: FACILITIES }, () => {
    const [lon, lat] = middles[Math.floor(random() * middles.length)];
    const away = (): number => ((random() - 0.5) * 2 * AROUND_M) / 110_000;
    return [lon + away(), lat + away()] as const;
  });
}

async function compare(
  extract: string,
  themes: string,
  data: PackData,
  postgis: PostgisPeer,
  at: readonly (readonly [number, number])[],
): Promise<BenchRow> {
  const query = ([lon, lat]: readonly [number, number]): PackAnswer =>
    queryAtOnce(data, pointShape(lon, lat), COMMODITY, signal);
  const differing: string[] = [];
  for (const place of at.slice(0, CHECKED))
    differing.push(...differences(query(place), await postgis.queryPlain(...place), place));
  for (const line of differing) say('differs', line);
  const costs = new Costs();
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    // In memory by then: everybody is queried twice, and the second time counts.
    const first = CHECKED + (round % TURNS) * POSTGIS_SAMPLE;
    const sample = at.slice(first, first + POSTGIS_SAMPLE);
    for (const place of sample) await postgis.queryPlain(...place);
    const [before, begun] = [postgis.processor(), performance.now()];
    for (const place of sample) await postgis.queryPlain(...place);
    const passed = performance.now() - begun;
    const cpuMs = (postgis.processor() - before) * 1000;
    costs.add('postgis', { ms: passed / sample.length, cpuMs: cpuMs / sample.length });
    for (const place of at) query(place);
    const [cost] = await costOf(() => {
      for (const place of at) query(place);
    });
    costs.add('ours', { ms: cost.ms / at.length, cpuMs: cost.cpuMs / at.length });
  }
  const own = costs.median('ours');
  return {
    what: `nearest road, water and port, buildings within 100 m, businesses within 2 km, built-up share within 500 m, extract ${extract} (${themes}): one facility`,
    ours: `${(own.ms * 1000).toFixed(1)} µs, ${(own.cpuMs * 1000).toFixed(1)} of processor; ${differing.length} decisions of ${CHECKED} facilities differ`,
    peers: [
      {
        name: 'PostGIS on geography over the same features, GiST, nearest by KNN; processor of the server alone',
        ...costs.ratio('postgis', 'ours'),
      },
    ],
    goal: '0 differ; 75 times',
  };
}

function say(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(10)} ${text}\n`);
}
