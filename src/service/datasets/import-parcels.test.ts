import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readConfig } from '../../config/settings.ts';
import { type Crs, findCrs } from '../../geo/crs/find-crs.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { findParcel, type ParcelAnswer } from '../../parcels/find-parcel.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { parcelDatasets } from './catalogue.ts';
import { importParcelPack, type ImportedParcels, type ParcelPackRequest } from './import-parcels.ts';
import { listPacks, verifyInstalledPack } from './pack-folder.ts';
import { openParcelSources } from '../parcels/sources.ts';
import { runs } from '../../../test/property-runs.ts';

const ORACLE = resolve(import.meta.dirname, '../../../test/oracles/parcels');
interface Expected {
  readonly areas: Readonly<Record<string, number>>;
  readonly points: readonly {
    readonly point: LonLat;
    readonly inside: readonly string[];
    readonly boundary: readonly string[];
  }[];
}
const expected = JSON.parse(readFileSync(join(ORACLE, 'expected.json'), 'utf8')) as Expected;
const never = new AbortController().signal;
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function scratch() {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-parcels-'));
  folders.push(folder);
  return { folder, config: readConfig({ DATA_DIR: join(folder, 'data'), SAMPLE_DISTRICT: 'off', LIVE_CACHE_MB: '0' }) };
}
type Config = Awaited<ReturnType<typeof scratch>>['config'];

const request = (path: string, over: Partial<ParcelPackRequest> = {}): ParcelPackRequest => ({
  path,
  id: 'county',
  jurisdiction: 'US-WI-025',
  idField: 'PARCELID',
  layer: null,
  box: null,
  coverage: null,
  date: '2026-05',
  licence: 'CC0-1.0',
  attribution: 'made up',
  onProgress: () => {},
  ...over,
});

/** A function that finds the parcel of a place in datasets. */
async function finder(datasets: readonly Dataset[], config: Config) {
  const { sources, close } = openParcelSources(datasets, config);
  const crs = findCrs('EPSG:4326') as Crs;
  const find = (at: LonLat): Promise<ParcelAnswer> =>
    findParcel(at, sources, {
      crs,
      timeoutMs: 10_000,
      signal: never,
      reportFailure: (_, error) => assert.fail(String(error)),
    });
  return { find, [Symbol.asyncDispose]: close };
}

/** Whether answers are those of PostGIS: at every point, or where a projection has moved the corners only inside. */
async function agrees(find: (at: LonLat) => Promise<ParcelAnswer>, exact: boolean): Promise<number> {
  let asked = 0;
  for (const { point, inside, boundary } of expected.points) {
    if (boundary.length > 0 && !exact) continue;
    const { properties, geometry } = await find(point);
    asked++;
    const [first] = inside.toSorted((a, b) => expected.areas[a] - expected.areas[b] || (a < b ? -1 : 1));
    if (first !== undefined) assert.equal(properties.parcel_id, first, String(point));
    else if (boundary.length > 0) {
      assert.ok(boundary.includes(properties.parcel_id ?? ''), String(point));
      assert.ok(properties.warnings.some(({ code }) => code === 'on_boundary'));
    } else assert.equal(geometry, null, `${String(point)} ${properties.parcel_id}`);
    if (first === undefined) continue;
    assert.ok(Math.abs((properties.area_ha ?? 0) - expected.areas[first]) <= 0.000_2, `${first} ${properties.area_ha}`);
    assert.equal(
      properties.warnings.some(({ code }) => code === 'several_parcels'),
      inside.length > 1,
    );
  }
  return asked;
}

