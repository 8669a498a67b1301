import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Density, Nearby, Whereabouts } from '../../facilities/sources.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { pointShape, type Shape } from '../../geo/shapes/shape.ts';
import { createLog } from '../../log.ts';
import { openPack, readPack } from '../packs/pack-file.ts';
import { openBuiltIn, openShared, SHIPPED_PACKS, type BuiltIn } from './built-in.ts';
import { openCountries } from './countries.ts';
import { alpha2Of, countryCode } from './country-code.ts';
import { withDispute } from './disputed-territories.ts';
import { arePacksCurrent } from './obtain-packs.ts';
import { installedPackage, PACK_NAMES, packKey } from './build/source-packages.ts';

const never = new AbortController().signal;
const log = createLog({ level: 'silent', json: true });
/** Packs are made of outlines that an installation drops when it has made them: npm ci --prefix tools/outlines. */
const canBuild = process.env['CI'] === 'true' || areOutlinesThere();
const building = { skip: canBuild ? false : 'tools/outlines is not installed' };
let dataDir = '';
let data: BuiltIn;

function areOutlinesThere(): boolean {
  try {
    return installedPackage('@geo-maps/countries-land-250m').version !== '';
  } catch {
    return false;
  }
}

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'firstmile-built-in-'));
  // Made by this code in the installation of this tree; built here where they are not.
  data = await openBuiltIn({ dataDir, shipped: SHIPPED_PACKS, log, signal: never });
  await Promise.all(PACK_NAMES.map((name) => data.ready(name)));
});
after(async () => {
  await data.close();
  await rm(dataDir, { recursive: true });
});

async function whereabouts(lon: number, lat: number): Promise<Whereabouts> {
  const answer = await data.sources.whereabouts([lon, lat]);
  assert.ok(answer !== null);
  return answer.value;
}
async function water(shape: Shape, withinM: number): Promise<Nearby | null> {
  return (await data.sources.nearestWater(shape, withinM, never))?.value ?? null;
}
async function port(lon: number, lat: number, withinM = 50_000): Promise<Nearby | null> {
  return (await data.sources.nearestPort(pointShape(lon, lat), withinM, never))?.value ?? null;
}
async function density(lon: number, lat: number): Promise<Density> {
  const answer = await data.sources.density(pointShape(lon, lat), never);
  assert.ok(answer !== null);
  return answer.value;
}

