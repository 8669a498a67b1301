import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

const run = promisify(execFile);

interface Feature {
  readonly id?: string;
  readonly geometry: object | null;
  readonly properties: Readonly<Record<string, unknown>>;
}
interface Page {
  readonly features: readonly Feature[];
  readonly numberMatched: number;
  readonly detail?: string;
}

const PLACES = [
  { id: 'mill', geometry: { type: 'Point', coordinates: [102.6124, 4.5821] }, name: 'Kilang Sawit Contoh' },
  { id: 'nowhere', geometry: null, name: 'Lost' },
  { id: 'forest', geometry: { type: 'Point', coordinates: [102.578, 4.6165] }, name: 'Hutan\nContoh' },
].map(({ id, geometry, name }) => ({ type: 'Feature', id, geometry, properties: { facility_name: name } }));
const TABLE = 'name,lat,lon,country\nMill,4.6177,102.6012,MY\nShed,4.605,102.59,MY\n';

for (const engine of oneEngine())
  describe(`results of rated places on maps, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    let folder: string;
    /** The task that rated the places, and the one that validated the table, as lines. */
    let rated: string;
    let validated: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'firstmile-results-'));
      database = await engine.create();
      const { databaseUrl, dataDir } = database;
      service = await runService({ dataDir, env: databaseUrl === null ? {} : { DATABASE_URL: databaseUrl } });
      rated = await taskOf('/validate_facilities', placesFile(), 'application/geo+json', { commodity_type: 'palm' });
      validated = await taskOf('/validate_locations', new File([TABLE], 'sheds.csv'), 'application/x-ndjson', {
        location_type: 'facility',
      });
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    const placesFile = (): File =>
      new File([JSON.stringify({ type: 'FeatureCollection', features: PLACES })], 'places.geojson');

    /** The id of a task, once it is completed. */
    async function taskOf(
      path: string,
      file: File,
      accept: string,
      fields: Readonly<Record<string, string>>,
    ): Promise<string> {
      const body = new FormData();
      for (const [key, value] of Object.entries(fields)) body.append(key, value);
      body.append('file', file);
      const begun = await service.fetch(`${path}?async_mode=true`, { method: 'POST', body, headers: { accept } });
      const text = await begun.text();
      assert.equal(begun.status, 202, text);
      const { task_id: id } = JSON.parse(text) as { task_id: string };
      for (;;) {
        const { status } = (await (await service.fetch(`/tasks/${id}`)).json()) as { status: string };
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

    it('are listed, and hold each place in its order with what was found', async () => {
      const list = JSON.stringify(await get('/ogc/collections'));
      for (const id of [rated, validated]) assert.match(list, new RegExp(`"results-${id}"`));
      assert.match(list, /"sheds\.csv \(results\)"/);
      assert.match(list, /"places of [-\d]{10} [\d:]{5} UTC \(results\)"/);
      const { features: results } = await get(`/tasks/${rated}/results`);
      const { features, numberMatched } = await get(`/ogc/collections/results-${rated}/items`);
      assert.equal(numberMatched, PLACES.length);
      assert.deepEqual(
        features.map(({ geometry, properties: { feature_id: id, confidence_level: level, facility_name: name } }) => [
          id,
          geometry,
          level,
          name,
        ]),
        results.map(({ id, geometry, properties: { confidence_level: level, facility_name: name } }) => [
          id,
          geometry,
          level,
          name,
        ]),
      );
      assert.equal(features[1]!.geometry, null);
      const high = `/ogc/collections/results-${rated}/items?filter=${encodeURIComponent("confidence_level = 'high'")}`;
      assert.deepEqual(
        (await get(high)).features.map(({ properties }) => properties['feature_id']),
        ['mill'],
      );
      const sheds = await get(`/ogc/collections/results-${validated}/items`);
      assert.deepEqual(
        sheds.features.map(({ properties }) => properties['name']),
        ['Mill', 'Shed'],
      );
    });

    it('are opened by GDAL as features and as vector tiles', async () => {
      const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${service.token}` };
      const read = async (...words: readonly string[]): Promise<string> =>
        (await run('ogrinfo', words, { env })).stdout;
      const features = await read('-ro', '-al', '-so', `OAPIF:${service.url}/ogc`, `results-${validated}`);
      assert.match(features, /Geometry: Point\nFeature Count: 2\n/);
      const tile = await read('-ro', '-al', `MVT:${service.url}/tiles/results-${rated}/12/3215/1995.pbf`);
      assert.match(tile, /confidence_level \(String\) = high/);
    });

    it('are written as an archive of tiles by the command line', async () => {
      const path = join(folder, 'results.pmtiles');
      const words = ['export', 'map', `results-${rated}`, '-o', path, '--max-zoom', '6', '--user', 'bootstrap'];
      const { code, err } = await runCommand(words, service.settings);
      assert.equal(code, 0, err);
      const served = await service.fetch(`/tiles/results-${rated}/archive.pmtiles?max_zoom=6`);
      assert.deepEqual(await readFile(path), Buffer.from(await served.arrayBuffer()));
    });

    it('are not there as a table, of other kinds of tasks, or for who may not rate places', async () => {
      const table = await taskOf('/validate_facilities', placesFile(), 'text/csv', {});
      assert.match(String((await get(`/ogc/collections/results-${table}`, 404)).detail), /are a table/);
      assert.doesNotMatch(JSON.stringify(await get('/ogc/collections')), new RegExp(table));
      await get('/ogc/collections/results-00000000-0000-4000-8000-000000000000', 404);
      const made = await service.fetch('/tokens', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'map', scopes: ['forest'], email: 'dev@localhost' }),
      });
      const { token } = (await made.json()) as { token: string };
      const as = (path: string) => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal((await as(`/ogc/collections/results-${rated}/items`)).status, 403);
      assert.equal((await as(`/tiles/results-${rated}/0/0/0`)).status, 403);
      assert.doesNotMatch(await (await as('/ogc/collections')).text(), /results-/);
    });
  });
