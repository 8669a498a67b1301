import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import * as npmFlatgeobuf from 'flatgeobuf/lib/mjs/geojson.js';
import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import { seededRandom } from '../../../geo/seeded-random.ts';
import { fileSource } from '../../io/file-source.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import { decodeGeometry, decodeValues, planColumns, type Values } from './decode-feature.ts';
import type { FlatGeometry } from './encode-feature.ts';
import { GEOMETRY, NODE_SIZE, type Column } from './layout.ts';
import { openFlatGeobuf, type FlatGeobufFile } from './open-flatgeobuf.ts';
import { createPageMemory } from './page-memory.ts';
import { FlatGeobufWriter } from './write-flatgeobuf.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(500);
const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'long' },
  { name: 'kind', type: 'string' },
  { name: 'area', type: 'double' },
];
const { signal } = new AbortController();

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flatgeobuf-'));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('FlatGeobufWriter', () => {
  it('writes files whose boxes, geometries and values GDAL reads back', async (t) => {
    if (!hasGdal()) return t.skip('ogrinfo is not installed');
    const { path, geometries } = await writeMixed('gdal', 500, 1 << 20);
    const listing = ogr(['ogrinfo', '-al', '-so', path]);
    assert.match(listing, /Feature Count: 500/);
    assert.match(listing, /kind: String/);
    const window: Bbox = [10, -5, 30, 15];
    const wanted = idsIn(geometries, window);
    const found = ogr(['ogrinfo', '-al', '-geom=NO', '-spat', ...window.map(String), path]);
    const got = [...found.matchAll(/^ {2}id \(Integer64\) = (\d+)$/gm)].map(([, id]) => Number(id)).sort(ascending);
    // GDAL compares the window with geometries, not boxes, once the index has answered.
    assert.ok(got.length > 0 && got.every((id) => wanted.includes(id)), 'a feature outside the window');
    const points = wanted.filter((id) => geometries[id].type === 'point');
    assert.deepEqual(
      got.filter((id) => geometries[id].type === 'point'),
      points,
    );
    const json = JSON.parse(ogr(['ogr2ogr', '-f', 'GeoJSON', '/vsistdout/', path, '-lco', 'COORDINATE_PRECISION=15']));
    assert.equal(json.features.length, 500);
    for (const { properties, geometry } of json.features) {
      assert.deepEqual(geometry.coordinates.flat(3), flat(geometries[properties.id]));
      assert.equal(properties.kind, kindOf(properties.id));
    }
  });

  it('writes an index that the npm reader searches', async () => {
    const { path, geometries } = await writeMixed('npm', 3000, 1 << 20);
    const bytes = new Uint8Array(await readFile(path));
    const all: number[] = [];
    for await (const feature of npmFlatgeobuf.deserialize(bytes)) all.push(idOf(feature));
    assert.deepEqual(
      all.sort(ascending),
      Array.from({ length: 3000 }, (_, i) => i),
    );
    const window: Bbox = [-20, -20, 0, 10];
    const found: number[] = [];
    const rect = { minX: window[0], minY: window[1], maxX: window[2], maxY: window[3] };
    await using site = await serveRanges(bytes);
    for await (const feature of npmFlatgeobuf.deserialize(site.url, { rect })) found.push(idOf(feature));
    assert.deepEqual(found.sort(ascending), idsIn(geometries, window));
  });

  it('gives the same bytes with little memory as with much, and leaves nothing else behind', async () => {
    const much = await writeMixed('much', 4000, 1 << 24);
    const little = await writeMixed('little', 4000, 30_000);
    assert.deepEqual(await readFile(little.path), await readFile(much.path));
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.sorting')),
      [],
    );
  });

  it('writes empty files that are read as empty', async () => {
    const path = join(folder, 'empty.fgb');
    const writer = new FlatGeobufWriter(path, { name: 'empty', geometryType: GEOMETRY.point, columns: COLUMNS });
    assert.equal(await writer.finish(), null);
    const file = await open(path);
    assert.equal(file.header.count, 0);
    for await (const { starts } of file.scan(signal)) assert.equal(starts.length, 0);
  });
});

