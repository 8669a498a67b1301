import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { PMTiles } from 'pmtiles';
import { SAMPLE_FILES, sampleFolder } from '../../src/readers/sample-district/sample-datasets.ts';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';
import {
  allSegments,
  type AllSegments,
  idsOf,
  scipySegments,
  type Segment,
  segmentPage,
  type SegmentPage,
} from './segment-pages.ts';

const run = promisify(execFile);
/** Around the sample district, with a tile more on each side. */
const AROUND = { west: 102.5, south: 4.5, east: 102.7, north: 4.7 };
const SAMPLE = 'sample-district-labels';
const RASTER = 'aef/wisconsin_west.tif';

for (const engine of oneEngine())
  describe(`segments of label stores on maps, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    let folder: string;
    let env: Readonly<Record<string, string>>;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'firstmile-segments-'));
      database = await engine.create();
      const { databaseUrl, dataDir } = database;
      const entry = {
        id: 'wisconsin',
        role: 'embeddings',
        kind: 'cog',
        path: join(SHARED_DATA, RASTER),
        version: '2024.1',
        date: '2024',
        coverage: [-180, -90, 180, 90],
        licence: 'CC-BY-4.0',
        attribution: 'Produced by Google and Google DeepMind.',
      };
      const catalogue = join(folder, 'catalogue.json');
      await writeFile(catalogue, JSON.stringify({ datasets: [entry] }));
      env = { CATALOGUE: catalogue, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) };
      service = await runService({ dataDir, env });
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const get = (path: string, status = 200): Promise<SegmentPage> => segmentPage(service, path, status);
    const allOf = (set: string, query: string): Promise<AllSegments> => allSegments(service, set, query);

    /** Looks every segment up at its marker. */
    async function assertLookups(segments: readonly Segment[]): Promise<void> {
      for (let i = 0; i < segments.length; i += 100) {
        const some = segments.slice(i, i + 100);
        const features = some.map(({ properties }) => ({
          type: 'Feature',
          properties: {},
          geometry: { type: 'Point', coordinates: [properties['marker_longitude'], properties['marker_latitude']] },
        }));
        const answer = await service.fetch('/forest_polygon/lookup', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'FeatureCollection', features }),
        });
        const found = ((await answer.json()) as SegmentPage).features;
        for (const [k, { geometry, properties }] of some.entries()) {
          assert.deepEqual(geometry, found[k].geometry);
          for (const name of ['segment_id', 'area_ha', 'source', 'source_year', 'dataset', 'synthetic'])
            assert.equal(properties[name], found[k].properties[name], name);
          assert.equal(properties['source'], 'plotids-store');
        }
      }
    }

    const gdal = async (command: string, ...args: readonly string[]): Promise<string> => {
      const own = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${service.token}` };
      return (await run(command, args, { env: own, maxBuffer: 50_000_000 })).stdout;
    };

    it('are each there once, as scipy finds them and lookups answer them', async () => {
      const all = await allOf(SAMPLE, 'limit=40');
      const expected = await scipySegments(join(sampleFolder(service.dataDir), SAMPLE_FILES.labels), folder);
      assert.ok(expected.ids.length > 100 && expected.cut > 0);
      assert.deepEqual(idsOf(all), expected.ids.toSorted());
      assert.equal(all.leftOut, expected.cut);
      await assertLookups(all.segments);
      const small = await allOf(SAMPLE, 'limit=7');
      assert.deepEqual(idsOf(small), idsOf(all));
      assert.equal(small.leftOut, all.leftOut);
    });

    it('are found by box, days, filter and id', async () => {
      const all = await allOf(SAMPLE, 'limit=1000');
      const [west, south, east, north] = [102.575, 4.59, 102.585, 4.6];
      const boxed = await allOf(SAMPLE, `limit=5&bbox=${west},${south},${east},${north}`);
      // Outlines are GEOS's to compare with: GDAL cuts what it has read whole.
      const path = join(folder, 'all.geojson');
      const features = all.segments.map((one) => ({ ...one, type: 'Feature', properties: { marker: one.id } }));
      await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features }));
      const box = [west, south, east, north].map(String);
      const cut = await gdal('ogr2ogr', '-f', 'GeoJSON', '/vsistdout/', path, '-spat', ...box);
      const expected = (JSON.parse(cut) as SegmentPage).features.map(({ properties }) => String(properties['marker']));
      assert.ok(expected.length > 10 && expected.length < all.segments.length);
      assert.deepEqual(idsOf(boxed), expected.toSorted());
      const year = Number(all.segments[0].properties['source_year']);
      assert.equal((await get(`/ogc/collections/${SAMPLE}/items?datetime=${year + 1}-01-01/..`)).numberReturned, 0);
      assert.equal(idsOf(await allOf(SAMPLE, `datetime=${year}-06-01&limit=1000`)).length, all.segments.length);
      const large = await allOf(SAMPLE, `limit=3&filter=${encodeURIComponent('area_ha > 5')}`);
      assert.deepEqual(
        idsOf(large),
        idsOf({ segments: all.segments.filter(({ properties }) => Number(properties['area_ha']) > 5) }),
      );
      const [one] = all.segments;
      const item = (await get(`/ogc/collections/${SAMPLE}/items/${one.id}`)) as unknown as Segment;
      assert.deepEqual([item.id, item.geometry, item.properties], [one.id, one.geometry, one.properties]);
      for (const wrong of ['0', one.id.replace(/\d+$/, (column) => `0${column}`), `${one.id}9`, 'a:1:2', 'a:b:c'])
        await get(`/ogc/collections/${SAMPLE}/items/${encodeURIComponent(wrong)}`, 404);
    });

    it('need the scope of forest lookups', async () => {
      const made = await service.fetch('/tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'map', scopes: ['validate'], email: 'dev@localhost' }),
      });
      const { token } = (await made.json()) as { token: string };
      const as = (path: string) => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      for (const path of [`/ogc/collections/${SAMPLE}/items`, `/tiles/${SAMPLE}/0/0/0`])
        assert.equal((await as(path)).status, 403);
      assert.doesNotMatch(await (await as('/ogc/collections')).text(), new RegExp(SAMPLE));
      assert.match(await (await service.fetch('/ogc/collections')).text(), new RegExp(SAMPLE));
    });

    it('are written as an archive of tiles, whole or of a box, by HTTP and by the command line', async () => {
      const archiveOf = async (
        query: string,
      ): Promise<{ bytes: Uint8Array; archive: PMTiles; maxZoom: string | null }> => {
        const answer = await service.fetch(`/tiles/${SAMPLE}/archive.pmtiles?${query}`);
        const bytes = new Uint8Array(await answer.arrayBuffer());
        const getBytes = (offset: number, length: number) =>
          Promise.resolve({ data: Uint8Array.from(bytes.subarray(offset, offset + length)).buffer });
        const maxZoom = answer.headers.get('x-max-zoom');
        return { bytes, archive: new PMTiles({ getKey: () => SAMPLE, getBytes }), maxZoom };
      };
      const whole = await archiveOf('max_zoom=15');
      assert.equal(whole.maxZoom, '15');
      const [at12, at15] = [await tilesOf(whole.archive, 12), await tilesOf(whole.archive, 15)];
      assert.ok(at12.length > 0 && at15.length > at12.length);
      for (const place of [[4, 12, 7] as const, ...at12, ...at15]) {
        const served = await service.fetch(`/tiles/${SAMPLE}/${place.join('/')}`);
        assert.deepEqual((await whole.archive.getZxy(...place))?.data, await served.arrayBuffer(), place.join('/'));
      }
      // A corner of the store: fewer tiles, the same where they are.
      const query = 'max_zoom=15&bbox=102.575,4.595,102.58,4.6';
      const part = await archiveOf(query);
      const [there, none] = [await tilesOf(part.archive, 15), await tilesOf(part.archive, 16)];
      assert.ok(there.length > 0 && there.length < at15.length && none.length === 0 && part.maxZoom === '15');
      for (const place of there)
        assert.deepEqual((await part.archive.getZxy(...place))?.data, (await whole.archive.getZxy(...place))?.data);
      const path = join(folder, 'labels.pmtiles');
      const words = ['export', 'map', SAMPLE, '-o', path, '--max-zoom', '15', '--bbox', '102.575,4.595,102.58,4.6'];
      const { code, err } = await runCommand([...words, '--user', 'bootstrap'], { ...env, DATA_DIR: service.dataDir });
      if (database.databaseUrl === null) {
        assert.equal(code, 0, err);
        assert.deepEqual(new Uint8Array(await readFile(path)), part.bytes);
      } else {
        // The command does not go through the service there, and outlines are made by a service.
        assert.equal(code, 1);
        assert.match(err, /outlined by a running service alone/);
      }
      const refused = await get(`/tiles/${SAMPLE}/archive.pmtiles?bbox=102,4,101`, 400);
      assert.match(String(refused.detail), /^bbox: wanted west,south,east,north/);
      const empty = await get(`/tiles/${SAMPLE}/archive.pmtiles?bbox=10,40,11,41`, 404);
      assert.match(String(empty.detail), /nothing to draw/);
    });

    it('are opened by GDAL as features and as vector tiles, far away as what was built', async () => {
      const all = await allOf(SAMPLE, 'limit=1000');
      const out = join(folder, 'segments.gpkg');
      await gdal('ogr2ogr', out, `OAPIF:${service.url}/ogc`, SAMPLE, '-oo', 'PAGE_SIZE=50');
      const kept = await gdal('ogrinfo', '-ro', '-al', '-so', out);
      assert.match(
        kept,
        new RegExp(`Geometry: (?:Polygon|Unknown \\(any\\))\\nFeature Count: ${all.segments.length}\\n`),
      );
      const tile = await gdal('ogrinfo', '-ro', '-al', `MVT:${service.url}/tiles/${SAMPLE}/12/3214/1995.pbf`).catch(
        () => '',
      );
      const next = await gdal('ogrinfo', '-ro', '-al', `MVT:${service.url}/tiles/${SAMPLE}/12/3215/1995.pbf`);
      const drawn = new Set([...`${tile}${next}`.matchAll(/ id \(String\) = (\S+)/g)].map(([, id]) => id));
      const known = new Set(all.segments.map(({ id }) => id));
      assert.ok(drawn.size > 50 && [...drawn].every((id) => known.has(id)));
      const far = await gdal('ogrinfo', '-ro', '-al', `MVT:${service.url}/tiles/${SAMPLE}/4/12/7.pbf`);
      assert.match(far, /Layer name: coverage\n/);
      assert.doesNotMatch(far, /segment_id/);
      const tileJson = (await get(`/tiles/${SAMPLE}`)) as unknown as { vector_layers: readonly { id: string }[] };
      assert.deepEqual(
        tileJson.vector_layers.map(({ id }) => id),
        ['features', 'coverage', 'summary'],
      );
      assert.equal((await service.fetch(`/tiles/${SAMPLE}/12/0/0`)).status, 204);
    });

    it(
      'of a store that is built while the service runs are there at the next request',
      needsSharedData(RASTER),
      async () => {
        await get('/ogc/collections/wisconsin-labels', 404);
        const shard = ['store', 'build', '--dataset', 'wisconsin', '--shard', '256'];
        const build = await runCommand([...shard, '--workers', '1'], {
          CATALOGUE: env['CATALOGUE'],
          DATA_DIR: service.dataDir,
        });
        assert.equal(build.code, 0, build.err);
        const all = await allOf('wisconsin-labels', 'limit=1000');
        const expected = await scipySegments(join(service.dataDir, 'stores/wisconsin'), folder);
        assert.ok(expected.ids.length > 200);
        assert.deepEqual(idsOf(all), expected.ids.toSorted());
        assert.equal(all.leftOut, expected.cut);
        await assertLookups(all.segments);
      },
    );
  });

/** The tiles of a zoom that an archive has around the sample district. */
async function tilesOf(archive: PMTiles, z: number): Promise<readonly (readonly [z: number, x: number, y: number])[]> {
  const column = (lon: number): number => Math.floor(((lon + 180) / 360) * 2 ** z);
  const row = (lat: number): number =>
    Math.floor((0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI)) * 2 ** z);
  const found: (readonly [number, number, number])[] = [];
  for (let x = column(AROUND.west); x <= column(AROUND.east); x++)
    for (let y = row(AROUND.north); y <= row(AROUND.south); y++)
      if ((await archive.getZxy(z, x, y)) !== undefined) found.push([z, x, y]);
  return found;
}
