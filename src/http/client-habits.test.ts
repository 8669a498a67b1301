import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { testServer } from '../../test/memory/test-server.ts';
import { MISPLACED_OPTIONS } from '../readers/formats/geojson/root-members.ts';
import { ValidateFacilitiesFields } from './routes/facilities/schemas.ts';
import { bodyChecker } from './problems/check-body.ts';
import { ForestLookupCheck } from './routes/forest/schemas.ts';
import { BatchFields, StageFields } from './routes/collections/schemas.ts';
import { ValidateLocationsFields } from './routes/locations/schemas.ts';

const WKT = encodeURIComponent('POINT(103.1747 3.0772)');
const POINT = { type: 'Feature', geometry: { type: 'Point', coordinates: [103.1747, 3.0772] }, properties: {} };
const COLLECTION = { type: 'FeatureCollection', features: [POINT] };

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly detail: string;
}

async function open() {
  const server = testServer();
  const { authorization } = await server.login();
  const send = async (request: InjectOptions): Promise<Answer> => {
    const answer = await server.app.inject({ ...request, headers: { authorization, ...request.headers } });
    const problem = answer.statusCode >= 400 && answer.body !== '' ? answer.json<{ detail: string }>() : { detail: '' };
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      body: answer.body,
      detail: problem.detail,
    };
  };
  const port = await server.listen();
  /** A form with GeoJSON and fields, over a real connection: what is refused goes on arriving. */
  const form = async (path: string, fields: Readonly<Record<string, string>>, file: unknown = COLLECTION) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', new Blob([JSON.stringify(file)]), 'f.geojson');
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: { authorization }, body });
    const text = await answer.text();
    const detail = answer.ok ? '' : (JSON.parse(text) as { detail: string }).detail;
    return { status: answer.status, type: String(answer.headers.get('content-type')), body: text, detail };
  };
  const lookUp = (body: object, query = '') =>
    send({ method: 'POST', url: `/forest_polygon/lookup${query}`, payload: { ...COLLECTION, ...body } });
  return { server, send, form, lookUp };
}

/** Whether water was looked for: the receipt says so otherwise. */
function sawWater(body: string): boolean {
  const { features } = JSON.parse(body) as {
    features: { properties: { evidence: { indicator: string; detail: string }[] } }[];
  };
  return !/did not include/.test(
    features[0]!.properties.evidence.find(({ indicator }) => indicator === 'water_access')!.detail,
  );
}

describe('a boolean', () => {
  const YES = ['True', 'TRUE', '1', 'yes', 'on', 'T'];
  const NO = ['False', '0', 'No', 'OFF', 'f'];

  it('is read in every spelling of usual clients in a query', async () => {
    const { server, send } = await open();
    await using _ = server;
    for (const [words, wanted] of [
      [YES, true],
      [NO, false],
    ] as const)
      for (const word of words) {
        const answer = await send({ url: `/validate_facility?geometry=${WKT}&check_water_access=${word}` });
        assert.equal(answer.status, 200, answer.body);
        assert.equal(sawWater(answer.body), wanted, word);
      }
  });

  it('is read in every spelling in a form', async () => {
    const { server, form } = await open();
    await using _ = server;
    for (const word of YES) {
      const answer = await form('/validate_facilities', { check_water_access: word });
      assert.equal(answer.status, 200, answer.body);
      assert.equal(sawWater(answer.body), true, word);
    }
  });

  it('is read in every spelling in a JSON body, as a text or as 1 and 0', async () => {
    const { server, lookUp } = await open();
    await using _ = server;
    const read = bodyChecker(ForestLookupCheck);
    for (const word of [...YES, 1, true]) {
      const answer = await lookUp({ raw_outline: word });
      assert.equal(answer.status, 200, answer.body);
      assert.deepEqual(read({ features: [POINT], raw_outline: word }), { features: [POINT], raw_outline: true });
    }
    for (const word of [...NO, 0, false])
      assert.deepEqual(read({ features: [POINT], raw_outline: word }), { features: [POINT], raw_outline: false });
    for (const nothing of [null, '', ' '])
      assert.deepEqual(read({ features: [POINT], raw_outline: nothing }), { features: [POINT] });
    assert.equal((await lookUp({ raw_outline: 'perhaps' })).status, 422);
  });
});

