import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { madeUpTiff, rasterDataset } from '../../../test/made-up-rasters.ts';
import { ConfigError, readConfig } from '../../config/settings.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { detectionData, openDetection } from './detection.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const PIXEL = 0.00025;
/** Pixels from the corner to the side of each made-up file. */
const SIDE = 60;
/** Pixels by which a file reaches over the box of its name, with values that must not be counted. */
const OVER = 5;
const NAME = 'ESA_WorldCover_10m_2021_v200_{ns}{lat:2}{ew}{lon:3}_Map.tif';
/** Where four tiles of 3 degrees meet. */
const CORNER = pointShape(102, -3);
const { signal } = new AbortController();

/** Class 50 on a third of the ground, by column and row counted from the corner. */
const classAt = (column: number, row: number): number => ((column + 2 * row) % 3 === 0 ? 50 : 10);

/** A file whose pixels lie `left` and `top` of the corner; `own` says which of them belong to it. */
function file(left: number, top: number, own: (x: number, y: number) => boolean): Uint8Array {
  const [width, height] = [SIDE + OVER, SIDE + OVER];
  const at = (x: number, y: number): number => (own(x + left, y + top) ? classAt(x + left, y + top) : 50);
  return madeUpTiff({ width, height, west: 102 + left * PIXEL, north: -3 - top * PIXEL, pixel: PIXEL, at });
}

const FILES = new Map([
  ['S03E099', file(-SIDE, -SIDE, (x, y) => x < 0 && y < 0)],
  ['S03E102', file(-OVER, -SIDE, (x, y) => x >= 0 && y < 0)],
  ['S06E099', file(-SIDE, -OVER, (x, y) => x < 0 && y >= 0)],
  ['S06E102', file(-OVER, -OVER, (x, y) => x >= 0 && y >= 0)],
]);

let folder: string;
let handler: Handler = serve;
let requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  handler(request, response);
});
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detection-tiles-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  handler = serve;
  requests = [];
});

