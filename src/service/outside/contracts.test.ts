import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { serve, type Handler } from '../../../test/end-to-end/byte-source-site.ts';
import { openHostileSite } from '../../../test/hostile-site.ts';
import { boxPolygon, madeUpTiff, rasterDataset } from '../../../test/made-up-rasters.ts';
import type { Contract } from '../../readers/catalogue/contract.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { ContractRecord } from '../../readers/contracts/contract-records.ts';
import { openPlotStatistics } from '../plots/statistics.ts';
import { openOutside } from './open-outside.ts';

const { signal } = new AbortController();
const site = openHostileSite();
const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A data folder of its own, so that no test knows what another one found. */
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firstmile-contracts-'));
  folders.push(folder);
  return folder;
}

const HOUR = 3_600_000;
const FOREST = { width: 100, height: 100, pixel: 0.1, at: () => 1 } as const;
/** Tiles of 10 degrees named by their upper left corner: 10 to 20 degrees east, 0 to 10 degrees north. */
const TILE = madeUpTiff({ ...FOREST, west: 10, north: 10 });
const CONTRACT: Contract = {
  mirrors: [],
  sentinel: [15, 5],
  expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
  newest: 'fixed',
};

function forest(change: Partial<Dataset> = {}, contract: Partial<Contract> = {}): Dataset {
  return rasterDataset({
    id: 'forest',
    role: 'forest-mask',
    url: `${site.base}/v4/F_V4_{ns}{lat}_{ew}{lon}.tif`,
    date: '2020-12-31',
    options: { classes: [1], nodata: 'absent' },
    contract: { ...CONTRACT, ...contract },
    ...change,
  });
}

async function check(dataset: Dataset, dataDir = freshFolder(), now = 0): Promise<ContractRecord> {
  const { contracts } = openOutside([dataset], { dataDir }, { perHost: 4, now: () => now });
  return contracts.check(dataset, signal);
}

