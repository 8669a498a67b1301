import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { convergenceOf } from '../collections/fetch/convergence.ts';
import type { PlotRecord, PlotStatistics } from '../collections/plot-record.ts';
import type { Dataset } from '../readers/catalogue/dataset.ts';
import { boxPolygon, madeUpTiff, rasterDataset } from '../../test/made-up-rasters.ts';
import { openPlotStatistics } from './plots/statistics.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const FILE = madeUpTiff({
  width: 200,
  height: 200,
  west: 10,
  north: 5,
  pixel: 0.001,
  at: () => 1,
  options: { tile: 64 },
});
const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'firstmile-remote-plots-'));
const CONFIG = { dataDir: folder, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };

let handler: Handler = serve;
let requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(`${request.url} ${request.headers.range}`);
  handler(request, response);
});
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  handler = serve;
  requests = [];
});

/** Answers ranges of the file as a good server does. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(from), Math.min(Number(to) + 1, FILE.length)];
  const range = `bytes ${start}-${end - 1}/${FILE.length}`;
  response.writeHead(206, { 'content-range': range, 'content-length': end - start, etag: '"1"' });
  response.end(FILE.subarray(start, end));
}

function dataset(path: string, options: Dataset['options'] = {}): Dataset {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;
  return rasterDataset({ id: 'mask', role: 'forest-mask', url, options: { classes: [1], ...options } });
}

const plot = (x: number, y: number) => ({
  geometry: boxPolygon(10 + x, 5 - y - 0.004, 10 + x + 0.004, 5 - y),
  statedHa: null,
});

async function measure(
  datasets: readonly Dataset[],
  ...plots: readonly ReturnType<typeof plot>[]
): Promise<readonly PlotStatistics[]> {
  const failures: string[] = [];
  const measurer = openPlotStatistics(datasets, CONFIG, (id) => failures.push(id));
  const statistics = await measurer.measure(plots, signal);
  await measurer.close();
  const unknown = statistics.filter(
    ({ baseline }) => baseline.status === 'unknown' && baseline.reason.startsWith('mask: '),
  );
  assert.equal(failures.length > 0, unknown.length > 0, 'every failure is reported, and nothing else');
  return statistics;
}

function reasonOf([one]: readonly PlotStatistics[]): string {
  assert.ok(one?.baseline.status === 'unknown', JSON.stringify(one?.baseline));
  return one.baseline.reason;
}

describe('rasters at an address', () => {
  it('are read once for plots next to each other', async () => {
    const plots = Array.from({ length: 30 }, (_, i) => plot(0.001 * i, 0.001 * (i % 7)));
    const statistics = await measure([dataset('a.tif')], ...plots);
    assert.ok(statistics.every(({ baseline }) => baseline.status === 'measured' && baseline.coveredShare === 1));
    // The header, and the blocks in one piece: they lie side by side.
    assert.ok(requests.length <= 3, requests.join('\n'));
  });

  it('are unknown where a tile is answered with 404, and no other dataset takes its place', async () => {
    handler = (request, response) =>
      request.url?.startsWith('/other') === true ? serve(request, response) : response.writeHead(404).end('not here');
    const other = { ...dataset('other.tif'), id: 'other' };
    const tiles = dataset('{ns}{lat}_{ew}{lon}.tif');
    assert.match(reasonOf(await measure([tiles, other], plot(0, 0))), /^mask: a tile of it was not found \(404\)/);
    assert.ok(requests[0]?.startsWith('/N10_E10.tif'));
  });

  it('have no data where the list of tiles names none, without a request', async () => {
    const listed = dataset('{ns}{lat}_{ew}{lon}.tif', { tiles: ['N20_E10.tif'] });
    assert.equal(reasonOf(await measure([listed], plot(0, 0))), 'mask has no data there');
    assert.deepEqual(requests, []);
    handler = (_, response) => response.writeHead(404).end('gone');
    const named = dataset('{ns}{lat}_{ew}{lon}.tif', { tiles: ['N10_E10.tif'] });
    assert.match(reasonOf(await measure([named], plot(0, 0))), /^mask: a tile of it was not found/);
  });

  it('are broken where the only file is answered with 404', async () => {
    handler = (_, response) => response.writeHead(404).end('not here');
    assert.equal(reasonOf(await measure([dataset('a.tif')], plot(0, 0))), 'mask: its data could not be read');
  });

  const misbehaviours: readonly (readonly [name: string, handler: Handler, reason: RegExp])[] = [
    ['429', (_, response) => response.writeHead(429, { 'retry-after': '0' }).end(), /it refused to be read/],
    ['500', (_, response) => response.writeHead(500).end('sorry'), /it refused to be read/],
    ['403', (_, response) => response.writeHead(403).end('no'), /it refused to be read/],
    [
      'a web page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>'),
      /could not be read/,
    ],
    [
      'another file',
      (request, response) => answer(request, response, Buffer.alloc(FILE.length, 7)),
      /could not be read/,
    ],
    ['a body that ends early', cutShort, /ended early|could not be reached/],
    ['a closed connection', (request) => request.socket.destroy(), /could not be reached/],
    ['an answer that never comes', () => {}, /it did not answer in time/],
  ];
  for (const [name, misbehave, wanted] of misbehaviours) {
    it(`leave plots unknown with a reason, never 0, for ${name}`, async () => {
      handler = misbehave;
      const reason = reasonOf(await measure([dataset('a.tif', { deadlineMs: 900 })], plot(0, 0), plot(0.1, 0.1)));
      assert.match(reason, wanted);
      assert.doesNotMatch(reason, /127\.0\.0\.1|sorry|log in/);
    });
  }

  it('leave only the plots unknown whose tile fails', async () => {
    handler = (request, response) =>
      request.url?.includes('N6_') ? response.writeHead(500).end() : serve(request, response);
    const at = (lat: number) => ({ geometry: boxPolygon(10.01, lat, 10.02, lat + 0.01), statedHa: null });
    const [fails, measured] = await measure([dataset('{ns}{lat}_{ew}{lon}.tif', { tileDegrees: 1 })], at(5.5), at(4.9));
    assert.equal(fails?.baseline.status, 'unknown');
    assert.equal(measured?.baseline.status, 'measured');
  });

  it('leave the neighbours of a plot of 100,000 ha known when its tiles take too long', async () => {
    handler = (request, response) => {
      if (!request.url?.includes('_E11')) serve(request, response);
    };
    const large = { geometry: boxPolygon(11.2, 4.2, 11.6, 4.6), statedHa: null };
    const tiles = dataset('{ns}{lat}_{ew}{lon}.tif', { tileDegrees: 1, deadlineMs: 900 });
    const [first, late, last] = await measure([tiles], plot(0, 0), large, plot(0.1, 0.1));
    assert.deepEqual(late?.baseline, { status: 'unknown', reason: 'mask: it did not answer in time' });
    assert.deepEqual([first?.baseline.status, last?.baseline.status], ['measured', 'measured']);
  });

  it('are read when a server answers again after failing by chance', async () => {
    let failed = 0;
    handler = (request, response) => (failed++ < 2 ? response.writeHead(503).end() : serve(request, response));
    const [one] = await measure([dataset('a.tif')], plot(0, 0));
    assert.equal(one?.baseline.status, 'measured');
  });

  it('do not go on to the next mask when the first fails: another baseline is another answer', async () => {
    handler = (request, response) =>
      request.url === '/a.tif' ? response.writeHead(500).end() : serve(request, response);
    const second = { ...dataset('b.tif'), id: 'second' };
    assert.match(reasonOf(await measure([dataset('a.tif'), second], plot(0, 0))), /^mask: it refused to be read/);
  });
});

describe('a server that answers 404 to everything', () => {
  const period = { start: '2020-12-31', end: '2026-12-31' };

  it('clears no plot of any commodity, and every vote says why', async () => {
    handler = (_, response) => response.writeHead(404).end('not here');
    const layers = everyRole();
    const [statistics] = await measure(layers, plot(0, 0));
    for (const commodity of ['cocoa', 'soy', 'cattle', 'timber', null]) {
      const record = { locationType: 'plot', statistics, commodity, feature: { properties: {} } } as const;
      const found = convergenceOf(record as unknown as PlotRecord, { options: null }, period);
      assert.equal(found?.verdict, 'more_information_needed', String(commodity));
      assert.ok(found.votes.length >= layers.length);
      for (const vote of found.votes) {
        assert.deepEqual([vote.state, vote.areaHa, vote.share], ['unknown', null, null]);
        assert.match(vote.reason ?? '', new RegExp(`^${vote.dataset}: `));
      }
    }
  });

  it('keeps no other layer from voting', async () => {
    handler = (request, response) =>
      request.url?.startsWith('/gone') === true ? response.writeHead(404).end() : serve(request, response);
    const [, ...rest] = everyRole();
    const [statistics] = await measure([dataset('gone.tif'), ...rest], plot(0, 0));
    const states = statistics?.evidence?.map((one) => [one.dataset, 'yesHa' in one]);
    assert.deepEqual(states, [
      ['mask', false],
      ['losses', true],
      ['losses', true],
      ['types', true],
      ['crops', true],
      ['park', true],
    ]);
  });
});

/** A layer of each role that votes, at addresses of the server. */
function everyRole(): readonly Dataset[] {
  return [
    dataset('a.tif'),
    { ...dataset('b.tif', { lastYear: 2025 }), id: 'losses', role: 'loss-year' },
    {
      ...dataset('c.tif', { votes: [{ indicator: 'primary_forest_2020', classes: [10] }] }),
      id: 'types',
      role: 'evidence',
    },
    { ...dataset('d.tif', { commodity: 'cocoa' }), id: 'crops', role: 'commodity-map', date: '2020' },
    { ...dataset('e.tif'), id: 'park', role: 'protected-land' },
  ];
}

function answer(request: IncomingMessage, response: ServerResponse, bytes: Uint8Array): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(from), Math.min(Number(to) + 1, bytes.length)];
  response.writeHead(206, { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}`, etag: '"2"' });
  response.end(bytes.subarray(start, end));
}

/** Promises the whole range and hangs up in the middle of it. */
function cutShort(request: IncomingMessage, response: ServerResponse): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(from), Math.min(Number(to) + 1, FILE.length)];
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end - 1}/${FILE.length}`,
    'content-length': end - start,
    etag: '"1"',
  });
  response.write(FILE.subarray(start, start + Math.floor((end - start) / 2)), () => response.destroy());
}