describe('an option that is empty or null', () => {
  it('is not given', async () => {
    const { server, send, form, lookUp } = await open();
    await using _ = server;
    const empty = 'commodity_type=&commodity_radius=&check_road_access=&facility_name=';
    assert.equal((await send({ url: `/validate_facility?geometry=${WKT}&${empty}` })).status, 200);
    const fields = { commodity_type: '', commodity_radius: '', check_port_proximity: '' };
    assert.equal((await form('/validate_facilities', fields)).status, 200);
    const places = { location_type: '', country: '', mapping: '', geocode: '', crs: '', sheets: '' };
    assert.equal((await form('/normalize_locations', places)).status, 200);
    assert.equal((await lookUp({ output_crs: null, raw_outline: null, type: null })).status, 200);
    assert.equal((await lookUp({ features: null })).status, 422);
  });
});

describe('a word of a list', () => {
  it('is read in any case', async () => {
    const { server, send, form } = await open();
    await using _ = server;
    assert.equal((await form('/normalize_locations', { location_type: 'Facility' })).status, 200);
    assert.equal((await send({ url: '/tasks?status=COMPLETED' })).status, 200);
  });
});

describe('an address', () => {
  it('is the same route with a slash at its end', async () => {
    const { server, send } = await open();
    await using _ = server;
    for (const { method, url } of server.app.knownRoutes) {
      if (url === '/') continue;
      const path = url.replaceAll(/:\w+/g, 'x');
      const [plain, slashed] = [
        await send({ method: method as 'GET', url: path }),
        await send({ method: method as 'GET', url: `${path}/` }),
      ];
      assert.equal(slashed.status, plain.status, `${method} ${path}`);
      assert.equal(slashed.type, plain.type, `${method} ${path}`);
    }
    const put = await server.app.inject({ method: 'PUT', url: '/limits/' });
    assert.deepEqual([put.statusCode, put.headers['allow']], [405, 'GET, HEAD']);
  });

  it('may carry what browsers, caches and campaigns add; any other unknown name is refused', async () => {
    const { server, send, form } = await open();
    await using _ = server;
    const url = `/validate_facility?geometry=${WKT}`;
    assert.equal((await send({ url: `${url}&_=1732300000&utm_source=mail&_cb=1` })).status, 200);
    assert.match((await send({ url: `${url}&comodity_type=palm` })).detail, /did you mean commodity_type\?/);
    assert.equal((await form('/validate_facilities', { _csrf: 'x', utm_medium: 'mail' })).status, 200);
    assert.match(
      (await form('/validate_facilities', { comodity_type: 'palm' })).detail,
      /did you mean "commodity_type"/,
    );
  });
});

describe('an option inside GeoJSON', () => {
  it('is refused with the place where it goes; other foreign members are ignored', async () => {
    const { server, form, lookUp, send } = await open();
    await using _ = server;
    const asked = await lookUp({ async_mode: true, source_year: 2023 });
    assert.equal(asked.status, 422);
    assert.match(asked.detail, /\/async_mode .*\?async_mode=true/);
    assert.match(asked.detail, /\/source_year .*cannot be chosen/);
    assert.match(
      (await form('/validate_facilities', {}, { commodity_type: 'palm', ...COLLECTION })).detail,
      /form field/,
    );
    const last = await form('/validate_locations', {}, { ...COLLECTION, commodity_type: 'palm' });
    assert.equal(last.status, 422);
    assert.match(last.detail, /"commodity_type", .*form field commodity_type/);
    const parcels = { method: 'POST', url: '/cadastral/parcels/search' } as const;
    assert.equal((await send({ ...parcels, payload: { ...COLLECTION, source_year: 2024 } })).status, 422);
    const foreign = { name: 'layer', description: 'd', generator: 'QGIS', nested: { commodity_type: 'x' } };
    assert.equal((await lookUp(foreign)).status, 200);
    assert.equal((await form('/validate_facilities', {}, { ...foreign, ...COLLECTION, later: 1 })).status, 200);
  });

  it('is known by every name that a form has, but those that other programs write as well', () => {
    const names = [ValidateFacilitiesFields, ValidateLocationsFields, StageFields, BatchFields].flatMap((schema) =>
      Object.keys(schema.properties),
    );
    const unknown = [...new Set(names)].filter((name) => !Object.hasOwn(MISPLACED_OPTIONS, name));
    assert.deepEqual(unknown.toSorted(), ['country', 'crs', 'description', 'filename']);
  });
});