describe('whereabouts', () => {
  const places: readonly [place: string, lon: number, lat: number, iso2: string | null, onLand: boolean][] = [
    ['Riau', 101.3, 0.8, 'ID', true],
    ['Kumasi', -1.6244, 6.6885, 'GH', true],
    ['the port of Abidjan', -4.01, 5.3, 'CI', true],
    ['Takoradi', -1.75, 4.885, 'GH', true],
    ['the sea 3 km off Takoradi', -1.75, 4.855, 'GH', false],
    ['the Atlantic, in the generalised border round the Azores', -30.12, 40.57, 'PT', false],
    ['the Pacific, in the generalised border round Kiribati', -150, 0, 'KI', false],
    ['the Gulf of Guinea at 0, 0', 0, 0, null, false],
    ['Lake Victoria at 1 degree south', 33, -1, 'TZ', true],
    ['a mill on Bugala island', 32.25, -0.33, 'UG', true],
    ['Lake Volta', 0.1, 7.2, 'GH', true],
    ['Crimea', 34, 45.2, 'RU', true],
    ['Kashmir', 75, 34, 'IN', true],
    ['Western Sahara', -13, 25, 'MA', true],
    ['Kosovo', 21.1, 42.6, 'XK', true],
    ['the ice of Greenland', -40, 72, 'GL', true],
    ['Taveuni, west of the antimeridian', 179.95, -16.92, 'FJ', true],
    ['Taveuni, east of it', -179.95, -16.8, 'FJ', true],
    ['Chukotka at 180', 180, 68.5, 'RU', true],
    ['Chukotka at -180', -180, 68.5, 'RU', true],
    ['the north pole', 0, 90, null, false],
    ['the south pole', 0, -90, 'AQ', true],
    ['Lesotho, inside South Africa', 28.2, -29.5, 'LS', true],
    ['the Vatican, inside Italy', 12.4533, 41.9033, 'VA', true],
    ['Llivia, inside France', 1.98, 42.465, 'ES', true],
    ['Campione, inside Switzerland', 8.972, 45.968, 'IT', true],
    ['Cayenne', -52.33, 4.93, 'GF', true],
    ['Saipan', 145.73, 15.18, 'MP', true],
  ];
  for (const [place, lon, lat, iso2, onLand] of places) {
    it(`puts ${place} in ${iso2 ?? 'no country'}, ${onLand ? 'on land' : 'off land'}`, async () => {
      const found = await whereabouts(lon, lat);
      assert.deepEqual([found.country?.iso2 ?? null, found.onLand], [iso2, onLand]);
    });
  }

  it('names countries within 5 km of a border, nearest first', async () => {
    const tripoint = await whereabouts(-54.58, -25.58);
    assert.equal(tripoint.country?.iso2, 'BR');
    assert.deepEqual(tripoint.neighbours.map(({ iso2 }) => iso2).sort(), ['AR', 'PY']);
    assert.ok(
      tripoint.neighbours[0].distanceM <= tripoint.neighbours[1].distanceM && tripoint.neighbours[1].distanceM <= 5000,
    );
    assert.deepEqual((await whereabouts(101.3, 0.8)).neighbours, []);
  });

  it('names the country round an enclave, and not the state a territory belongs to', async () => {
    assert.deepEqual(
      (await whereabouts(27.49, -29.32)).neighbours.map(({ iso2 }) => iso2),
      ['ZA'],
    );
    assert.deepEqual(
      (await whereabouts(12.4533, 41.9033)).neighbours.map(({ iso2 }) => iso2),
      ['IT'],
    );
    assert.deepEqual((await whereabouts(-52.33, 4.93)).neighbours, []);
  });

  it('says the same of places between borders, whose cells are remembered, as of each', async () => {
    const countries = openCountries(openPack((await data.share()).countries));
    const random = seededRandom(3);
    let [onLand, plain] = [0, 0];
    for (let i = 0; i < 60_000; i++) {
      // Every other place next to the line between two cells.
      const off = i % 2 === 0 ? 0 : 1e-9 * (random() - 0.5);
      const [x, y] = [random() * 360 - 180, random() * 150 - 65];
      const [lon, lat] = off === 0 ? [x, y] : [Math.round(x * 10) / 10 + off, Math.round(y * 10) / 10 + off];
      if (countries.landAt(lon, lat) === null) continue;
      const wanted = withDispute(
        [lon, lat],
        countries.whereabouts([lon, lat], () => false),
      );
      assert.deepEqual(await whereabouts(lon, lat), wanted, `${lon}, ${lat}`);
      onLand++;
      if (wanted.neighbours.length === 0 && wanted.disputed === undefined) plain++;
    }
    assert.ok(onLand > 10_000 && plain < onLand, `${onLand} on land, ${plain} of them plain`);
  });

  const mills = resolve(import.meta.dirname, '../../../../shared/data/facilities/palm_mills_sample.csv');
  const noMills = existsSync(mills) || process.env['CI'] === 'true' ? false : `${mills} is not here`;
  it('finds the country of the 407 palm mills', { skip: noMills }, async () => {
    const rows = readFileSync(mills, 'utf8').trim().split('\n').slice(1).map(cells);
    const wrong: string[] = [];
    for (const row of rows) {
      const found = await whereabouts(Number(row[11]), Number(row[10]));
      if (found.country?.iso2 !== countryCode(row[15]) || countryCode(row[16]) !== found.country?.iso2 || !found.onLand)
        wrong.push(row.join());
    }
    assert.equal(rows.length, 407);
    assert.deepEqual(wrong, []);
  });
});

/** The cells of a line of CSV whose quotes hold commas but no quotes. */
function cells(line: string): string[] {
  return [...line.matchAll(/("[^"]*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replaceAll('"', ''));
}

interface Oracle {
  readonly countries: readonly (readonly [lon: number, lat: number, alpha3: readonly string[]])[];
  readonly waters: readonly (readonly [lon: number, lat: number, distanceM: number | null, kind: number | null])[];
}
const oracle = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../test/oracles/built-in-data.json'), 'utf8'),
) as Oracle;

