import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { testServer, type TestServer } from '../../../../test/memory/test-server.ts';
import { pointShape } from '../../../geo/shapes/shape.ts';
import { readConfig } from '../../../config/settings.ts';
import { createLog } from '../../../log.ts';
import { openServiceCatalogue } from '../../../service/datasets/catalogue.ts';
import { createMapFeatures } from '../../../service/world/map-features.ts';
import { openPackData, type PackData } from '../../../service/world/packs-data.ts';
import { mapFeatureRoutes } from './map-features.ts';

interface Answer {
  readonly features: readonly {
    readonly geometry: { readonly type: string; readonly coordinates: unknown };
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
  readonly properties: { readonly truncated: readonly string[]; readonly failed: readonly unknown[] };
}

describe('features of regional packs', () => {
  let folder: string;
  let packs: PackData;
  let server: TestServer;
  let headers: { authorization: string };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-map-'));
    const config = readConfig({ DATA_DIR: folder });
    const log = createLog({ level: 'silent', json: true });
    const { datasets } = await openServiceCatalogue(config, log);
    packs = openPackData(datasets, config, log);
    server = testServer({ routes: [mapFeatureRoutes(createMapFeatures(() => packs.layers))] });
    headers = { authorization: (await server.login()).authorization };
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    await packs.close();
    await rm(folder, { recursive: true });
  });

  const get = async (url: string) => await server.app.inject({ url, headers });

  it('come for a box, by theme, with the dataset they are of', async () => {
    const answer = (await get('/map_features?bbox=102.605,4.575,102.62,4.59&themes=roads,buildings')).json<Answer>();
    const themes = new Set(answer.features.map(({ properties }) => properties['theme']));
    assert.deepEqual(themes, new Set(['roads', 'buildings']));
    assert.ok(answer.features.every(({ properties }) => properties['synthetic'] === true));
    assert.deepEqual(answer.properties, { truncated: [], failed: [] });
  });

  it('are cut off at the limit, and say of which theme', async () => {
    const answer = (
      await get('/map_features?bbox=102.575,4.572,102.622,4.619&themes=buildings,ports&limit=5')
    ).json<Answer>();
    assert.equal(answer.features.filter(({ properties }) => properties['theme'] === 'buildings').length, 5);
    assert.deepEqual(answer.properties.truncated, ['buildings']);
  });

  it('that counted for a facility are those of its checks, with their distances, nearest first', async () => {
    const url = '/facility_surroundings?geometry=POINT(102.6124+4.5821)&commodity_type=palm';
    const { features } = (await get(url)).json<Answer>();
    const of = (theme: string) => features.filter(({ properties }) => properties['theme'] === theme);
    assert.equal(of('businesses').length, 1);
    assert.equal(of('businesses')[0]?.properties['name'], 'Kilang Sawit Contoh');
    assert.equal(of('businesses')[0]?.properties['distance_m'], 19);
    assert.equal(of('buildings').length, 3);
    const roads = of('roads').map(({ properties }) => Number(properties['distance_m']));
    assert.equal(roads[0], 7);
    assert.deepEqual(
      roads,
      roads.toSorted((a, b) => a - b),
    );
    assert.ok(roads.every((metres) => metres <= 1_000));
  });

  it('are as many as the checks count', async () => {
    const signal = new AbortController().signal;
    for (const [lon, lat] of [
      [102.6124, 4.5821],
      [102.59, 4.6],
      [102.585, 4.605],
    ] as const)
      for (const commodity of ['palm', 'timber'] as const) {
        const url = `/facility_surroundings?geometry=POINT(${lon}+${lat})&commodity_type=${commodity}`;
        const { features } = (await get(url)).json<Answer>();
        const drawn = features.filter(({ properties }) => properties['theme'] === 'businesses').length;
        const counted = await packs.sources.businesses(commodity, pointShape(lon, lat), 2_000, signal);
        assert.equal(drawn, counted?.value.count ?? 0, url);
      }
  });

  it('are none where no pack knows the place', async () => {
    assert.deepEqual((await get('/facility_surroundings?geometry=POINT(0+0)')).json<Answer>().features, []);
  });

  it('are refused for a box that is none, is too wide or is turned round, and for an unknown theme', async () => {
    for (const query of [
      'bbox=1,2,3',
      'bbox=0,0,2,2',
      'bbox=1,0,0,1',
      'bbox=a,0,1,1',
      'bbox=,0,0.1,0.1',
      'bbox=0,0,0.1,0.1&themes=trees',
    ]) {
      const answer = await get(`/map_features?${query}`);
      assert.equal(answer.statusCode, 422, query);
      assert.equal(answer.json<{ code: string }>().code, 'invalid_parameter');
    }
    assert.equal((await get('/facility_surroundings?geometry=POINT(200+0)')).statusCode, 422);
  });
});