describe('openFlatGeobuf', () => {
  it('finds by box what a look at every feature finds, with pages of any size', async () => {
    const { path, geometries } = await writeMixed('search', 2000, 1 << 20);
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -60, max: 60, noNaN: true }),
        fc.double({ min: -60, max: 60, noNaN: true }),
        fc.double({ min: 0, max: 40, noNaN: true }),
        fc.constantFrom(64, 1000, 65_536),
        async (west, south, size, pageBytes) => {
          const file = await open(path, pageBytes, 4096);
          const window: Bbox = [west, south, west + size, south + size];
          assert.deepEqual((await idsOf(file, [window])).sort(ascending), idsIn(geometries, window));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('scans every feature once, in the order of the index', async () => {
    const { path } = await writeMixed('scan', 1500, 1 << 20);
    const file = await open(path);
    const ids: number[] = [];
    for await (const { view, starts } of file.scan(signal)) for (const at of starts) ids.push(idAt(file, view, at));
    assert.deepEqual(ids, await idsOf(file, [[-180, -90, 180, 90]]));
    assert.equal(new Set(ids).size, 1500);
  });

  it('reads what GDAL writes', async (t) => {
    if (!hasGdal()) return t.skip('ogrinfo is not installed');
    const { path } = await writeMixed('ours', 800, 1 << 20);
    const theirs = join(folder, 'theirs.fgb');
    ogr(['ogr2ogr', '-f', 'FlatGeobuf', theirs, path]);
    const [mine, other] = [await open(path), await open(theirs)];
    const window: Bbox = [0, 0, 25, 25];
    assert.deepEqual((await idsOf(other, [window])).sort(ascending), (await idsOf(mine, [window])).sort(ascending));
    const a = await geometriesOf(mine);
    const b = await geometriesOf(other);
    for (const [id, xy] of a) assert.deepEqual(b.get(id), xy);
  });

  it('refuses damaged files with a sentence, whatever byte is wrong, and never hangs', async () => {
    const { path } = await writeMixed('damaged', 60, 1 << 20);
    const good = await readFile(path);
    const outcomes = { read: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), async (at, value, length) => {
        const bytes = new Uint8Array(good);
        bytes[at] = value;
        const part = length % 3 === 0 ? bytes.subarray(0, length) : bytes;
        try {
          const file = await openFlatGeobuf(memorySource('part', part), createPageMemory(1000, 1e6), signal);
          await idsOf(file, [[-180, -90, 180, 90]]);
          for await (const { view, starts } of file.scan(signal)) for (const start of starts) idAt(file, view, start);
          outcomes.read++;
        } catch (error) {
          assert.ok(
            error instanceof Error && /^(FlatGeobufError|RangeError|ByteSourceError)$/.test(error.name),
            String(error),
          );
          outcomes.refused++;
        }
      }),
      { numRuns: RUNS },
    );
    assert.ok(outcomes.refused > RUNS / 10, `only ${outcomes.refused} refused`);
  });

  it('refuses an index with one entry in each node, whose levels would never end', async () => {
    const { path } = await writeMixed('narrow', 60, 1 << 20);
    const good = new Uint8Array(await readFile(path));
    const faults: string[] = [];
    for (let at = 12; at < Math.min(2000, good.length); at++) {
      if (good[at] !== NODE_SIZE || good[at + 1] !== 0) continue;
      const bytes = good.with(at, 1);
      await openFlatGeobuf(memorySource('narrow', bytes), createPageMemory(1000, 1e6), signal).catch((error: Error) =>
        faults.push(error.message),
      );
    }
    assert.ok(
      faults.some((fault) => /2 or more entries in each node of the index, got 1/.test(fault)),
      String(faults),
    );
  });

  it('says what is wrong with other files', async () => {
    const path = join(folder, 'text.fgb');
    await writeFile(path, '{"type": "FeatureCollection", "features": []}');
    await assert.rejects(open(path), /wanted a FlatGeobuf file of version 3/);
    await assert.rejects(open(join(folder, 'none.fgb')), /there is no such file/);
  });
});

async function open(path: string, pageBytes = 16_384, memoryBytes = 1e6): Promise<FlatGeobufFile> {
  return openFlatGeobuf(fileSource(path), createPageMemory(pageBytes, memoryBytes), signal);
}

async function idsOf(file: FlatGeobufFile, windows: readonly Bbox[]): Promise<number[]> {
  const ids: number[] = [];
  await file.read(await file.search(windows, signal), signal, (view, at) => ids.push(idAt(file, view, at)));
  return ids;
}

