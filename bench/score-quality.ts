/**
 * How well the facility score separates facilities of a commodity's chain from other places: by classes made from the tags of real extracts
 * of OpenStreetMap, and by the mills of a list against the same mills moved. Prints the share of places with a relevant business, the
 * mean score and the area under the curve (AUC) of each pair, with a standard error.
 * Run: score-quality.ts
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/settings.ts';
import type { Commodity } from '../src/facilities/commodity/commodities.ts';
import { areaUnderCurve } from '../src/geo/detection/classification-scores.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { createLog } from '../src/log.ts';
import { decodeBlock } from '../src/readers/formats/osm/decode-block.ts';
import { readBlobs } from '../src/readers/formats/osm/read-blobs.ts';
import { createFacilityService, FEATURE_BYTES } from '../src/service/facilities/facilities.ts';
import { openWorld } from '../src/service/world/world.ts';
import { importOsmPack } from '../src/service/datasets/import-osm.ts';
import { importRegistry } from '../src/service/datasets/registries.ts';
import { SHARED_DATA } from '../test/shared-data.ts';

type Tags = Readonly<Record<string, string>>;
type Place = readonly [lon: number, lat: number];

/** Places of each class at most, drawn with a fixed seed. */
const MOST = 200;
const EXTRACTS = ['duitama_co', 'legazpi_ph'];

const { signal } = new AbortController();
const log = createLog({ level: 'silent', json: true });

/** Facilities of a chain by their tags and names: a list of its own, so that the rules are not measured by themselves. */
const CHAINS: Partial<Record<Commodity, (tags: Tags) => boolean>> = {
  cattle: ({ amenity, landuse, man_made: made, name = '' }) =>
    amenity === 'slaughterhouse' ||
    ((made === 'works' || landuse === 'industrial') && /l[aá]cteos|quesos|meat|carne|cuero/i.test(name)),
  timber: ({ shop, amenity, name = '' }) =>
    shop === undefined && amenity === undefined && /^maderas|aserr[ií]o|aserradero|sawmill|lumber/i.test(name),
};

const CLASSES: Readonly<Record<string, (tags: Tags) => boolean>> = {
  'other industry': ({ man_made: made, landuse, building = '', industrial, craft }) =>
    made === 'works' ||
    landuse === 'industrial' ||
    industrial !== undefined ||
    craft !== undefined ||
    ['industrial', 'warehouse'].includes(building),
  'school, clinic, church': ({ amenity = '' }) =>
    ['school', 'kindergarten', 'college', 'university', 'clinic', 'hospital', 'doctors', 'place_of_worship'].includes(
      amenity,
    ),
  shop: ({ shop }) => shop !== undefined,
  dwelling: ({ building = '', name, amenity, shop }) =>
    ['house', 'residential', 'apartments'].includes(building) &&
    name === undefined &&
    amenity === undefined &&
    shop === undefined,
  farmyard: ({ landuse }) => landuse === 'farmyard',
  field: ({ landuse = '' }) => ['farmland', 'meadow', 'orchard'].includes(landuse),
};

for (const name of EXTRACTS) await measureExtract(name);
await measureMills();

async function measureExtract(name: string): Promise<void> {
  const path = join(SHARED_DATA, `osm/${name}.osm.pbf`);
  const objects = await readObjects(path);
  await withFolder(async (dataDir) => {
    await importOsmPack({ dataDir }, { path, id: name, coverage: null, onProgress: () => {} }, signal);
    for (const commodity of ['coffee', 'cattle', 'timber'] as const) {
      const isChain = CHAINS[commodity] ?? (() => false);
      const classes = { chain: pick(objects, isChain) };
      for (const [label, belongs] of Object.entries(CLASSES))
        Object.assign(classes, { [label]: pick(objects, (tags) => belongs(tags) && !isChain(tags)) });
      await report(`${name}, ${commodity}`, dataDir, commodity, classes);
    }
  });
}

/** Mills of a list that are left out of the register, with the rest of it installed, against the same mills 10 to 16 km away. */
async function measureMills(): Promise<void> {
  const path = join(SHARED_DATA, 'facilities/palm_mills_sample.csv');
  const [header, ...rows] = readFileSync(path, 'utf8')
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/);
  const columns = header.split(',');
  const mills = rows.map((row) => {
    const cells = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((cell) => cell[1] ?? cell[2] ?? '');
    return [Number(cells[columns.indexOf('Longitude')]), Number(cells[columns.indexOf('Latitude')])] as const;
  });
  const random = seededRandom(5);
  const moved = (places: readonly Place[]): readonly Place[] =>
    places.map(([lon, lat]) => {
      const [metres, turn] = [10_000 + random() * 6_000, random() * 2 * Math.PI];
      return [
        lon + (metres * Math.sin(turn)) / 111_320 / Math.cos((lat * Math.PI) / 180),
        lat + (metres * Math.cos(turn)) / 110_574,
      ];
    });
  const listed = mills.filter((_, i) => i % 2 === 0);
  const held = mills.filter((_, i) => i % 2 === 1);
  const classes = (places: readonly Place[]) => ({ chain: places, 'mills moved 10 to 16 km': moved(places) });
  await withFolder(async (dataDir) => {
    await report('palm mills, no register', dataDir, 'palm', classes(held));
    const { writeFileSync } = await import('node:fs');
    const file = join(dataDir, 'half.csv');
    writeFileSync(file, ['name,lon,lat', ...listed.map(([lon, lat], i) => `Mill ${i},${lon},${lat}`)].join('\n'));
    const about = { title: 'Half', version: '1', date: null, licence: 'x', attribution: 'x', commodities: [] };
    await importRegistry({ dataDir }, { path: file, id: 'half', ...about }, signal);
    await report('palm mills held out, the other half as register', dataDir, 'palm', classes(held));
    await report('palm mills of the register itself', dataDir, 'palm', classes(listed));
  });
}