describe('Accept', () => {
  it('gets GeoJSON for application/json and for anything, wherever GeoJSON is served', async () => {
    const { server, send } = await open();
    await using _ = server;
    const plain = { url: `/validate_facility?geometry=${WKT}` };
    for (const [accept, type] of [
      [undefined, 'application/geo+json'],
      ['*/*', 'application/geo+json'],
      ['application/json', 'application/json'],
      ['application/json, text/plain, */*', 'application/json'],
      ['text/html, */*;q=0.8', 'application/geo+json'],
    ] as const) {
      const answer = await send({ ...plain, headers: accept === undefined ? {} : { accept } });
      assert.equal(answer.type.split(';')[0], type, String(accept));
      assert.equal((JSON.parse(answer.body) as { type: string }).type, 'FeatureCollection');
    }
  });

  it('gets GeoJSON as application/json from every endpoint that has it', async () => {
    const { server, send } = await open();
    await using _ = server;
    const { body } = await send({ url: '/openapi.json' });
    const { paths } = JSON.parse(body) as {
      paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
    };
    const types = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { responses }]) => ({
        what: `${method} ${path}`,
        types: Object.keys(responses['200']?.content ?? {}),
      })),
    );
    const geojson = types.filter((route) => route.types.includes('application/geo+json'));
    assert.ok(geojson.length >= 12, `${geojson.length}`);
    for (const route of geojson) assert.ok(route.types.includes('application/json'), route.what);
  });

  it('is refused with the plain names of what there is', async () => {
    const { server, send } = await open();
    await using _ = server;
    const { detail } = await send({ url: `/validate_facility?geometry=${WKT}`, headers: { accept: 'image/png' } });
    assert.equal(
      detail,
      'Accept: wanted one of application/geo+json, application/x-ndjson, text/csv, application/json, got "image/png".',
    );
  });
});

describe('a refusal', () => {
  it('of a missing geometry names WKT and shows one', async () => {
    const { server, send } = await open();
    await using _ = server;
    for (const url of ['/validate_facility', '/validate_facility?geometry=', '/facility_surroundings'])
      assert.match((await send({ url })).detail, /geometry is missing; wanted a geometry as WKT such as POINT\(/);
  });

  it('of a body of another type names what is wanted', async () => {
    const { server, send } = await open();
    await using _ = server;
    const post = (url: string, type: string) =>
      send({ method: 'POST', url, headers: { 'content-type': type }, payload: 'x=1' });
    const urlencoded = 'application/x-www-form-urlencoded';
    assert.match(
      (await post('/forest_polygon/lookup', urlencoded)).detail,
      /wanted application\/json, application\/geo\+json, got application\/x-www-form-urlencoded\./,
    );
    assert.match((await post('/webhooks/register', urlencoded)).detail, /wanted application\/json, got/);
    assert.match(
      (await post('/validate_facilities', 'text/plain')).detail,
      /wanted multipart\/form-data, .*got text\/plain/,
    );
    assert.match((await post('/stage_plots', urlencoded)).detail, /wanted multipart\/form-data, got/);
  });

  it('of a geometry too long for an address says how to send it', async () => {
    const { server, send } = await open();
    await using _ = server;
    const long = await send({ url: `/validate_facility?geometry=${'0'.repeat(17_000)}` });
    assert.equal(long.status, 414);
    assert.match(long.detail, /POST it to \/validate_facilities/);
  });

  it('never shows a regular expression', async () => {
    const { server, send } = await open();
    await using _ = server;
    const day = await send({ url: '/fetch_plots?filename=x&monitoring_start=yesterday' });
    assert.match(day.detail, /monitoring_start: wanted a day of the calendar as YYYY-MM-DD, got "yesterday"/);
    const label = await send({ method: 'POST', url: '/tokens', payload: { label: 'a\u0007b', scopes: ['validate'] } });
    assert.match(label.detail, /\/label: wanted a text of 1 to 200 characters without control characters/);
    for (const { detail } of [day, label]) assert.doesNotMatch(detail, /[\^$[\]]|\bd\{/);
  });
});

describe('an empty body', () => {
  it('may have a media type where none is read', async () => {
    const { server, send } = await open();
    await using _ = server;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' };
    assert.equal((await send({ method: 'POST', url: '/webhooks/test', headers })).status, 404);
    assert.equal((await send({ method: 'DELETE', url: '/webhooks/remove', headers })).status, 404);
    for (const type of ['application/json', 'text/plain'])
      assert.equal(
        (await send({ method: 'DELETE', url: '/webhooks/remove', headers: { 'content-type': type } })).status,
        404,
        `${type} and no length`,
      );
  });
});