describe('an imported cadastre', () => {
  for (const [name, exact] of [
    ['parcels.geojson', true],
    ['parcels.fgb', true],
    ['parcels.gpkg', false],
    ['parcels.zip', false],
  ] as const)
    it(`of ${name} answers as PostGIS does, with sizes to a square metre`, async () => {
      const { config } = await scratch();
      const { pack, rows, leftOut, nameless } = await importParcelPack(config, request(join(ORACLE, name)), never);
      assert.deepEqual([rows, leftOut.count, nameless, pack.manifest.themes[0].features], [42, 0, 0, 42]);
      assert.deepEqual(await verifyInstalledPack(pack, () => {}, never), []);
      await using opened = await finder(await parcelDatasets(config), config);
      assert.ok((await agrees(opened.find, exact)) > 300);
    });

  it('keeps attributes as they are, identifiers of 19 digits included', async () => {
    for (const name of ['parcels.geojson', 'parcels.fgb', 'parcels.gpkg']) {
      const { config } = await scratch();
      await importParcelPack(config, request(join(ORACLE, name)), never);
      await using opened = await finder(await parcelDatasets(config), config);
      const found = expected.points.find(({ inside }) => inside.length === 1 && inside[0] === 'L-001');
      const {
        attributes,
        jurisdiction,
        dataset_version: version,
      } = (await opened.find(found?.point ?? [0, 0])).properties;
      assert.deepEqual(
        [attributes?.['PIN'], attributes?.['KIND'], attributes?.['PARCELID'], jurisdiction],
        ['900719925474099312', 'plain', 'L-001', 'US-WI-025'],
        name,
      );
      assert.match(version ?? '', /^2026-05-[0-9a-f]{8}$/);
    }
  });

  it('has a footprint that holds every parcel and ends within a cell of them', async () => {
    const { config } = await scratch();
    await importParcelPack(config, request(join(ORACLE, 'parcels.geojson')), never);
    const { sources } = openParcelSources(await parcelDatasets(config), config);
    for (const { point, inside } of expected.points)
      if (inside.length > 0) assert.ok(sources[0].covers(...point), String(point));
    for (const [lon, lat] of [
      [-89.41, 43.055],
      [-89.37, 43.055],
      [-89.39, 43.04],
      [-89.39, 43.075],
    ])
      assert.ok(!sources[0].covers(lon, lat), `${lon}, ${lat}`);
  });

  it('takes a box, a ground and a name for its parcels', async () => {
    const { config } = await scratch();
    const box = [-89.395, 43.055, -89.39, 43.06] as const;
    const cut = await importParcelPack(config, request(join(ORACLE, 'parcels.geojson'), { box }), never);
    assert.ok(cut.outsideBox > 20 && cut.pack.manifest.themes[0].features < 20);
    const positions = cut.pack.manifest.coverage.coordinates.flat(2);
    for (const [lon, lat] of positions) assert.ok(lon >= box[0] && lon <= box[2] && lat >= box[1] && lat <= box[3]);
    const coverage = [[Float64Array.of(-90, 43, -89, 43, -89, 44, -90, 44, -90, 43)]];
    await importParcelPack(config, request(join(ORACLE, 'parcels.geojson'), { coverage, id: 'whole' }), never);
    await using opened = await finder(await parcelDatasets(config), config);
    assert.deepEqual(
      (await opened.find([-89.9, 43.9])).properties.warnings.map(({ code }) => code),
      ['no_parcel'],
    );
  });
});