async function withFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-score-'));
  try {
    await work(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function report(
  title: string,
  dataDir: string,
  commodity: Commodity,
  classes: Readonly<Record<string, readonly Place[]>>,
): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, SAMPLE_DISTRICT: 'off', PUBLIC_RASTERS: 'off', AUTO_DATA: 'off' });
  const data = await openWorld(config, log, signal);
  const service = createFacilityService(data, config, FEATURE_BYTES.atOnce);
  const options = {
    commodity,
    commodityText: commodity,
    commodityRadiusM: 5_000,
    checkWater: false,
    checkPort: false,
    checkRoad: true,
    checkTimeoutMs: 20_000,
  };
  process.stdout.write(`\n${title}\n${row(['class', 'places', 'business', 'absent', 'score', 'AUC of chain'])}`);
  let chain: readonly number[] = [];
  for (const [label, places] of Object.entries(classes)) {
    const scores: number[] = [];
    let [present, absent] = [0, 0];
    for (const coordinates of places) {
      const feature = { type: 'Feature', geometry: { type: 'Point', coordinates }, properties: {} };
      const { properties } = (await service.validateOne(feature, options, signal)).feature;
      const { confidence_score: score, evidence } = properties;
      scores.push(score);
      const status = evidence.find(({ indicator }) => indicator === 'poi_presence')?.status;
      if (status === 'present') present++;
      if (status === 'absent') absent++;
    }
    if (label === 'chain') chain = scores;
    const percent = (count: number): string =>
      scores.length === 0 ? '-' : `${Math.round((count / scores.length) * 100)} %`;
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const auc = label === 'chain' ? '' : describeAuc(chain, scores);
    process.stdout.write(
      row([
        label,
        String(scores.length),
        percent(present),
        percent(absent),
        scores.length === 0 ? '-' : mean.toFixed(2),
        auc,
      ]),
    );
  }
  await data.close();
}

/** With the standard error of Hanley and McNeil (1982). */
function describeAuc(chain: readonly number[], others: readonly number[]): string {
  const [n, m] = [chain.length, others.length];
  if (n === 0 || m === 0) return '-';
  const auc = areaUnderCurve([...chain, ...others], [...chain.map(() => 1), ...others.map(() => 0)]);
  const [q1, q2] = [auc / (2 - auc), (2 * auc * auc) / (1 + auc)];
  const variance = (auc * (1 - auc) + (n - 1) * (q1 - auc * auc) + (m - 1) * (q2 - auc * auc)) / (n * m);
  return `${auc.toFixed(2)} +- ${Math.sqrt(Math.max(0, variance)).toFixed(2)}`;
}

function row([label, ...cells]: readonly string[]): string {
  return `${label.padEnd(26)}${cells.map((cell) => cell.padStart(14)).join('')}\n`;
}

interface Tagged {
  readonly tags: Tags;
  readonly at: Place;
}

/** Every tagged node, and every tagged way in the middle of its box. */
async function readObjects(path: string): Promise<readonly Tagged[]> {
  const places = new Map<number, Place>();
  const found: Tagged[] = [];
  for await (const { type, bytes } of readBlobs(path, signal))
    if (type === 'OSMData')
      decodeBlock(bytes, {
        changed: () => {},
        node(id, lon, lat, tags) {
          places.set(id, [lon, lat]);
          if (tags !== null) found.push({ tags: Object.fromEntries(tags.entries()), at: [lon, lat] });
        },
        way(_, nodes, tags) {
          const known = nodes.flatMap((node) =>
            [places.get(node) ?? []].filter((place) => place.length > 0),
          ) as Place[];
          if (known.length === 0 || tags.size === 0) return;
          const middle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
          found.push({
            tags: Object.fromEntries(tags.entries()),
            at: [middle(known.map(([lon]) => lon)), middle(known.map(([, lat]) => lat))],
          });
        },
      });
  return found;
}

/** Places of a class, each equally likely. */
function pick(objects: readonly Tagged[], belongs: (tags: Tags) => boolean): readonly Place[] {
  const random = seededRandom(11);
  return objects
    .filter(({ tags }) => belongs(tags))
    .map(({ at }) => ({ at, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, MOST)
    .map(({ at }) => at);
}