describe('compared with shapely and PROJ on the source files', () => {
  it('the country of a place on land is one whose outline holds it there', async () => {
    assert.ok(oracle.countries.length > 500);
    for (const [lon, lat, alpha3] of oracle.countries) {
      const { country, onLand } = await whereabouts(lon, lat);
      assert.ok(
        onLand && alpha3.map(alpha2Of).includes(country?.iso2 ?? ''),
        `${lon} ${lat}: wanted one of ${alpha3.join()}, got ${country?.iso2}`,
      );
    }
  });

  it('the nearest water has their distance to 0.1 % or 1 m and their kind', async () => {
    assert.ok(oracle.waters.length > 300);
    for (const [lon, lat, distanceM, kind] of oracle.waters) {
      const answer = await data.sources.nearestWater(pointShape(lon, lat), 5000, never);
      const found = answer?.dataset.id === 'osm-waterbodies' ? answer.value : null;
      if (distanceM === null) assert.equal(found, null);
      else {
        assert.ok(
          found !== null && Math.abs(found.distanceM - distanceM) <= Math.max(1, distanceM * 0.001),
          `${lon} ${lat}: wanted ${distanceM}, got ${found?.distanceM}`,
        );
        assert.equal(found.kind, ['sea', 'lake', 'river'][kind ?? -1], `${lon} ${lat}`);
      }
    }
  });
});

describe('nearest water', () => {
  it('is 0 m away in the sea, at the pole and over the antimeridian', async () => {
    for (const [lon, lat] of [
      [0, 0],
      [180, 0],
      [-180, 0],
      [45, 89.99],
      [0, 90],
    ]) {
      assert.deepEqual(await water(pointShape(lon, lat), 5000), { distanceM: 0, name: null, kind: 'sea' });
    }
    assert.equal(await water(pointShape(0, -90), 5000), null);
  });

  it('knows reservoirs that the fine outlines lack, and says which dataset knew', async () => {
    const answer = await data.sources.nearestWater(pointShape(0.1, 7.2), 5000, never);
    assert.deepEqual([answer?.value?.kind, answer?.dataset.id], ['lake', 'natural-earth-water']);
    assert.equal((await data.sources.nearestWater(pointShape(33, -1), 5000, never))?.dataset.id, 'osm-waterbodies');
  });

  it('is measured from the nearest part of a polygon', async () => {
    const ring = Float64Array.of(-1.75, 4.87, -1.7, 4.87, -1.7, 4.95, -1.75, 4.95, -1.75, 4.87);
    const polygon: Shape = {
      points: new Float64Array(),
      lines: [],
      polygons: [[ring]],
      bbox: [-1.75, 4.87, -1.7, 4.95],
      inside: [-1.72, 4.93],
    };
    assert.deepEqual(await water(polygon, 5000), { distanceM: 0, name: null, kind: 'sea' });
  });
});

describe('ports', () => {
  it('finds those of cocoa and palm oil, by the sea and up the great rivers', async () => {
    assert.deepEqual(await port(-4.01, 5.3).then((found) => [found?.name, found?.kind]), ['Abidjan', 'sea port']);
    assert.deepEqual(await port(-1.75, 4.885).then((found) => [found?.name, found?.kind]), ['Takoradi', 'sea port']);
    assert.deepEqual(await port(-54.72, -2.42).then((found) => [found?.name, found?.kind]), ['Santarem', 'river port']);
    assert.equal(await port(-1.6244, 6.6885), null);
  });

  it('leaves out freight depots far from the water and points in another country', async () => {
    for (const [lon, lat] of [
      [30.11, -1.96],
      [-115.14, 36.17],
      [28.05, -26.2],
    ])
      assert.equal(await port(lon, lat), null, `${lon} ${lat}`);
  });

  it('turns coordinates that fit only the other way round', async () => {
    assert.match((await port(13.05, -5.85, 5000))?.name ?? '', /Boma/);
  });
});

describe('density', () => {
  it('distinguishes towns from the country', async () => {
    for (const [place, lon, lat] of [
      ['port of Abidjan', -4.01, 5.3],
      ['Kumasi', -1.6244, 6.6885],
      ['Jakarta', 106.84, -6.2],
    ] as const) {
      assert.equal((await density(lon, lat)).dense, true, place);
    }
    for (const [place, lon, lat] of [
      ['a palm mill in Riau', 101.3, 0.8],
      ['0, 0', 0, 0],
      ['the south pole', 10, -90],
    ] as const) {
      assert.equal((await density(lon, lat)).dense, false, place);
    }
  });

  it('says which settlement decided', async () => {
    const { said, ...found } = (await density(-4.01, 5.3))!;
    assert.equal(said?.message, found.detail);
    assert.deepEqual(found, {
      dense: true,
      detail:
        '6.1 km from the centre of Abidjan (3,677,115 people), inside the 15.3 km its dense ground is taken to reach.',
      distanceM: 6090.577130758745,
    });
  });
});