describe('a cadastre of the catalogue', () => {
  const entry = (over: Partial<Dataset>): Dataset => ({
    id: 'mine',
    role: 'parcels',
    kind: 'flatgeobuf',
    coverage: { bbox: [-89.4, 43.05, -89.38, 43.065] },
    version: '1',
    date: null,
    licence: 'CC0-1.0',
    attribution: 'made up',
    synthetic: false,
    options: { jurisdiction: 'US-WI-025', idField: 'PARCELID' },
    ...over,
  });

  it('answers from FlatGeobuf and GeoJSON files as they are, on disk and by ranges of an address', async () => {
    const { config } = await scratch();
    const files = { flatgeobuf: 'parcels.fgb', geojson: 'parcels.geojson' } as const;
    let ranges = 0;
    const server = createServer((incoming, response) => {
      void readFile(join(ORACLE, incoming.url ?? '')).then((bytes) => {
        const [, from, to] = /bytes=(\d+)-(\d+)/.exec(incoming.headers.range ?? '') ?? [];
        const part = bytes.subarray(Number(from), Number(to) + 1);
        ranges++;
        const end = Number(from) + part.length - 1;
        response.writeHead(206, { 'content-range': `bytes ${from}-${end}/${bytes.length}`, etag: '"1"' });
        response.end(part);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const [kind, name] of Object.entries(files))
        for (const place of [{ path: join(ORACLE, name) }, { url: `${base}/${name}` }]) {
          await using opened = await finder([entry({ kind: kind as Dataset['kind'], ...place })], config);
          assert.ok((await agrees(opened.find, true)) > 300);
        }
      assert.ok(ranges > 0 && ranges < 20, String(ranges));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('that hangs is given up at the deadline, and queried again by the next', async () => {
    const { config } = await scratch();
    let requests = 0;
    const server = createServer(() => void requests++);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/parcels`;
      for (const kind of ['flatgeobuf', 'geojson'] as const) {
        const { sources } = openParcelSources([entry({ kind, url })], config);
        const crs = findCrs('EPSG:4326') as Crs;
        for (const round of [1, 2]) {
          requests = 0;
          const { properties } = await findParcel([-89.39, 43.06], sources, { crs, timeoutMs: 1000, signal: never });
          assert.match(properties.warnings[0].message, /mine: no answer within 1000 ms/, `${kind} ${round}`);
          assert.ok(requests > 0, `${kind} ${round}`);
        }
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('that is damaged anywhere answers or fails, and never makes anything up', async () => {
    const { folder, config } = await scratch();
    const bytes = await readFile(join(ORACLE, 'parcels.fgb'));
    const path = join(folder, 'damaged.fgb');
    const crs = findCrs('EPSG:4326') as Crs;
    const places = expected.points.filter(({ inside }) => inside.length === 1).slice(0, 12);
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(bytes.length), async (changes, cut) => {
        const damaged = Buffer.from(bytes);
        for (const [at, value] of changes) damaged[at] = value;
        await writeFile(path, cut % 4 === 0 ? damaged.subarray(0, cut) : damaged);
        const { sources, close } = openParcelSources([entry({ path })], config);
        for (const { point } of places) {
          const options = { crs, timeoutMs: 5_000, signal: never };
          const { geometry, properties } = await findParcel(point, sources, options);
          assert.ok(geometry !== null || properties.warnings.length > 0);
        }
        await close();
      }),
      { numRuns: runs(150) },
    );
  });

  it('stops the start with a sentence when its options cannot be used', async () => {
    const { config } = await scratch();
    for (const [options, wanted] of [
      [{}, /CATALOGUE: mine: options\.jurisdiction: wanted .*got null/],
      [{ jurisdiction: 'Wisconsin', idField: 'x' }, /got "Wisconsin"/],
      [{ jurisdiction: 'US-WI' }, /options\.idField/],
    ] as const)
      assert.throws(() => openParcelSources([entry({ path: '/x', options })], config), wanted);
    const service = { kind: 'service', url: 'http://127.0.0.1:9/' } as const;
    assert.throws(() => openParcelSources([entry(service)], config), /options\.typeName/);
    const options = { jurisdiction: 'US', idField: 'x', typeName: 'y', crs: 'EPSG:1' };
    assert.throws(() => openParcelSources([entry({ ...service, options })], config), /options\.crs: wanted/);
  });
});

describe('an import of parcels', () => {
  const imported = async (content: string | Uint8Array, over: Partial<ParcelPackRequest> = {}) => {
    const { folder, config } = await scratch();
    const path = join(folder, 'upload');
    await writeFile(path, content);
    return { config, result: importParcelPack(config, request(path, { idField: 'A', ...over }), never) };
  };
  const ring = (west: number, side = 0.001): number[][] => [
    [west, 1],
    [west + side, 1],
    [west + side, 1 + side],
    [west, 1 + side],
    [west, 1],
  ];
  const row = (geometry: unknown, properties: unknown = { A: 'x' }) => ({ type: 'Feature', properties, geometry });
  const polygon = (coordinates: unknown) => ({ type: 'Polygon', coordinates });
  const file = (features: readonly unknown[]) => JSON.stringify({ type: 'FeatureCollection', features });

  it('counts what has no area or no identifier, and loses nothing else', async () => {
    const { config, result } = await imported(
      file([
        row(polygon([ring(1)])),
        row(null),
        row({ type: 'Point', coordinates: [1, 1] }),
        row(polygon([[[500, 0]]])),
        row(polygon([ring(2).slice(0, 4)]), { A: null, note: 'an open ring, closed' }),
        row({ type: 'GeometryCollection', geometries: [polygon([ring(3)]), polygon([ring(4)])] }, { A: 7 }),
      ]),
    );
    const { rows, leftOut, nameless, pack } = await result;
    assert.deepEqual([rows, leftOut.count, nameless, pack.manifest.themes[0].features], [6, 3, 1, 3]);
    assert.equal(leftOut.first, 'row 2: wanted a polygon, got nothing');
    await using opened = await finder(await parcelDatasets(config), config);
    const idAt = async (lon: number) => (await opened.find([lon + 0.000_5, 1.000_2])).properties.parcel_id;
    assert.deepEqual(await Promise.all([1, 2, 3, 4].map(idAt)), ['x', 'row 5', '7', '7']);
  });

  it('reads GeoParquet and KML', async () => {
    const wkb = Buffer.alloc(13 + 5 * 16);
    wkb.writeUInt8(1, 0);
    wkb.writeUInt32LE(3, 1);
    wkb.writeUInt32LE(1, 5);
    wkb.writeUInt32LE(5, 9);
    for (const [i, number] of ring(1).flat().entries()) wkb.writeDoubleLE(number, 13 + 8 * i);
    const columns = { geometry: { encoding: 'WKB', geometry_types: ['Polygon'] } };
    const geo = { version: '1.1.0', primary_column: 'geometry', columns };
    const parquet = parquetWriteBuffer({
      columnData: [
        { name: 'A', data: [900719925474099312n], type: 'INT64' },
        { name: 'geometry', data: [Uint8Array.from(wkb)], type: 'BYTE_ARRAY' },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
    });
    const corners = ring(1)
      .map((position) => position.join(','))
      .join(' ');
    const kml = `<kml><Document><Placemark><ExtendedData><Data name="A"><value>900719925474099312</value></Data></ExtendedData>
      <Polygon><outerBoundaryIs><LinearRing><coordinates>${corners}</coordinates></LinearRing></outerBoundaryIs></Polygon>
      </Placemark></Document></kml>`;
    for (const content of [new Uint8Array(parquet), kml]) {
      const { config, result } = await imported(content);
      assert.equal((await result).leftOut.first, null);
      await using opened = await finder(await parcelDatasets(config), config);
      const { properties } = await opened.find([1.000_5, 1.000_5]);
      assert.deepEqual(
        [properties.parcel_id, properties.attributes?.['A']],
        ['900719925474099312', '900719925474099312'],
      );
    }
  });

  it('refuses in a sentence what is no cadastre, and leaves nothing behind', async () => {
    const cases: readonly (readonly [string, RegExp, Partial<ParcelPackRequest>?])[] = [
      [file([row(polygon([ring(1)]))]), /has no field "PIN"; it has A/, { idField: 'PIN' }],
      [file([]), /wanted parcels, got none: it has no rows/],
      [file([row(null)]), /none of its 1 rows has an area \(row 1: wanted a polygon, got nothing\)/],
      [file([row(polygon([ring(1)]))]), /1 of its parcels lie outside the box/, { box: [50, 50, 51, 51] }],
      ['a,b\n1,2\n', /Wanted a file with polygons, got csv/],
      ['fgb\u0003fgb\u0001 and then nothing', /FlatGeobuf|header/],
      ['{"type":"FeatureCollection","features":[{', /wanted a member name/],
    ];
    for (const [content, wanted, over] of cases) {
      const { config, result } = await imported(content, over);
      await assert.rejects(result, (error: Error) => wanted.test(error.message) || assert.fail(error.message));
      assert.deepEqual((await listPacks(config)).packs, []);
      assert.deepEqual(await readdir(join(config.dataDir, 'regional-packs')).catch(() => []), []);
    }
  });

  it('requires the layer of a file that has several', async () => {
    const { folder, config } = await scratch();
    const path = join(folder, 'two.gpkg');
    await copyFile(join(ORACLE, 'parcels.gpkg'), path);
    await assert.rejects(
      importParcelPack(config, request(path, { layer: 'roads' }), never),
      /The file has no layer "roads"; it has parcels/,
    );
    assert.equal((await importParcelPack(config, request(path, { layer: 'parcels' }), never)).rows, 42);
  });

  it('that is stopped leaves an older pack as it was', async () => {
    const { config } = await scratch();
    const path = join(ORACLE, 'parcels.geojson');
    await importParcelPack(config, request(path, { date: '2025' }), never);
    const stop = new AbortController();
    const onProgress = (done: number): void => void (done === 20 && stop.abort(new Error('stopped')));
    await assert.rejects(importParcelPack(config, request(path, { onProgress }), stop.signal), /stopped/);
    const { packs } = await listPacks(config);
    assert.deepEqual(
      packs.map(({ manifest }) => manifest.date),
      ['2025'],
    );
    assert.deepEqual(await readdir(join(config.dataDir, 'regional-packs')), ['county']);
  });

  it('takes or counts every row of anything that is GeoJSON', async () => {
    const some = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.oneof({ weight: 5, arbitrary: right }, fc.jsonValue());
    const number = some(fc.constantFrom(0, 1, 1.001, -179.9, 1e6));
    const line = some(
      fc.oneof(fc.constant(ring(1)), fc.array(some(fc.array(number, { maxLength: 3 })), { maxLength: 6 })),
    );
    const area = fc.record({
      type: some(fc.constantFrom('Polygon', 'MultiPolygon', 'Point', 'GeometryCollection')),
      coordinates: some(fc.array(some(fc.array(line, { maxLength: 3 })), { maxLength: 3 })),
      geometries: some(fc.array(fc.constant(polygon([ring(5)])), { maxLength: 2 })),
    });
    const item = fc.record({
      type: fc.constant('Feature'),
      properties: fc.dictionary(fc.constantFrom('A', '__proto__', 'toString', 'B'), fc.jsonValue()),
      geometry: some(area),
    });
    const whole = row(polygon([ring(1)]));
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 5 }), async (features) => {
        const { config, result } = await imported(file([whole, ...features]));
        const { rows, leftOut, pack }: ImportedParcels = await result;
        assert.equal(rows, features.length + 1);
        assert.equal(pack.manifest.themes[0].features + leftOut.count, rows);
        assert.deepEqual(await verifyInstalledPack(pack, () => {}, never), []);
        await using opened = await finder(await parcelDatasets(config), config);
        assert.notEqual((await opened.find([1.000_5, 1.000_5])).geometry, null);
      }),
      { numRuns: 60 },
    );
  });
});
