import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pointShape } from '../../src/geo/point-shape.ts';
import { createLog } from '../../src/log.ts';
import { packDatasets } from '../../src/readers/packs/manifest.ts';
import { importOverturePack, type OverturePackRequest } from '../../src/service/packs-import-overture.ts';
import { openPackData } from '../../src/service/packs-data.ts';
import { writeOverture, type OvertureFeature } from '../overture-release.ts';

const { signal } = new AbortController();
const RELEASE = '2026-10-21.0';
const BOX = [10, 5, 10.2, 5.2] as const;

describe('importOverturePack', () => {
  let root: string;
  let dataDir: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'overture-'));
    await writeRelease(root, RELEASE);
    await writeRelease(root, '2026-09-17.0');
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(root, 'data-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('takes the newest release of a folder, and of it what touches the box', async () => {
    const { pack, release } = await run({ from: root });
    assert.equal(release, RELEASE);
    const counts = Object.fromEntries(pack.manifest.themes.map(({ theme, features }) => [theme, features]));
    assert.deepEqual(counts, { roads: 41, water: 1, buildings: 400, businesses: 1, ports: 1 });
    const data = openPackData(
      packDatasets(pack),
      { dataDir, cacheMaxMb: 0, packMemoryMb: 100 },
      createLog({ level: 'silent', json: true }),
    );
    await data.loaded;
    try {
      const at = pointShape(10.1, 5.1);
      const road = await data.sources.nearestRoad(at, 5_000, signal);
      assert.equal(road?.value?.kind, 'track');
      const businesses = await data.sources.businesses('coffee', at, 2_000, signal);
      assert.deepEqual([businesses?.value.count, businesses?.value.nearest?.name], [1, 'Coffee mill']);
      const buildings = await data.sources.buildings(pointShape(10.0501, 5.0501), 100, signal);
      assert.ok(buildings?.value.industrial === true && buildings.value.largestM2 > 100);
      assert.equal((await data.sources.nearestPort(at, 50_000, signal))?.value?.kind, 'quay');
      assert.equal((await data.sources.nearestWater(at, 5_000, signal))?.value?.kind, 'river');
    } finally {
      await data.close();
    }
  });

  it('reads an address by ranges, leaving out groups of rows that cannot touch the box', async () => {
    await using site = await bucketOf(root);
    const { pack } = await run({ from: site.url });
    assert.equal(pack.manifest.themes.find(({ theme }) => theme === 'buildings')?.features, 400);
    const building = site.files.find(({ path }) => path.includes('type=building') && path.includes(RELEASE));
    assert.ok(building !== undefined && building.fetched < building.size / 2, JSON.stringify(building));
    assert.ok(site.ranges > 0 && site.whole === 0, `${site.whole} files were fetched whole`);
  });

  it('goes on where it was when it is run again after it was stopped', async () => {
    await using site = await bucketOf(root);
    const stop = new AbortController();
    const stopping = run(
      { from: site.url, onProgress: (done, total) => done > total / 3 && stop.abort(new Error('enough')) },
      stop.signal,
    );
    await assert.rejects(stopping, /enough/);
    assert.deepEqual(await readdir(join(dataDir, 'regional-packs')), []);
    const before = site.fetched;
    await run({ from: site.url });
    const again = site.fetched - before;
    assert.ok(again < before, `fetched ${before} bytes, then ${again} more`);
    const third = site.fetched;
    await run({ from: site.url });
    // Every file is asked for its size and version with one byte.
    assert.ok(site.fetched - third <= 5, `a third run fetched ${site.fetched - third} bytes`);
  });

  it('says what is missing', async () => {
    await assert.rejects(run({ from: join(root, 'nowhere') }), /there is no release/);
    await assert.rejects(
      run({ from: root, release: '2020-01-01.0' }),
      /release 2020-01-01\.0 has no files of theme=transportation/,
    );
    await using site = await bucketOf(root, '<html>Hello</html>');
    await assert.rejects(run({ from: site.url }), /wanted a listing as S3 gives it/);
  });

  function run(request: Partial<OverturePackRequest>, stop: AbortSignal = signal) {
    const whole = {
      id: 'test',
      box: BOX,
      release: null,
      from: root,
      onPlan: () => {},
      onProgress: () => {},
      ...request,
    };
    return importOverturePack({ dataDir, cacheMaxMb: 100 }, whole, stop);
  }
});