describe('packs', () => {
  /** Where the packs are that these tests read. */
  const packFolder = async (): Promise<string> =>
    (await arePacksCurrent(SHIPPED_PACKS)) ? SHIPPED_PACKS : join(dataDir, 'packs');

  it('open again from disk and from shared memory in a thread, with the same answers', async () => {
    const again = await openBuiltIn({ dataDir, shipped: SHIPPED_PACKS, log, signal: never });
    const shared = openShared(await again.share());
    const ask = async (built: BuiltIn): Promise<unknown> => [
      await built.sources.whereabouts([12.4533, 41.9033]),
      await built.sources.nearestWater(pointShape(101.44, 0.52), 5000, never),
      await built.sources.nearestPort(pointShape(101.44, 0.52), 50_000, never),
      await built.sources.density(pointShape(101.44, 0.52), never),
    ];
    const wanted = await ask(data);
    assert.equal(await arePacksCurrent(await packFolder()), true);
    assert.equal(await arePacksCurrent(join(dataDir, 'nothing')), false);
    assert.deepEqual(await ask(again), wanted);
    assert.deepEqual(await ask(shared), wanted);
    const code = `
      import { parentPort, workerData } from 'node:worker_threads';
      const { openShared } = await import(workerData.module);
      parentPort.postMessage(openShared(workerData.packs).sources.whereabouts([12.4533, 41.9033]));`;
    const worker = new Worker(code, {
      eval: true,
      workerData: { packs: await data.share(), module: new URL('built-in.ts', import.meta.url).href },
    });
    const [answer] = await new Promise<unknown[]>((done, fail) =>
      worker.once('message', (message) => done([message])).once('error', fail),
    );
    assert.deepEqual(answer, (wanted as unknown[])[0]);
    await worker.terminate();
  });

  it(
    'are built again when they are damaged, cut off or made from other packages, by several processes at once too',
    building,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'firstmile-rebuilt-'));
      const packs = join(folder, 'packs');
      await cp(await packFolder(), packs, { recursive: true });
      const ports = await readFile(join(packs, 'ports.pack'));
      await writeFile(join(packs, 'ports.pack'), ports.subarray(0, 999));
      const towns = await readFile(join(packs, 'settlements.pack'));
      towns[towns.length >> 1] ^= 4;
      await writeFile(join(packs, 'settlements.pack'), towns);
      const opened = await Promise.all(
        [1, 2].map(() => openBuiltIn({ dataDir: folder, shipped: null, log, signal: never })),
      );
      for (const built of opened) {
        assert.deepEqual(
          (await built.sources.nearestPort(pointShape(-4.01, 5.3), 50_000, never))?.value,
          await port(-4.01, 5.3),
        );
        assert.deepEqual(
          (await built.sources.density(pointShape(-4.01, 5.3), never))?.value,
          await density(-4.01, 5.3),
        );
      }
      assert.deepEqual(await readFile(join(packs, 'ports.pack')), ports);
      assert.notEqual(
        (await readPack(join(packs, 'settlements.pack'), 'settlements', packKey('settlements'))).pack,
        null,
      );
      await Promise.all(opened.map((built) => built.close()));
      await rm(folder, { recursive: true });
    },
  );

  it('that are being built when it is closed reject the questions that wait for them', building, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-closed-'));
    const built = await openBuiltIn({ dataDir: folder, shipped: null, log, signal: never });
    const waiting = assert.rejects(
      Promise.resolve(built.sources.nearestPort(pointShape(0, 0), 1, never)),
      /was closed/,
    );
    await built.close();
    await waiting;
    await rm(folder, { recursive: true });
  });

  it('that cannot be written are an error that says so', building, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-blocked-'));
    await writeFile(join(folder, 'packs'), 'a file in the way');
    const built = await openBuiltIn({ dataDir: folder, shipped: null, log, signal: never });
    await assert.rejects(built.ready('countries'), /packs/);
    await built.close();
    await rm(folder, { recursive: true });
  });
});
