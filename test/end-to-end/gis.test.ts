import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { chromium } from 'playwright-core';
import { PMTiles } from 'pmtiles';
import { browserSkip, findChromium } from '../console/browser.ts';
import { runCommand } from './run-command.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

const run = promisify(execFile);
const OGR = 'http://www.opengis.net/def/crs';

interface Feature {
  readonly id: string;
  readonly geometry: { readonly type: string; readonly coordinates: readonly unknown[] } | null;
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Page {
  readonly features: readonly Feature[];
  readonly numberReturned: number;
  readonly numberMatched?: number;
  readonly links: readonly { readonly rel: string; readonly href: string }[];
  readonly detail?: string;
}

const MILL = 'name,latitude,longitude,country\nMill,4.6177,102.6012,MY\nLost,,,MY\n';
const PLOTS = 5;
/** Longer than a busy machine takes to draw a map. */
const DRAWN_MS = 240_000;

/** A page with the lines of the documentation, which notes what the map has drawn. */
function mapPage(lines: string, { url, token }: RunningProcess, set: string): string {
  return `<div id="map" style="width:600px;height:400px"></div><script type="module">
    import * as maplibregl from '/page/maplibre-gl.mjs';
    const [SERVICE, SET] = ${JSON.stringify([url, set])};
    ${lines.replace("'...'", JSON.stringify(token))}
    map.on('idle', () => { window.found = map.queryRenderedFeatures().map(({ properties }) => properties); });
  </script>`;
}

for (const engine of oneEngine())
  describe(`maps of other programs, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    let folder: string;
    let plots: string;
    let facilities: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'firstmile-gis-'));
      database = await engine.create();
      const { databaseUrl, dataDir } = database;
      service = await runService({ dataDir, env: databaseUrl === null ? {} : { DATABASE_URL: databaseUrl } });
      const fields = { collection_name: 'lot', crop_type: 'palm', stats: 'true', validate_locations: 'true' };
      plots = `plots-${await batch(madeUpPlots(PLOTS), 'plots.geojson', { ...fields, monitoring_end: '2024-12-31' })}`;
      const mills = new Blob([MILL], { type: 'text/csv' });
      facilities = `facilities-${await batch(mills, 'mills.csv', { ...fields, stats: 'false', location_type: 'facility' })}`;
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    /** The id of a collection, once its batch is done. */
    async function batch(file: Blob, name: string, fields: Readonly<Record<string, string>>): Promise<string> {
      const body = new FormData();
      for (const [key, value] of Object.entries(fields)) body.append(key, value);
      body.append('file', file, name);
      const begun = await service.fetch('/batch_process', { method: 'POST', body });
      const { collection_id: id } = (await begun.json()) as { collection_id: string };
      for (;;) {
        const { status } = (await (await service.fetch(`/collections/${id}`)).json()) as { status: string };
        if (status === 'completed') return id;
        assert.equal(status, 'processing');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }

    async function get(path: string, status = 200): Promise<Page> {
      const answer = await service.fetch(path);
      const text = await answer.text();
      assert.equal(answer.status, status, text.slice(0, 500));
      return JSON.parse(text) as Page;
    }

    const items = (set: string, query: Readonly<Record<string, string>> = {}, status = 200): Promise<Page> =>
      get(`/ogc/collections/${set}/items?${new URLSearchParams(query).toString()}`, status);
    const idsOf = async (set: string, query: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      (await items(set, query)).features.map(({ id }) => id);

    const gdal = async (command: string, ...args: readonly string[]): Promise<string> => {
      const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${service.token}` };
      return (await run(command, args, { env, maxBuffer: 50_000_000 })).stdout;
    };

    it('list packs, parcels and the locations of the caller, and lead from page to page', async () => {
      const landing = await get('/ogc');
      assert.ok(
        ['self', 'service-desc', 'conformance', 'data'].every((rel) => landing.links.some((link) => link.rel === rel)),
      );
      const { collections } = (await get('/ogc/collections')) as unknown as { collections: readonly { id: string }[] };
      const ids = collections.map(({ id }) => id);
      for (const id of ['sample-district-roads', 'sample-district-parcels', plots, facilities])
        assert.ok(ids.includes(id), `${id} of ${ids.join(', ')}`);
      assert.ok(
        !ids.includes(plots.replace('plots', 'facilities')),
        'a collection without facilities has no set of them',
      );
      const seen: string[] = [];
      for (let path: string | undefined = `/ogc/collections/${plots}/items?limit=2`; path !== undefined;) {
        const page: Page = await get(path);
        seen.push(...page.features.map(({ id }) => id));
        assert.equal(page.numberMatched, PLOTS);
        path = page.links.find(({ rel }) => rel === 'next')?.href.replace(service.url, '');
      }
      assert.deepEqual(seen, ['0', '1', '2', '3', '4']);
    });

    it('give a plot with what was found out, as a row of a table', async () => {
      const { features } = await items(plots, { limit: '1' });
      const [{ properties, geometry }] = features;
      assert.equal(geometry?.type, 'Polygon');
      assert.equal(properties['location_type'], 'plot');
      assert.equal(typeof properties['eudr_status'], 'string');
      assert.match(String(properties['datasets']), /sample-district.*\(synthetic\)/);
      assert.ok(Object.values(properties).every((value) => value === null || typeof value !== 'object'));
      const one = (await get(`/ogc/collections/${plots}/items/0`)) as unknown as Feature;
      assert.deepEqual(one.properties, properties);
      const mills = await items(facilities);
      assert.deepEqual(
        mills.features.map(({ geometry: place }) => place?.type ?? null),
        ['Point', null],
      );
      assert.equal(typeof mills.features[0].properties['confidence_score'], 'number');
    });

    it('find by box, days and filter', async () => {
      const [{ geometry }] = (await items(plots, { limit: '1' })).features;
      const [[lon, lat]] = (geometry as { coordinates: readonly (readonly [number, number])[][] })
        .coordinates[0] as never as [number, number][];
      const around = `${lon - 0.0001},${lat - 0.0001},${lon + 0.0001},${lat + 0.0001}`;
      assert.ok((await idsOf(plots, { bbox: around })).includes('0'));
      assert.deepEqual(await idsOf(plots, { bbox: `${lon + 10},${lat},${lon + 11},${lat + 1}` }), []);
      // Over the antimeridian and on to the plots.
      assert.ok((await idsOf(plots, { bbox: `170,${lat - 1},${lon + 1},${lat + 1}` })).includes('0'));
      const swapped = `${lat - 0.0001},${lon - 0.0001},${lat + 0.0001},${lon + 0.0001}`;
      assert.ok((await idsOf(plots, { bbox: swapped, 'bbox-crs': `${OGR}/EPSG/0/4326` })).includes('0'));
      assert.equal((await idsOf(plots, { datetime: '2020-01-01/..' })).length, PLOTS);
      assert.deepEqual(await idsOf(plots, { datetime: '../2010-01-01' }), []);
      assert.deepEqual(await idsOf(plots, { filter: 'location_number >= 1 AND location_number < 3' }), ['1', '2']);
      const json = JSON.stringify({ op: 'in', args: [{ property: 'location_number' }, [4]] });
      assert.deepEqual(await idsOf(plots, { filter: json, 'filter-lang': 'cql2-json' }), ['4']);
      assert.ok((await idsOf(plots, { filter: `S_INTERSECTS(geometry, POINT(${lon} ${lat}))` })).includes('0'));
      const tracks = await items('sample-district-roads', { filter: "class = 'track'", limit: '1000' });
      assert.ok(
        tracks.features.length > 0 && tracks.features.every(({ properties }) => properties['class'] === 'track'),
      );
    });

    it('answer in the coordinate systems that are listed', async () => {
      const answer = await service.fetch(`/ogc/collections/${facilities}/items?crs=${OGR}/EPSG/0/32648&limit=1`);
      assert.equal(answer.headers.get('content-crs'), `<${OGR}/EPSG/0/32648>`);
      const [{ geometry }] = ((await answer.json()) as Page).features;
      const [x, y] = geometry!.coordinates as [number, number];
      assert.ok(Math.abs(x - 233_861) < 20 && Math.abs(y - 510_855) < 20, `${x} ${y}`);
    });

    for (const [query, message] of [
      [{ bbox: '1,2,3' }, /bbox: wanted west,south,east,north/],
      [{ bbox: '1,50,3,20' }, /bbox: wanted/],
      [{ limit: '0' }, /limit/],
      [{ crs: `${OGR}/EPSG/0/2193` }, /crs: wanted a coordinate system that the collection lists/],
      [{ datetime: 'yesterday' }, /datetime: wanted a day/],
      [{ filter: 'area >' }, /filter: /],
      [{ filter: 'location_nunber = 1' }, /did you mean location_number\?/],
      [{ filter: "1=1'; drop table collections; --" }, /filter: wanted CQL2/],
      [{ 'filter-lang': 'cql2-json', filter: '{' }, /filter: wanted CQL2 as JSON/],
      [{ after: '1-AAAAAAAAAAAAAAAA' }, /after: .*begin again without it/],
      [{ colour: 'red' }, /colour/],
    ] as const)
      it(`refuse ${JSON.stringify(query)} with 400`, async () => {
        assert.match(String((await items(plots, query, 400)).detail), message);
      });

    it("are the caller's own, and need the scope", async () => {
      const made = await service.fetch('/tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'map', scopes: ['validate'], email: 'dev@localhost' }),
      });
      const { token } = (await made.json()) as { token: string };
      const as = (path: string, headers: Readonly<Record<string, string>>) =>
        fetch(`${service.url}${path}`, { headers });
      const narrow = { authorization: `Bearer ${token}` };
      assert.equal((await as(`/ogc/collections/${plots}/items`, narrow)).status, 403);
      assert.equal((await as(`/tiles/${plots}/0/0/0`, narrow)).status, 403);
      assert.equal((await as('/ogc/collections/sample-district-roads/items', narrow)).status, 200);
      assert.doesNotMatch(await (await as('/ogc/collections', narrow)).text(), /plots-/);
      assert.equal((await as(`/ogc/collections/${plots}/items`, {})).status, 401);
      assert.equal((await as('/ogc', {})).status, 200);
      assert.equal((await service.fetch('/ogc/collections/plots-00000000-0000-4000-8000-000000000000')).status, 404);
    });

    it('show a page to a browser, and nothing of a name in it is HTML', async () => {
      const page = await service.fetch('/ogc/collections/sample-district-roads?f=html');
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(await page.text(), /<h1>sample-district-roads<\/h1>/);
      const accepted = await service.fetch('/ogc', { headers: { accept: 'text/html,*/*;q=0.1' } });
      assert.match(accepted.headers.get('content-type') ?? '', /^text\/html/);
    });

    it('give tiles that are the same until the features change', async () => {
      const tileJson = (await get(`/tiles/${plots}`)) as unknown as {
        tiles: readonly string[];
        bounds: readonly number[];
      };
      assert.equal(tileJson.bounds.length, 4);
      const path = tileJson.tiles[0].replace(service.url, '').replace('{z}/{x}/{y}', '0/0/0');
      const tile = await service.fetch(path);
      assert.deepEqual([tile.status, tile.headers.get('content-type')], [200, 'application/vnd.mapbox-vector-tile']);
      assert.match(tile.headers.get('cache-control') ?? '', /private/);
      const etag = tile.headers.get('etag')?.replace('W/', '') ?? '';
      assert.equal((await service.fetch(path, { headers: { 'if-none-match': etag } })).status, 304);
      assert.equal((await service.fetch(`/tiles/${plots}/10/0/0`)).status, 204);
      assert.equal((await service.fetch(`/tiles/${plots}/2/4/0`)).status, 404);
      assert.equal((await service.fetch(`/tiles/${plots}/17/0/0`)).status, 404);
    });

    it('are opened by GDAL as features: listed, counted, cut out, filtered, converted', async () => {
      const address = `OAPIF:${service.url}/ogc`;
      assert.match(
        await gdal('ogrinfo', '-ro', address),
        new RegExp(`${plots} \\(title: lot \\(plots\\)\\) \\(Polygon\\)`),
      );
      const roads = await gdal('ogrinfo', '-ro', '-so', address, 'sample-district-roads');
      assert.match(roads, /Feature Count: 18\n/);
      assert.match(roads, /class: String/);
      const out = join(folder, `${engine.name}.gpkg`);
      await gdal('ogr2ogr', out, address, plots, 'sample-district-buildings', '-oo', 'PAGE_SIZE=100');
      const kept = await gdal('ogrinfo', '-ro', '-al', '-so', out);
      const counts = [...kept.matchAll(/Feature Count: (\d+)/g)].map(([, count]) => Number(count));
      const { numberMatched } = await items('sample-district-buildings', { limit: '1' });
      assert.deepEqual(counts, [PLOTS, numberMatched]);
      const box = ['102.59', '4.58', '102.61', '4.60'];
      const cut = await gdal(
        'ogr2ogr',
        '-f',
        'GeoJSONSeq',
        '/vsistdout/',
        address,
        'sample-district-buildings',
        '-spat',
        ...box,
      );
      const expected = await idsOf('sample-district-buildings', { bbox: box.join(','), limit: '10000' });
      assert.equal(cut.trim().split('\n').length, expected.length);
      assert.ok(expected.length > 10 && expected.length < (numberMatched ?? 0));
      const some = await gdal('ogrinfo', '-ro', '-q', address, plots, '-where', 'location_number = 3');
      assert.equal(some.match(/OGRFeature/g)?.length, 1);
    });

    it('are opened by GDAL as vector tiles, over HTTP and as a file', async () => {
      const path = '/tiles/sample-district-buildings/14/12861/7982';
      const whole = await gdal('ogrinfo', '-ro', '-al', '-so', `MVT:${service.url}${path}.pbf`);
      assert.match(whole, /Layer name: features\nGeometry: Polygon\n/);
      const count = Number(/Feature Count: (\d+)/.exec(whole)?.[1]);
      const file = join(folder, 'tile.pbf');
      await writeFile(file, Buffer.from(await (await service.fetch(path)).arrayBuffer()));
      const args = ['-oo', 'X=12861', '-oo', 'Y=7982', '-oo', 'Z=14', '-oo', 'CLIP=NO'];
      await gdal('ogr2ogr', join(folder, 'tile.geojson'), `MVT:${file}`, '-t_srs', 'EPSG:4326', ...args);
      const drawn = JSON.parse(await readFile(join(folder, 'tile.geojson'), 'utf8')) as Page;
      assert.equal(drawn.features.length, count);
      const { features } = await items('sample-district-buildings', { limit: '10000' });
      const byId = new Map(features.map((feature) => [feature.id, feature]));
      for (const { properties, geometry } of drawn.features) {
        const item = byId.get(String(properties['id']));
        assert.equal(item?.properties['class'], properties['class']);
        const [[lon, lat]] = (geometry!.coordinates as readonly (readonly [number, number])[][]).flat(1);
        const [[itemLon, itemLat]] = (item!.geometry!.coordinates as readonly (readonly [number, number])[][]).flat(1);
        assert.ok(Math.abs(lon - itemLon) < 0.002 && Math.abs(lat - itemLat) < 0.002);
      }
    });

    it('are written as an archive of tiles, by HTTP and by the command line', async () => {
      const answer = await service.fetch(`/tiles/${plots}/archive.pmtiles?max_zoom=10`);
      assert.deepEqual([answer.status, answer.headers.get('x-max-zoom')], [200, '10']);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const archive = new PMTiles({
        getKey: () => plots,
        getBytes: (offset, length) =>
          Promise.resolve({ data: Uint8Array.from(bytes.subarray(offset, offset + length)).buffer }),
      });
      const { minZoom, maxZoom } = await archive.getHeader();
      assert.deepEqual([minZoom, maxZoom], [0, 10]);
      const { name, features_in_set: count } = (await archive.getMetadata()) as Record<string, unknown>;
      assert.deepEqual([name, count], ['lot (plots)', PLOTS]);
      const served = await service.fetch(`/tiles/${plots}/0/0/0`);
      assert.deepEqual((await archive.getZxy(0, 0, 0))?.data, await served.arrayBuffer());
      const path = join(folder, 'lot.pmtiles');
      const { out, code, err } = await runCommand(
        ['export', 'map', plots, '-o', path, '--max-zoom', '10', '--user', 'bootstrap'],
        service.settings,
      );
      assert.equal(code, 0, err);
      assert.match(out, /tiles of zooms 0 to 10\.\n$/);
      assert.deepEqual(new Uint8Array(await readFile(path)), bytes);
    });

    it('take the commands of docs/gis.md as they stand there', async () => {
      const page = await readFile(join(ROOT, 'docs/gis.md'), 'utf8');
      const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
      assert.ok(blocks.length >= 6);
      const env = { ...process.env, URL: service.url, TOKEN: service.token, PLOTS: plots };
      await run('bash', ['-euo', 'pipefail', '-c', blocks.join('\n')], { env, cwd: folder });
      assert.match(await gdal('ogrinfo', '-ro', '-al', '-so', join(folder, 'plots.gpkg')), /Feature Count: 5\n/);
      assert.match(await gdal('ogrinfo', '-ro', '-al', '-so', join(folder, 'roads.fgb')), /Feature Count: [1-9]/);
    });

    it('are drawn by MapLibre with the lines of docs/gis.md', { skip: browserSkip() }, async () => {
      const [, lines] = /```js\n(.*?)```/s.exec(await readFile(join(ROOT, 'docs/gis.md'), 'utf8')) ?? [];
      assert.ok(lines !== undefined);
      const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        await page.route(`${service.url}/page/**`, (route) => {
          const name = new URL(route.request().url()).pathname.replace('/page/', '');
          return name === 'map'
            ? route.fulfill({ contentType: 'text/html', body: mapPage(lines, service, plots) })
            : route.fulfill({
                contentType: 'text/javascript',
                path: join(ROOT, 'node_modules/maplibre-gl/dist', name),
              });
        });
        await page.goto(`${service.url}/page/map`);
        await page.waitForFunction('window.found?.length > 0', null, { timeout: DRAWN_MS });
        const drawn = await page.evaluate<readonly Readonly<Record<string, unknown>>[]>('window.found');
        assert.ok(
          drawn.some(({ name }) => name === 'synthetic plot 0'),
          JSON.stringify(drawn),
        );
      } finally {
        await browser.close();
      }
    });

    it('end with the collection', async () => {
      const id = plots.replace('plots-', '');
      const deleted = await service.fetch(`/collections/${id}`, { method: 'DELETE' });
      assert.equal(deleted.status, 200);
      assert.equal((await service.fetch(`/ogc/collections/${plots}/items`)).status, 404);
      assert.equal((await service.fetch(`/tiles/${plots}/0/0/0`)).status, 404);
    });
  });