function nameIn(request: IncomingMessage): string {
  return /_v200_(\w+)_Map\.tif$/.exec(request.url ?? '')?.[1] ?? '';
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const bytes = FILES.get(nameIn(request));
  if (bytes === undefined) return void response.writeHead(404).end('not here');
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const [start, end] = [Number(from), Math.min(Number(to) + 1, bytes.length)];
  response.writeHead(206, { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}`, etag: '"1"' });
  response.end(bytes.subarray(start, end));
}

function tiled(change: Partial<Dataset> = {}): Dataset {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${NAME}`;
  const options = { commodity: 'soy', classes: [50], tileDegrees: 3, tileCorner: 'lower-left' };
  return rasterDataset({ id: 'cover', role: 'commodity-map', url, options, ...change });
}

/** The same with a list of tiles that lacks the one in the north-east. */
function withoutOne(): Dataset {
  const { options } = tiled();
  const names = [...FILES.keys()].filter((name) => name !== 'S03E102').map(addressOf);
  return tiled({ options: { ...options, tiles: names.map((name) => name.slice(name.lastIndexOf('/') + 1)) } });
}

function open(...datasets: readonly Dataset[]) {
  const config = readConfig({ DATA_DIR: folder, CACHE_MAX_MB: '0' });
  const detection = openDetection(detectionData([], datasets, config));
  const share = async (at = CORNER, radiusM = 200, until = signal) =>
    (await detection.sources.commodityShare('soy', at, radiusM, until))?.value ?? null;
  return { share, [Symbol.asyncDispose]: () => detection.close() };
}

describe('a map in tiles', () => {
  it('is read where four of its tiles meet as if it were one file, and only there', async () => {
    await using tiles = open(tiled());
    const size = 2 * SIDE;
    const at = (x: number, y: number): number => classAt(x - SIDE, y - SIDE);
    const [west, north] = [102 - SIDE * PIXEL, -3 + SIDE * PIXEL];
    const path = join(folder, 'whole.tif');
    await writeFile(path, madeUpTiff({ width: size, height: size, west, north, pixel: PIXEL, at }));
    await using whole = open(rasterDataset({ ...tiled({ path }), url: undefined } as unknown as Dataset));
    for (const place of [CORNER, pointShape(102.001, -2.999), pointShape(101.9985, -3.0002)]) {
      const found = await tiles.share(place);
      assert.match(found?.detail ?? '', /^All 1\d\d pixels of the map cover;/);
      assert.deepEqual(found, await whole.share(place));
    }
    const sampled = await tiles.share(CORNER, 1_000);
    assert.ok(sampled !== null && Math.abs(sampled.share - 1 / 3) < 0.05, `${sampled?.share}`);
    assert.doesNotMatch(sampled.detail, /no data/);
    assert.deepEqual([...new Set(requests)].toSorted(), [...FILES.keys()].map(addressOf).toSorted());
    requests = [];
    assert.notEqual(await tiles.share(pointShape(102.01, -3.01), 100), null);
    assert.deepEqual([...new Set(requests)], [addressOf('S06E102')]);
  });

  it('has no data where the list of tiles names none, and does not request it', async () => {
    await using tiles = open(withoutOne());
    const found = await tiles.share();
    assert.ok(found !== null && Math.abs(found.share - 1 / 3) < 0.05);
    assert.match(found.detail, /\d+ more have no data/);
    assert.equal(await tiles.share(pointShape(102.01, -2.99), 100), null);
    assert.ok(!requests.includes(addressOf('S03E102')));
    assert.equal(await tiles.share(pointShape(10, 10), 100), null);
  });

  it('is drawn from around the place where there is no tile of its middle', async () => {
    await using tiles = open(withoutOne());
    const found = await tiles.share(pointShape(102.0001, -2.9999), 200);
    assert.ok(found !== null && Math.abs(found.share - 1 / 3) < 0.05);
  });

  const misbehaviours: readonly (readonly [name: string, handler: Handler, wanted: RegExp])[] = [
    ['403', (_, response) => response.writeHead(403).end('no'), /403/],
    ['404', (_, response) => response.writeHead(404).end('gone'), /404/],
    ['a web page', (_, response) => response.writeHead(200).end('<html>log in</html>'), /./],
    [
      'another file',
      (_, response) => {
        response.writeHead(206, { 'content-range': 'bytes 0-16383/16384' });
        response.end(Buffer.alloc(16384, 7));
      },
      /./,
    ],
    ['an answer that never comes', () => {}, /too long/],
  ];
  for (const [name, misbehave, wanted] of misbehaviours) {
    it(`fails, and never counts as 0, where a tile is answered with ${name}`, async () => {
      handler = (request, response) =>
        nameIn(request) === 'S06E099' ? misbehave(request, response) : serve(request, response);
      await using tiles = open(tiled());
      const abort = new AbortController();
      if (name.startsWith('an answer')) {
        handler = (request, response) =>
          nameIn(request) === 'S06E099' ? abort.abort(new Error('it took too long')) : serve(request, response);
      }
      await assert.rejects(() => tiles.share(CORNER, 200, abort.signal), wanted);
      const beside = await tiles.share(pointShape(102.01, -3.01), 100);
      assert.ok(beside !== null && Math.abs(beside.share - 1 / 3) < 0.05, 'other tiles are read as before');
    });
  }

  it('leaves the file to a question that still waits when another one that began to open it leaves', async () => {
    const first = new AbortController();
    let isHeld = true;
    handler = (request, response) => {
      if (!isHeld) return serve(request, response);
      isHeld = false;
      // The second question is asked by then: they run side by side.
      setImmediate(() => first.abort(new Error('left')));
      setImmediate(() => serve(request, response));
    };
    await using tiles = open(tiled());
    const place = pointShape(102.01, -3.01);
    const left = tiles.share(place, 100, first.signal);
    const stays = tiles.share(place, 100);
    await assert.rejects(left, /left/);
    assert.notEqual(await stays, null);
  });

  it('is refused with the entry and what it should say', () => {
    for (const [change, message] of [
      [{ url: 'http://127.0.0.1/{lat}_{lon}.tif' }, /CATALOGUE: cover: url: wanted \{ns\}, \{ew\} in/],
      [{ options: { ...tiled().options, tileDegrees: 0 } }, /cover: options.tileDegrees: wanted degrees from 1 to 90/],
      [{ options: { ...tiled().options, tileCorner: 'middle' } }, /options.tileCorner: wanted "upper-left" or/],
    ] as const)
      assert.throws(
        () => open(tiled(change)),
        (error: unknown) => error instanceof ConfigError && message.test(error.message),
      );
  });
});

function addressOf(name: string): string {
  return `/ESA_WorldCover_10m_2021_v200_${name}_Map.tif`;
}