/** Baselines of plots on the tile that is there and on one next to it. */
async function baselines(datasets: readonly Dataset[], dataDir = freshFolder()) {
  const config = { dataDir, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
  const measurer = openPlotStatistics(datasets, config);
  const plots = [boxPolygon(15, 5, 15.1, 5.1), boxPolygon(25, 5, 25.1, 5.1)];
  const statistics = await measurer.measure(
    plots.map((geometry) => ({ geometry, statedHa: null })),
    signal,
  );
  await measurer.close();
  return statistics.map(({ baseline }) => baseline);
}

beforeEach(() => {
  site.files.clear();
  site.files.set('/v4/F_V4_N10_E10.tif', TILE);
});

describe('a contract', () => {
  it('holds where the sentinel is what it should be', async () => {
    const { state, mirror, fault, heldAt, failingSince } = await check(forest(), freshFolder(), HOUR);
    assert.deepEqual([state, mirror, fault, heldAt, failingSince], ['held', site.host, null, HOUR, null]);
  });

  const broken: readonly [title: string, handler: Handler, fault: RegExp][] = [
    ['404 for everything', (_, response) => response.writeHead(404).end('gone'), /there is nothing at its address/],
    ['403 for everything', (_, response) => response.writeHead(403).end(), /there is nothing at its address/],
    [
      'a web page in place of a TIFF',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>moved</html>'),
      /wanted a file, got a web page/,
    ],
    [
      'the whole of a large file for a range',
      (_, response) => response.writeHead(200, { 'content-length': 9_000_000 }).end(Buffer.alloc(9_000_000)),
      /wanted a range \(206\), got the whole file/,
    ],
    [
      'samples of another type',
      (request, response) =>
        serve(request, response, madeUpTiff({ ...FOREST, west: 10, north: 10, sampleType: 'uint16' })),
      /wanted samples of uint8, got uint16/,
    ],
    [
      'a tile of another continent',
      (request, response) => serve(request, response, madeUpTiff({ ...FOREST, west: -70, north: 10 })),
      /got one that lies elsewhere/,
    ],
  ];
  for (const [title, handler, fault] of broken) {
    it(`is broken by ${title}, and what depends on it is unknown`, async () => {
      site.handler = handler;
      const record = await check(forest());
      assert.equal(record.state, 'broken', record.fault ?? '');
      assert.match(record.fault ?? '', fault);
      assert.match(record.remedy ?? '', /CATALOGUE/);
      for (const baseline of await baselines([forest()])) assert.equal(baseline.status, 'unknown');
    });
  }

  const unreachable: readonly [title: string, handler: Handler][] = [
    ['fails', (_, response) => response.writeHead(503).end()],
    ['breaks connections', (_, response) => response.destroy()],
    [
      'sends bodies shorter than it promised',
      (request, response) => {
        const [, from = '0'] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
        response.writeHead(206, { 'content-range': `bytes ${from}-999/1000`, etag: '"1"' }).end('short');
      },
    ],
  ];
  for (const [title, handler] of unreachable) {
    it(`is neither held nor broken by a server that ${title}, and what depends on it is unknown`, async () => {
      const dataDir = freshFolder();
      assert.equal((await check(forest(), dataDir, HOUR)).state, 'held');
      site.handler = handler;
      const { state, heldAt, failingSince } = await check(forest(), dataDir, 2 * HOUR);
      assert.deepEqual([state, heldAt, failingSince], ['unreachable', HOUR, 2 * HOUR]);
      for (const baseline of await baselines([forest()])) assert.equal(baseline.status, 'unknown');
    });
  }

  it('believes that a tile is not there while the sentinel is, and not when everything is gone', async () => {
    const other = forest({ id: 'other', url: `${site.base}/other/F_V4_{ns}{lat}_{ew}{lon}.tif` });
    site.files.set('/other/F_V4_N10_E10.tif', TILE);
    site.files.set('/other/F_V4_N10_E20.tif', madeUpTiff({ ...FOREST, west: 20, north: 10 }));
    const [there, missing] = await baselines([forest(), other]);
    assert.ok(there?.status === 'measured' && there.dataset === 'forest');
    // No tile of the first map is no ground without forest: the next map says what is there.
    assert.ok(missing?.status === 'measured' && missing.dataset === 'other');
    site.files.delete('/v4/F_V4_N10_E10.tif');
    for (const baseline of await baselines([forest(), other])) {
      assert.ok(baseline.status === 'unknown', 'another baseline must not answer for one that failed');
      assert.match(baseline.reason, /^forest: it is no longer what its contract says/);
    }
  });

  it('is checked at first use and again after a day, in the background', async () => {
    const dataDir = freshFolder();
    let now = HOUR;
    const { contracts } = openOutside([forest()], { dataDir }, { perHost: 4, now: () => now });
    await contracts.require('forest', signal);
    const afterFirst = site.requests.length;
    assert.ok(afterFirst > 0);
    now += 23 * HOUR;
    await contracts.require('forest', signal);
    assert.equal(site.requests.length, afterFirst);
    site.handler = (_, response) => response.writeHead(404).end();
    now += 2 * HOUR;
    // What was known a day ago answers while somebody looks.
    await contracts.require('forest', signal);
    await contracts.check(forest(), signal);
    assert.ok(site.requests.length > afterFirst);
    await assert.rejects(contracts.require('forest', signal), { kind: 'contract' });
    // Another process with the same folder knows it too, without a request.
    const count = site.requests.length;
    const others = openOutside([forest()], { dataDir }, { perHost: 4, now: () => now });
    await assert.rejects(others.contracts.require('forest', signal), { kind: 'contract' });
    assert.equal(site.requests.length, count);
  });

  it('names the version that its listing has when its own is gone', async () => {
    const newest = { listing: `${site.base}/listing/`, pattern: 'F_V(\\d+)_' };
    site.files.set('/listing/', Buffer.from('<a href="F_V4_N10_E10.tif"> <a href="F_V5_N10_E10.tif">'));
    const held = await check(forest({}, { newest }));
    assert.deepEqual([held.state, held.newer], ['held', '5']);
    site.files.delete('/v4/F_V4_N10_E10.tif');
    const gone = await check(forest({}, { newest }));
    assert.deepEqual([gone.state, gone.newer], ['broken', '5']);
    assert.match(gone.remedy ?? '', /version 5 is listed/);
  });

  it('holds by a mirror when the first address is gone, and says which', async () => {
    const second = forest({ url: `${site.base}/gone/F_V4_{ns}{lat}_{ew}{lon}.tif` }, { mirrors: [forest().url ?? ''] });
    const { state, fault, mirror } = await check(second);
    assert.deepEqual([state, mirror], ['held', site.host]);
    assert.match(fault ?? '', /there is nothing at its address/);
    const [baseline] = await baselines([second]);
    assert.equal(baseline?.status, 'measured');
  });

  it('covers tiles of Web Mercator that are named by their quadkey, as those of canopy heights are', async () => {
    // The tile of zoom 10 that holds 15 east, 5 north: its corner in metres, and pixels of a hundredth of its side.
    const side = 40_075_016.68557849 / 1024;
    const [column, row] = [554, 497];
    const [west, north] = [column * side - 20_037_508.342789244, 20_037_508.342789244 - row * side];
    const heights = madeUpTiff({
      width: 100,
      height: 100,
      west,
      north,
      pixel: side / 100,
      at: (x) => (x % 2 === 0 ? 10 : 255),
      crs: 'EPSG:3857',
    });
    let key = '';
    for (let bit = 9; bit >= 0; bit--) key += String(((column >> bit) & 1) + 2 * ((row >> bit) & 1));
    site.files.set(`/chm/${key}.tif`, heights);
    const canopy = rasterDataset({
      id: 'chm',
      role: 'canopy-height',
      url: `${site.base}/chm/{quadkey}.tif`,
      options: { tileZoom: 10, nodataValue: 255, largestHa: 50_000 },
      contract: { ...CONTRACT, sentinel: `${key}.tif`, expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:3857' } },
    });
    assert.equal((await check(canopy)).state, 'held');
    const config = { dataDir: freshFolder(), cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
    const measurer = openPlotStatistics([canopy], config);
    const plots = [boxPolygon(14.9, 5.1, 15, 5.15), boxPolygon(14.8, 4.9, 15.1, 5.19)];
    const [one, large] = await measurer.measure(
      plots.map((geometry) => ({ geometry, statedHa: null })),
      signal,
    );
    await measurer.close();
    // One height all over, and half of the ground without data.
    assert.ok(one?.diversity.status === 'measured', JSON.stringify(one?.diversity));
    assert.deepEqual([one.diversity.score, one.diversity.basis], [0, 'canopy-height']);
    assert.ok(Math.abs(one.diversity.coveredShare - 0.5) < 0.05, String(one.diversity.coveredShare));
    assert.ok(large?.diversity.status === 'unknown' && /above 50000 hectares/.test(large.diversity.reason));
  });
});
