import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { DAY_MS } from '../../src/durations.ts';
import { openNetwork } from '../../src/readers/io/network.ts';
import { openAutoData } from '../../src/service/auto-data/auto-data.ts';
import type { AutoDataConfig } from '../../src/service/auto-data/auto-data-config.ts';
import { Unfetched } from '../../src/service/outside/unfetched.ts';
import { autoPacks, makeRoom } from '../../src/service/auto-data/auto-packs.ts';
import { overtureSite, writeOvertureCatalogue } from '../overture-site.ts';
import { ask, TOWN, writeWorld } from './overture-world.ts';

const { signal } = new AbortController();
const RELEASE = '2026-09-23.1';

describe('map data that is fetched where it is needed', () => {
  let root: string;
  let dataDir: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'auto-data-'));
    await writeWorld(join(root, 'world'), RELEASE);
    await writeOvertureCatalogue(join(root, 'world'));
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(root, 'data-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('fetches a new cell with at most 25 requests of 100 ms within 5 s, and nothing for its second facility', async () => {
    await using site = await overtureSite(join(root, 'world'), { faults: { delayMs: 100 } });
    await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    const begun = performance.now();
    const road = await ask(auto, TOWN, 'nearestRoad', 1_000);
    const ms = performance.now() - begun;
    assert.equal(road?.dataset.id, 'overture-auto-roads');
    assert.equal(road.dataset.version, RELEASE);
    assert.ok(site.requests.length <= 25 && ms < 5_000, `${site.requests.length} requests, ${Math.round(ms)} ms`);
    assert.equal(site.whole, 0);
    const first = site.requests.length;
    const all = await Promise.all(
      (['nearestRoad', 'nearestWater', 'buildings', 'businesses'] as const).map((question) =>
        ask(auto, [TOWN[0] + 0.003, TOWN[1] - 0.003], question, 1_000),
      ),
    );
    assert.deepEqual(
      all.map((answer) => answer?.dataset.id),
      ['overture-auto-roads', 'overture-auto-water', 'overture-auto-buildings', 'overture-auto-businesses'],
    );
    assert.equal(site.requests.length, first);
    await using again = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    assert.equal((await ask(again, TOWN, 'nearestRoad', 1_000))?.dataset.version, RELEASE);
    assert.equal(site.requests.length, first, 'the pack was not kept');
  });

  it('says that it is being fetched when the deadline is over, and has it for the next question', async () => {
    await using site = await overtureSite(join(root, 'world'), { faults: { delayMs: 150 } });
    await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue, checkTimeoutMs: 100 });
    await assert.rejects(ask(auto, TOWN, 'nearestRoad', 1_000), (error) => {
      assert.ok(error instanceof Unfetched);
      assert.match(error.message, /is being fetched/);
      return true;
    });
    site.faults = {};
    for (;;) {
      const answer = await ask(auto, TOWN, 'nearestRoad', 1_000).catch(() => null);
      if (answer !== null) return assert.equal(answer.dataset.version, RELEASE);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it('reads 1,000 facilities of 50 cells ahead, opens no footer twice, and says how far it is', async () => {
    await using site = await overtureSite(join(root, 'world'));
    await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    const places = Array.from({ length: 1_000 }, (_, i) =>
      pointShape(-73.05 + (i % 10) * 0.1 + (i % 7) * 0.005, 5.05 + (Math.floor(i / 10) % 5) * 0.1),
    );
    const heard: [number, number][] = [];
    const ahead = auto.ahead(streamOf(places), (place) => place, {
      signal,
      onProgress: (done, total) => heard.push([done, total]),
    });
    let read = 0;
    for await (const place of ahead) {
      assert.equal(place, places[read++]);
      assert.notEqual(await ask(auto, place.inside, 'nearestRoad', 1_000), null);
    }
    assert.equal(read, 1_000);
    assert.deepEqual(heard.at(-1), [50, 50]);
    const tails = site.requests.filter((request) => request.includes('bytes=-'));
    assert.equal(tails.length, new Set(tails).size, 'a footer was opened twice');
    assert.equal(site.requests.filter((request) => request.startsWith('/stac')).length, 2);
    // Cells of a block that are being joined are in two packs for a moment.
    const packs = await autoPacks({ dataDir });
    assert.equal(new Set(packs.flatMap(({ cells }) => cells.map(({ name }) => name))).size, 50);
  });

  async function isJoined(): Promise<boolean> {
    const packs = await autoPacks({ dataDir });
    return packs.some(({ manifest, cells }) => manifest.id === 'n05w074' && cells.length >= 26) && packs.length <= 5;
  }

  it('joins the cells of a block when there are more than 25, and answers as before', async () => {
    await using site = await overtureSite(join(root, 'world'));
    const places = Array.from(
      { length: 30 },
      (_, i) => [-73.95 + (i % 10) * 0.1, 5.05 + Math.floor(i / 10) * 0.1] as const,
    );
    const answers: unknown[] = [];
    {
      await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
      for (const place of places) answers.push(await ask(auto, place, 'nearestRoad', 1_000));
      for (const place of places) answers.push(await ask(auto, place, 'buildings', 100));
      // Joining goes on after the last answer; the few cells that came after it began stay packs of their own.
      while (!(await isJoined())) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const packs = await autoPacks({ dataDir });
    assert.equal(new Set(packs.flatMap(({ cells }) => cells.map(({ name }) => name))).size, 30);
    await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    const before = site.requests.length;
    const after: unknown[] = [];
    for (const place of places) after.push(await ask(auto, place, 'nearestRoad', 1_000));
    for (const place of places) after.push(await ask(auto, place, 'buildings', 100));
    assert.deepEqual(after, answers);
    assert.equal(site.requests.length, before);
  });

  it('removes what was not used for longest when there is no room', async () => {
    await using site = await overtureSite(join(root, 'world'));
    {
      await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
      for (let i = 0; i < 4; i++) await ask(auto, [-73.95 + i * 0.1, 5.05], 'nearestRoad', 1_000);
    }
    const [one] = await autoPacks({ dataDir });
    await makeRoom({ dataDir, autoDataMaxMb: (2.5 * (one?.bytes ?? 0)) / 1e6 }, 'n05.0w073.7');
    const left = (await autoPacks({ dataDir })).map(({ manifest }) => manifest.id).sort();
    assert.ok(left.includes('n05.0w073.7') && left.length === 2, left.join(' '));
  });

  it('fetches a cell once for two that need it at the same time', async () => {
    await using site = await overtureSite(join(root, 'world'), { faults: { delayMs: 20 } });
    await using one = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    await using two = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    const answers = await Promise.all([one, two].map((auto) => ask(auto, TOWN, 'nearestRoad', 1_000)));
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(site.requests.length, new Set(site.requests).size, 'something was requested twice');
  });

  it('falls back to the manifest, to the items, to the listing, and to the release that was known last', async () => {
    const cases = [
      [/collections\.parquet/, /manifest\.geojson/],
      [/collections\.parquet|manifest\.geojson/, /buildings\/building\/00000\/00000\.json/],
      [/^stac\//, /list-type=2&prefix=release%2F&delimiter/],
    ] as const;
    for (const [gone, requested] of cases) {
      dataDir = await mkdtemp(join(root, 'data-'));
      await using site = await overtureSite(join(root, 'world'), { faults: { gone } });
      await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
      assert.equal((await ask(auto, TOWN, 'nearestRoad', 1_000))?.dataset.version, RELEASE, String(gone));
      assert.ok(
        site.requests.some((request) => requested.test(request)),
        site.requests.join('\n'),
      );
    }
    dataDir = await mkdtemp(join(root, 'data-'));
    await using site = await overtureSite(join(root, 'world'), {
      listing: '<html>Hello</html>',
      faults: { gone: /catalog\.json/ },
    });
    await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
    assert.equal((await ask(auto, TOWN, 'nearestRoad', 1_000))?.dataset.version, RELEASE);
  });

  for (const [what, fileCount, requested] of [
    ['reads the items', undefined, /place\/00000\/00000\.json/],
    ['reads the listing where a collection names fewer files than it declares', 7, /list-type=2&prefix=release%2F2026/],
  ] as const)
    it(`${what} when the index and the manifest are something else`, async () => {
      const folder = await mkdtemp(join(root, 'malformed-'));
      await cp(join(root, 'world', 'release'), join(folder, 'release'), { recursive: true });
      await writeOvertureCatalogue(folder, fileCount === undefined ? {} : { fileCount });
      await writeFile(join(folder, 'stac', RELEASE, 'collections.parquet'), '<html>Sign in');
      await writeFile(join(folder, 'stac', RELEASE, 'manifest.geojson'), '{"type":"FeatureCollection"}');
      await using site = await overtureSite(folder);
      await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
      assert.equal((await ask(auto, TOWN, 'nearestRoad', 1_000))?.dataset.version, RELEASE);
      assert.ok(
        site.requests.some((request) => requested.test(request)),
        site.requests.join('\n'),
      );
    });

  it('goes on with the next release when the one that was looked up is deleted', async () => {
    const folder = join(root, 'deleted');
    await writeWorld(folder, '2026-08-19.0');
    await writeOvertureCatalogue(folder);
    await using site = await overtureSite(folder);
    const config = { overtureUrl: site.url, overtureIndexUrl: site.catalogue };
    {
      await using auto = opened(config);
      assert.equal((await ask(auto, TOWN, 'nearestRoad', 1_000))?.dataset.version, '2026-08-19.0');
    }
    await rm(join(folder, 'release', '2026-08-19.0'), { recursive: true });
    await writeWorld(folder, RELEASE);
    await writeOvertureCatalogue(folder);
    await rm(join(dataDir, 'cache'), { recursive: true });
    await using auto = opened(config);
    const next = await ask(auto, [TOWN[0] + 0.5, TOWN[1]], 'nearestRoad', 1_000);
    assert.equal(next?.dataset.version, RELEASE);
    assert.equal((await ask(auto, TOWN, 'nearestRoad', 1_000))?.dataset.version, '2026-08-19.0');
    // Sixty days after it was gone the cell is fetched again; meanwhile the old pack answers.
    await using later = opened(config, { now: () => Date.now() + 61 * DAY_MS });
    assert.equal((await ask(later, TOWN, 'nearestRoad', 1_000))?.dataset.version, '2026-08-19.0');
    for (;;) {
      const answer = await ask(later, TOWN, 'nearestRoad', 1_000);
      if (answer?.dataset.version === RELEASE) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it('is unknown and never absent when a column is missing or bodies end early', async () => {
    const folder = join(root, 'columns');
    await writeWorld(folder, RELEASE, { place: { without: ['categories', 'taxonomy', 'basic_category'] } });
    await writeOvertureCatalogue(folder);
    const cases = [
      [folder, {}, /laid out in another way than expected/],
      [join(root, 'world'), { cut: /^release/ }, /does not answer as it should/],
      [join(root, 'world'), { status: 500 }, /does not answer as it should/],
    ] as const;
    for (const [place, faults, says] of cases) {
      dataDir = await mkdtemp(join(root, 'data-'));
      await using site = await overtureSite(place, { faults });
      await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
      await assert.rejects(ask(auto, TOWN, 'businesses', 2_000), says);
      const requests = site.requests.length;
      await assert.rejects(ask(auto, TOWN, 'buildings', 100), says);
      assert.equal(site.requests.length, requests, 'a failure stands for a while');
      assert.deepEqual(
        (await readdir(join(dataDir, 'auto-packs')).catch(() => [])).filter((name) => !name.startsWith('.')),
        [],
      );
    }
  });

  it('finds the same businesses with categories and with the taxonomy alone', async () => {
    const answers: unknown[] = [];
    for (const [name, without] of [
      ['both', []],
      ['old', ['taxonomy', 'basic_category']],
      ['new', ['categories']],
    ] as const) {
      const folder = join(root, `businesses-${name}`);
      await writeWorld(folder, RELEASE, { place: { without } });
      await writeOvertureCatalogue(folder, {
        collection: name === 'old' ? 'type' : 'null',
        asset: name === 'old' ? 'aws-https' : 'aws',
      });
      dataDir = await mkdtemp(join(root, 'data-'));
      await using site = await overtureSite(folder);
      await using auto = opened({ overtureUrl: site.url, overtureIndexUrl: site.catalogue });
      const answer = await auto.sources.businesses?.('coffee', pointShape(...TOWN), 2_000, signal);
      answers.push(answer?.value);
      assert.equal(answer?.value.nearest?.name, 'Tueste Uno');
    }
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
  });

  it('waits for nothing without a network, and one probe decides for a minute', async () => {
    let probes = 0;
    let time = Date.now();
    const network = openNetwork({
      path: join(dataDir, 'network.json'),
      now: () => time,
      reach: () => (probes++, Promise.resolve(false)),
    });
    await using site = await overtureSite(join(root, 'world'), { faults: { status: 500 } });
    const { url } = site;
    await site[Symbol.asyncDispose]();
    await using auto = opened({ overtureUrl: url, overtureIndexUrl: `${url}/stac` }, { network, now: () => time });
    assert.equal(await ask(auto, TOWN, 'nearestRoad', 1_000), null);
    assert.equal(probes, 1);
    const begun = performance.now();
    for (let i = 0; i < 300; i++) assert.equal(await ask(auto, [i, 5.05], 'nearestRoad', 1_000), null);
    assert.ok(performance.now() - begun < 3_000, `300 places took ${Math.round(performance.now() - begun)} ms`);
    assert.equal(probes, 1);
    time += 61_000;
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    assert.equal(await ask(auto, TOWN, 'nearestRoad', 1_000), null);
    assert.equal(probes, 2);
  });

  it('leaves places alone that a pack knows', async () => {
    await using site = await overtureSite(join(root, 'world'));
    const auto = openAutoData(configOf({ overtureUrl: site.url, overtureIndexUrl: site.catalogue }), {
      isCovered: (roles) => roles.includes('roads'),
      log: QUIET,
    });
    assert.equal(await auto.sources.nearestRoad?.(pointShape(...TOWN), 1_000, signal), null);
    assert.equal(site.requests.length, 0);
    await auto.close();
  });

  function configOf(over: Partial<AutoDataConfig>): AutoDataConfig {
    return {
      dataDir,
      cacheMaxMb: 100,
      packMemoryMb: 0,
      autoData: true,
      autoDataMaxMb: 500,
      checkTimeoutMs: 60_000,
      overtureUrl: 'http://127.0.0.1:9',
      overtureIndexUrl: null,
      ...over,
    };
  }

  function opened(over: Partial<AutoDataConfig>, deps: Partial<Parameters<typeof openAutoData>[1]> = {}) {
    const auto = openAutoData(configOf(over), { isCovered: () => false, log: QUIET, ...deps });
    return { ...auto, [Symbol.asyncDispose]: () => auto.close() };
  }
});

const QUIET = { info: () => {}, warn: () => {} };

async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}