async function writeRelease(root: string, release: string): Promise<void> {
  const roads: OvertureFeature[] = Array.from({ length: 40 }, (_, i) => ({
    id: `r${i}`,
    line: [10 + i * 0.005, 5, 10 + i * 0.005, 5.2],
    subtype: 'road',
    class: i % 2 === 0 ? 'track' : 'footway',
  }));
  const far: OvertureFeature[] = Array.from({ length: 200 }, (_, i) => ({
    id: `f${i}`,
    line: [40 + i, 5, 41 + i, 5],
    subtype: 'road',
    class: 'primary',
  }));
  const edge: OvertureFeature = { id: 'edge', line: [9.9, 5.15, 10.001, 5.15], subtype: 'road', class: 'residential' };
  const rail: OvertureFeature = { id: 'rail', line: [10, 5.1, 10.2, 5.1], subtype: 'rail', class: 'standard_gauge' };
  await writeOverture(root, release, 'theme=transportation/type=segment', [...roads, edge, rail, ...far], 50);
  const buildings = Array.from({ length: 20_000 }, (_, i): OvertureFeature => {
    const [x, y] =
      i < 400
        ? [10.05 + (i % 20) * 0.0003, 5.05 + Math.floor(i / 20) * 0.0003]
        : [60 + (i % 50) * 0.01, 20 + i * 0.0005];
    return {
      id: `b${i}`,
      ring: [x, y, x + 2e-4, y, x + 2e-4, y + 2e-4, x, y + 2e-4, x, y],
      subtype: 'industrial',
      class: 'warehouse',
    };
  });
  await writeOverture(root, release, 'theme=buildings/type=building', buildings, 1_000);
  await writeOverture(root, release, 'theme=places/type=place', [
    {
      id: 'p1',
      point: [10.1, 5.101],
      name: 'Coffee mill',
      category: 'industrial_company',
      alternate: ['coffee_roastery'],
      confidence: 0.9,
    },
    { id: 'p2', point: [10.1, 5.101], name: 'Closed mill', category: 'coffee_roastery', status: 'permanently_closed' },
    { id: 'p3', point: [10.1, 5.101], name: 'Perhaps a mill', category: 'coffee_roastery', confidence: 0.2 },
    { id: 'p4', point: [50, 5], name: 'Far mill', category: 'coffee_roastery' },
  ]);
  await writeOverture(root, release, 'theme=base/type=water', [
    { id: 'w1', line: [10, 5.11, 10.2, 5.11], subtype: 'river', class: 'river', name: 'Contoh' },
    { id: 'w2', point: [10.1, 5.1], subtype: 'physical', class: 'cape' },
  ]);
  await writeOverture(root, release, 'theme=base/type=infrastructure', [
    { id: 'i1', line: [10.15, 5.15, 10.151, 5.15], subtype: 'pier', class: 'quay' },
    { id: 'i2', point: [10.1, 5.1], subtype: 'tower', class: 'communication_tower' },
  ]);
}

interface Site extends AsyncDisposable {
  readonly url: string;
  readonly fetched: number;
  readonly ranges: number;
  readonly whole: number;
  readonly files: { readonly path: string; readonly size: number; fetched: number }[];
}

/** A folder as a bucket: listings in pages of two names, and ranges of files. */
async function bucketOf(root: string, listing: string | null = null): Promise<Site> {
  const files: { path: string; size: number; fetched: number }[] = [];
  for (const entry of await readdir(join(root, 'release'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) files.push({ path: relative(root, join(entry.parentPath, entry.name)), size: 0, fetched: 0 });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const state = { fetched: 0, ranges: 0, whole: 0 };
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bucket');
    if (url.pathname === '/') {
      response.end(
        listing ??
          listOf(
            files.map(({ path }) => path),
            url.searchParams,
          ),
      );
      return;
    }
    const file = files.find(({ path }) => path === decodeURIComponent(url.pathname.slice(1)));
    if (file === undefined) return void response.writeHead(404).end();
    void readFile(join(root, file.path)).then((bytes) => {
      file.size = bytes.length;
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      if (range === null) {
        if (request.method !== 'HEAD') state.whole++;
        return response
          .writeHead(200, { etag: '"1"', 'content-length': bytes.length, 'accept-ranges': 'bytes' })
          .end(request.method === 'HEAD' ? undefined : bytes);
      }
      const [from, to] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
      state.ranges++;
      state.fetched += to - from + 1;
      file.fetched += to - from + 1;
      return response
        .writeHead(206, { etag: '"1"', 'content-range': `bytes ${from}-${to}/${bytes.length}` })
        .end(bytes.subarray(from, to + 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get fetched() {
      return state.fetched;
    },
    get ranges() {
      return state.ranges;
    },
    get whole() {
      return state.whole;
    },
    files,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listOf(paths: readonly string[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const from = Number(query.get('continuation-token') ?? 0);
  const matching = paths.filter((path) => path.startsWith(prefix));
  const folders = query.has('delimiter')
    ? [...new Set(matching.map((path) => prefix + path.slice(prefix.length).split('/')[0] + '/'))]
    : [];
  const names = query.has('delimiter') ? [] : matching.slice(from, from + 2);
  const next =
    !query.has('delimiter') && from + 2 < matching.length
      ? `<NextContinuationToken>${from + 2}</NextContinuationToken>`
      : '';
  return `<?xml version="1.0"?><ListBucketResult><Prefix>${prefix}</Prefix>${names.map((name) => `<Contents><Key>${name}</Key></Contents>`).join('')}${folders.map((name) => `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`).join('')}${next}</ListBucketResult>`;
}
