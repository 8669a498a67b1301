import assert from 'node:assert/strict';
import { createReadStream, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { createLog } from '../../src/log.ts';
import type { Dataset } from '../../src/readers/catalogue/dataset.ts';
import { openPackData, type PackData } from '../../src/service/world/packs-data.ts';
import { installedDatasets, packsFolder } from '../../src/service/datasets/pack-folder.ts';
import { makePack } from '../made-up-pack.ts';

const COUNT = 30_000;
const log = createLog({ level: 'silent', json: true });
const { signal } = new AbortController();

describe('a FlatGeobuf file at an address', () => {
  let folder: string;
  let server: Server;
  let local: readonly Dataset[];
  let remote: readonly Dataset[];
  let requests: { range: string | undefined }[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse, path: string) => void = serveRange;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packs-remote-'));
    await writePack(folder);
    ({ datasets: local } = await installedDatasets({ dataDir: folder }));
    const files = new Map(local.map(({ id, path }) => [`/${id}.fgb`, path ?? '']));
    server = createServer((request, response) => answer(request, response, files.get(request.url ?? '') ?? ''));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    remote = local.map((dataset) => {
      const { path: _path, ...rest } = dataset;
      return { ...rest, url: `http://127.0.0.1:${port}/${dataset.id}.fgb` };
    });
  });
  beforeEach(() => {
    requests = [];
    answer = (request, response, path) => {
      requests.push({ range: request.headers.range });
      serveRange(request, response, path);
    };
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await rm(folder, { recursive: true, force: true });
  });

  it('gives the same nearest, the same buildings and the same counts as the file itself', async () => {
    const [here, there] = [open(local, folder), open(remote, join(folder, 'none'))];
    const random = seededRandom(4);
    let found = 0;
    for (let i = 0; i < 60; i++) {
      const place = [101 + random() * 0.5, 3 + random() * 0.5] as const;
      const [wanted, got] = [await ask(here, place), await ask(there, place)];
      assert.deepEqual(got, wanted);
      if (wanted.buildings !== undefined && wanted.buildings.count > 0) found++;
    }
    assert.ok(found > 10, `buildings at ${found} places only`);
    await Promise.all([here.close(), there.close()]);
  });

  it('is read by ranges: a small part of it for one place, and nothing twice', async () => {
    const there = open(remote, join(folder, 'none'));
    await ask(there, [101.25, 3.25]);
    assert.ok(requests.length > 0 && requests.every(({ range }) => /^bytes=\d+-\d+$/.test(range ?? '')));
    const whole = local.reduce((sum, { path }) => sum + statSync(path ?? '').size, 0);
    const read = requests.reduce((sum, { range }) => sum + lengthOf(range ?? ''), 0);
    assert.ok(read < whole / 4, `read ${read} of ${whole} bytes`);
    const before = requests.length;
    await ask(there, [101.25, 3.25]);
    assert.equal(requests.length, before);
    await there.close();
  });

  it('fails its own questions alone when the address does, and answers again afterwards', async () => {
    const there = open(remote, join(folder, 'none'));
    const good = answer;
    answer = (request, response, path) => {
      if (path.includes('roads')) response.writeHead(404).end();
      else good(request, response, path);
    };
    const shape = pointShape(101.25, 3.25);
    await assert.rejects(
      async () => await there.sources.nearestRoad(shape, 1_000, signal),
      (error: Error) => {
        assert.equal(error.message, 'The dataset far-roads cannot be read');
        return /there is no such file/.test(String(error.cause));
      },
    );
    assert.notEqual(await there.sources.buildings(shape, 100, signal), null);
    answer = good;
    assert.notEqual(await there.sources.nearestRoad(shape, 1_000, signal), null);
    await there.close();
  });
});

function open(datasets: readonly Dataset[], dataDir: string): PackData {
  return openPackData(datasets, { dataDir, cacheMaxMb: 0, packMemoryMb: 0 }, log);
}

async function ask({ sources }: PackData, [lon, lat]: readonly [number, number]) {
  const shape = pointShape(lon, lat);
  const [road, buildings, businesses, density] = await Promise.all([
    sources.nearestRoad(shape, 1_000, signal),
    sources.buildings(shape, 100, signal),
    sources.businesses('palm', shape, 2_000, signal),
    sources.density(shape, signal),
  ]);
  return {
    road: road?.value,
    buildings: buildings?.value,
    businesses: businesses?.value,
    density: density?.value,
  };
}

function writePack(dataDir: string): Promise<void> {
  const random = seededRandom(9);
  return makePack(packsFolder({ dataDir }), { id: 'far', box: [100, 2, 103, 5] }, async (sink) => {
    for (let i = 0; i < COUNT; i++) {
      const [x, y] = [101 + random() * 0.5, 3 + random() * 0.5].map((v) => Math.round(v * 1e7) / 1e7);
      const line = Float64Array.of(x, y, x + 0.001, y + 0.0005);
      await sink({ theme: 'roads', geometry: { type: 'lineString', line }, values: [`r/${i}`, 'residential', null] });
      const ring = Float64Array.of(x, y, x + 1e-4, y, x + 1e-4, y + 1e-4, x, y + 1e-4, x, y);
      const values = [`b/${i}`, 'yes', null, 0, 123];
      await sink({ theme: 'buildings', geometry: { type: 'polygon', rings: [ring] }, values });
      if (i % 20 === 0)
        await sink({
          theme: 'businesses',
          geometry: { type: 'point', lon: x, lat: y },
          values: [`s/${i}`, 'shop=agrarian', `Agro ${i}`, 'shop=agrarian', `Agro ${i}`],
        });
    }
  });
}

function serveRange(request: IncomingMessage, response: ServerResponse, path: string): void {
  const { size } = statSync(path);
  const asked = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  if (asked === null) {
    response.writeHead(400).end();
    return;
  }
  const [start, end] = [Number(asked[1]), Math.min(size - 1, Number(asked[2]))];
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end}/${size}`,
    'content-length': end - start + 1,
    etag: '"1"',
  });
  createReadStream(path, { start, end }).pipe(response);
}

function lengthOf(range: string): number {
  const [start, end] = range.slice('bytes='.length).split('-').map(Number);
  return end - start + 1;
}