function idAt({ header }: FlatGeobufFile, view: DataView, at: number): number {
  const values: Values = [null];
  decodeValues(view, at, header.columns, planColumns(header.columns, ['id']), values);
  return Number(values[0]);
}

async function geometriesOf(file: FlatGeobufFile): Promise<Map<number, number[]>> {
  const all = new Map<number, number[]>();
  for await (const { view, starts } of file.scan(signal)) {
    for (const at of starts) {
      const builder = new FeatureBuilder();
      assert.ok(decodeGeometry(view, at, file.header.geometryType, builder));
      all.set(idAt(file, view, at), [...builder.xy.subarray(0, builder.parts[builder.features[1]] * 2)]);
    }
  }
  return all;
}

async function writeMixed(name: string, count: number, memoryBytes: number) {
  const random = seededRandom(count);
  const geometries = Array.from({ length: count }, () => randomGeometry(random));
  const path = join(folder, `${name}.fgb`);
  const options = { name: 'mixed', geometryType: GEOMETRY.unknown, columns: COLUMNS, memoryBytes };
  const writer = new FlatGeobufWriter(path, options);
  for (const [id, geometry] of geometries.entries()) await writer.add(geometry, [id, kindOf(id), id / 7]);
  await writer.finish();
  return { path, geometries };
}

function kindOf(id: number): string {
  return id % 3 === 0 ? `Ünïcode ${id}` : `k${id}`;
}

function randomGeometry(random: () => number): FlatGeometry {
  // Multiples of 1/4096 survive being written as text.
  const part = (size: number): number => Math.floor(random() * size * 4096) / 4096;
  const lon = part(100) - 50;
  const lat = part(100) - 50;
  const near = (): number[] => [lon + part(1), lat + part(1)];
  const square = (x: number, y: number, size: number): Float64Array =>
    Float64Array.of(x, y, x + size, y, x + size, y + size, x, y + size, x, y);
  const path = (): Float64Array => Float64Array.from([near(), near(), near()].flat());
  const kind = Math.floor(random() * 5);
  if (kind === 0) return { type: 'point', lon, lat };
  if (kind === 1) return { type: 'lineString', line: path() };
  if (kind === 2) return { type: 'multiLineString', lines: [path(), path()] };
  if (kind === 3) return { type: 'polygon', rings: [square(lon, lat, 1), square(lon + 0.25, lat + 0.25, 0.25)] };
  return {
    type: 'multiPolygon',
    polygons: [[square(lon, lat, 0.5)], [square(lon + 1, lat, 0.5), square(lon + 1.125, lat + 0.125, 0.125)]],
  };
}

function flat(geometry: FlatGeometry): number[] {
  if (geometry.type === 'point') return [geometry.lon, geometry.lat];
  if (geometry.type === 'lineString') return [...geometry.line];
  if (geometry.type === 'multiLineString') return geometry.lines.flatMap((line) => [...line]);
  return (geometry.type === 'polygon' ? geometry.rings : geometry.polygons.flat()).flatMap((ring) => [...ring]);
}

/** Features whose box touches the window. */
function idsIn(geometries: readonly FlatGeometry[], [west, south, east, north]: Bbox): number[] {
  return [...geometries.keys()].filter((id) => {
    const xy = flat(geometries[id]);
    const xs = xy.filter((_, i) => i % 2 === 0);
    const ys = xy.filter((_, i) => i % 2 === 1);
    return Math.min(...xs) <= east && Math.max(...xs) >= west && Math.min(...ys) <= north && Math.max(...ys) >= south;
  });
}

/** The type that the library declares is wrong: features come as GeoJSON. */
function idOf(feature: unknown): number {
  return Number((feature as { properties: { id: number } }).properties.id);
}

/** A server of one file that answers range requests. */
async function serveRanges(bytes: Uint8Array): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? ['', '0', String(bytes.length - 1)];
    const last = Math.min(Number(to), bytes.length - 1);
    response.writeHead(206, { 'content-range': `bytes ${from}-${last}/${bytes.length}`, etag: '"1"' });
    response.end(bytes.subarray(Number(from), last + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/file.fgb`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}

function hasGdal(): boolean {
  try {
    return ogr(['ogrinfo', '--version']).startsWith('GDAL');
  } catch {
    return false;
  }
}

function ogr([command, ...args]: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
}
