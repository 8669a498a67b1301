import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Language } from '../../src/messages/languages.ts';
import { routeCalls, type Prepared } from './client-calls.ts';
import { operationsOf, type OpenApi, type Operation } from './document-calls.ts';
import { prepareCalls, readAnswer, sendCall } from './prepare-calls.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

const EMAIL = 'ana@example.org';
const PASSWORD = 'correct horse battery staple';
const SCOPES = 'validate,forest,collections,review,webhooks,traces,admin';

/** Words of which nearly every English sentence has one, and that are none in the languages of the test. */
const ENGLISH =
  /\b(the|is|were|are|of|and|not|with|has|have|which|could|by|its|from|that|this|no|than|to|be|for|one|only|wanted|give|look|lies|found)\b/i;
/** A text of fewer words is a name. */
const LEAST_WORDS = 4;

/** What is English in every language, by the route and the names that lead to it, and why. */
const ENGLISH_FOR_ALL: readonly (readonly [where: RegExp, why: string])[] = [
  [/^GET \/openapi\.json /, 'the description of the API'],
  [/^GET \/limits .*\.description$/, 'the reference of limits, with the names of settings'],
  [/^GET \/problems\/\{code\} .*\.(when|remedy)$/, 'a page of the documentation'],
  [/^GET \/eudr\//, 'the law in the words of the tables that were read'],
  [/^POST \/traces\/check .*\.proposals\[\]/, 'goods of Annex I in the words of those tables'],
  [/^GET \/(ogc|tiles)\b.*\.(title|description)$/, 'what map programs list: names of sets and links of the standard'],
  [/\.attribution$/, 'whom data is owed to, in the words that its licence wants'],
  [/\.(params|messages)\./, 'parameters of codes, which are the same in every language'],
  [/\.(processing|location_confidence|locations_confidence)$/, 'values of a closed list'],
  [/\.note$/, 'what a person wrote'],
  [/\.payload$/, 'the bytes that a receiver got'],
];

let service: RunningProcess;
let receiver: Server;
let token: string;

before(async () => {
  receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(request.url === '/refuses' ? 404 : 200).end());
  }).listen(0, '127.0.0.1');
  service = await runService({ env: { WEBHOOK_ALLOW_LOCAL: 'on' } });
  const env = service.settings;
  await runCommand(['user', 'add', EMAIL, '--password-stdin'], env, PASSWORD);
  token = (await runCommand(['token', 'create', '--user', EMAIL, '--scopes', SCOPES], env)).out.trim();
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  receiver?.close();
  receiver?.closeAllConnections();
});

type Caller = (path: string, init?: RequestInit) => Promise<Response>;

function caller(language: Language): Caller {
  return (path, init = {}) =>
    fetch(`${service.url}${path}`, {
      ...init,
      headers: {
        ...(init.headers as Record<string, string>),
        authorization: `Bearer ${token}`,
        'accept-language': language,
      },
    });
}

/** Every text of an answer with the names that lead to it; places in lists are not told apart. */
function* textsOf(value: unknown, path = ''): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item, `${path}[]`);
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) yield* textsOf(member, `${path}.${name}`);
}

/** The values of a JSON text, or of one with a value on each line. */
function valuesOf(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }
}

function looksEnglish(text: string): boolean {
  return text.split(/\s+/).length >= LEAST_WORDS && ENGLISH.test(text);
}

/** Rows with something wrong in each, in Ghana, Malaysia and the sea. */
const ODD_ROWS = `name,supplier,country,commodity,location_type,latitude,longitude,area_ha,unit
Zu groß,Siti,MY,palm,plot,4.6001001,102.6003001,9,
Ungenau,Siti,MY,palm,plot,4.6,102.6,1,
Anderswo,Budi,GH,cocoa,plot,4.6100001,102.6100001,2,
Vertauscht,Budi,MY,palm,plot,102.6100001,4.6100001,2,
Meer,Budi,MY,palm,plot,2.0000001,90.0000001,2,
Doppelt,Budi,MY,palm,plot,4.6000001,102.6000001,2,
Doppelt,Budi,MY,palm,plot,4.6000001,102.6000001,2,
Unlesbar,Budi,MY,palm,plot,north,102.6,2,
Ohne Ort,Budi,MY,palm,plot,,,2,
Null,Budi,MY,palm,plot,0,0,2,
Polar,Ana,NO,cocoa,plot,70.2000001,25.1000001,-2,
Grenze,Ana,MY,palm,plot,1.4600001,103.7600001,2,
Mühle,Budi,MY,palm,facility,4.5821001,102.6124001,,
Handel,Ana,GH,cocoa,facility,6.7,-1.6,,
`;

/** Files of tables and geodata, each with something that keeps it from being read, or a row of it. */
const BROKEN_FILES: readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[] = [
  ['open.csv', 'name,lat,lon\n"a,5,1\n'],
  ['wkt.csv', 'name,wkt\na,POINT(x)\nb,"POLYGON((0 0,1 1))"\nc,"{""type"":""Point""}"\nd,0101\ne,POINT(200 95)\n'],
  ['places.csv', 'name,lat,lon\na,5°99′,1\nb,true,1\n'],
  ['page.kml', '<kml><Document><Placemark><name>a</name><Point><coordinates>x</coordinates></Point></Placemark></kml>'],
  ['other.xml', '<?xml version="1.0"?><a><b/></a>'],
  ['doctype.kml', '<!DOCTYPE kml [<!ENTITY a "b">]><kml></kml>'],
  ['latin.kml', '<?xml version="1.0" encoding="klingon"?><kml></kml>'],
  [
    'features.geojson',
    '{"type":"FeatureCollection","features":[1,{"type":"Point","coordinates":[1,2]},{"type":"Feature"}]}',
  ],
  ['cut.geojson', '{"type":"FeatureCollection","features":[{"type":"Feature"'],
  ['packed.gz', new Uint8Array([0x1f, 0x8b, 8, 0])],
  ['old.xls', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0])],
  ['picture.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47])],
  ['empty.zip', new Uint8Array([0x50, 0x4b, 5, 6, ...new Uint8Array(18)])],
  ['broken.zip', new Uint8Array([0x50, 0x4b, 3, 4, 1, 2, 3])],
  ['broken.parquet', 'PAR1xxxxPAR1'],
  ['broken.gpkg', 'SQLite format 3\0xxxxxxxxxxxxxxxx'],
  ['broken.pdf', '%PDF-1.7 x'],
  ['binary.bin', new Uint8Array([0, 1, 2, 3])],
];

/** GeoJSON that ends the reading of a file. */
const BROKEN_GEOJSON: readonly string[] = [
  '{"type":"FeatureCollection"}',
  '{"type":"FeatureCollection","features":1}',
  '{"features":[]}',
  '{"type":"Topology"}',
  '{"a":NaN}',
  "{'a':1}",
  '[1,]',
  '{"a" 1}',
  '[01]',
  '"x"',
  '[[[',
  '{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:32630"}},"features":[]}',
  '{"async_mode":true,"type":"FeatureCollection","features":[]}',
  'PAR1',
  '<kml>',
];

/** More calls than one of each route: refusals, and files and batches with something wrong. */
function moreCalls(made: Prepared): Readonly<Record<string, (call: Caller) => Promise<Response>>> {
  const rows = (fields: Readonly<Record<string, string>> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', new File([ODD_ROWS], 'rows.csv', { type: 'text/csv' }));
    return { method: 'POST', body };
  };
  const json = (value: unknown) => ({
    method: 'POST',
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json' },
  });
  const file = (
    content: string | Uint8Array<ArrayBuffer>,
    name = 'file.csv',
    fields: Readonly<Record<string, string>> = {},
  ) => {
    const body = new FormData();
    for (const [field, value] of Object.entries(fields)) body.append(field, value);
    body.append('file', new File([content], name));
    return { method: 'POST', body };
  };
  /** The answers to several calls as one. */
  const all = async (calls: readonly Promise<Response>[]): Promise<Response> => {
    const texts = await Promise.all(calls.map(async (answer) => (await answer).text()));
    return new Response(JSON.stringify(texts.flatMap(valuesOf)), { headers: { 'content-type': 'application/json' } });
  };
  return {
    'a file with odd rows': (call) => call('/validate_locations', rows()),
    'a preview of it': (call) => call('/normalize_locations', rows({ dry_run: 'true' })),
    'a batch of it': async (call) => {
      const fields = { collection_name: 'x', stats: 'true', validate_locations: 'true', monitoring_end: '2024-12-31' };
      const { collection_id: id } = await readAnswer<{ collection_id: string }>(
        await call('/batch_process', rows(fields)),
      );
      for (;;) {
        const work = await readAnswer<{ status: string }>(await call(`/batch_progress?tracking_id=${id}`));
        if (work.status !== 'processing') break;
        await new Promise((done) => setTimeout(done, 100));
      }
      return all(
        [
          `/collections/${id}`,
          `/fetch_plots?filename=${id}`,
          `/fetch_deforestation_check?filename=${id}`,
          `/fetch_deforestation_check?filename=${id}&aggregate=true`,
          `/fetch_biomass_emissions?filename=${id}`,
          `/fetch_biodiversity?filename=${id}`,
          `/fetch_supply_shed?filename=${id}`,
          `/stat_supply_shed?filename=${id},${made.collection}`,
        ].map((path) => call(path)),
      );
    },
    'points that cannot be looked up': (call) =>
      call(
        '/forest_polygon/lookup',
        json({
          features: [null, [102.6, 95], [400, 1]].map((coordinates) => ({
            type: 'Feature',
            geometry: coordinates && { type: 'Point', coordinates },
          })),
        }),
      ),
    'a geometry that is not valid': (call) => call('/validate_facility?geometry=POLYGON((0 0,1 1,0 1,1 0,0 0))'),
    'a geometry that is none': (call) =>
      all(
        ['POINT(x)', '', 'POINT(1)', 'SRID=32630;POINT(1 2)', '{"type":"Point"}', '5.6, -0.2', 'POINT(1 2) x'].map(
          (text) => call(`/validate_facility?geometry=${encodeURIComponent(text)}`),
        ),
      ),
    'files that cannot be read': (call) =>
      all(BROKEN_FILES.map(([name, content]) => call('/normalize_locations', file(content, name)))),
    'GeoJSON that cannot be read': (call) =>
      all(BROKEN_GEOJSON.map((text) => call('/validate_facilities', file(text, 'file.geojson')))),
    'forms that are wrong': (call) =>
      all(
        [{ shets: 'x' }, { sheets: 'x' }, { mapping: 'x' }, { country: 'Atlantis' }, { crs: 'EPSG:1' }].map((fields) =>
          call('/normalize_locations', file('name,lat,lon\na,5,1', 'file.csv', fields)),
        ),
      ),
    'questions of the law that are wrong': (call) =>
      all(['cn=123', 'cn=x', 'country=Atlantis', 'role=king', 'date=x'].map((query) => call(`/eudr/scope?${query}`))),
    'filters of map programs that are wrong': (call) =>
      all(
        ['filter=x', 'filter=a%20=', 'bbox=1,2', 'crs=x', 'filter=S_INTERSECTS(geometry,POINT(x))'].map((query) =>
          call(`/ogc/collections/collection:${made.collection}/items?${query}`),
        ),
      ),
    'things of map programs that are not there': (call) =>
      all(['/ogc/collections/x', '/tiles/x/99/0/0', '/problems/x'].map((path) => call(path))),
    'a parameter that is wrong': (call) => call('/tasks?limit=many'),
    'a parameter that is unknown': (call) => call('/tasks?limits=3'),
    'a body that is wrong': (call) => call('/tokens', json({ label: 1, scopes: 'validate', extra: 1 })),
    'a body that is no JSON': (call) => call('/tokens', { ...json({}), body: '{' }),
    'a body of another type': (call) => call('/tokens', { method: 'POST', body: 'x' }),
    'a file that is empty': (call) => call('/normalize_locations', file('')),
    'a file that is a page': (call) => call('/normalize_locations', file('<!doctype html><title>x</title>')),
    'a file that is a text': (call) => call('/normalize_locations', file('A long text without any table in it.')),
    'a form without a file': (call) => call('/normalize_locations', { method: 'POST', body: new FormData() }),
    'a path that is not there': (call) => call('/collection'),
    'a method that is not possible': (call) => call('/datasets', { method: 'PUT' }),
    'a task that is not there': (call) => call('/tasks/x'),
    'a collection that is not there': (call) => call('/fetch_plots?filename=x'),
    'a collection that is staged': (call) => call(`/fetch_plots?filename=${made.staged}`),
    'a token that is wrong': (call) => call('/principal', { headers: { 'x-user-id': 'x' } }),
    'a format that is not offered': (call) => call('/datasets', { headers: { accept: 'image/png' } }),
  };
}

describe('an answer to a reader of another language', () => {
  for (const language of ['de', 'th'] as const)
    it(`has no English sentence of ours in ${language}, whatever the route`, async () => {
      const call = caller(language);
      const operations: Map<string, Operation> = operationsOf(await readAnswer<OpenApi>(await call('/openapi.json')));
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      const made = await prepareCalls(call, { receiver: url, email: EMAIL, password: PASSWORD, delivery: '' });
      const found: Record<string, Set<string>> = {};
      const look = async (name: string, answer: Response): Promise<void> => {
        const type = answer.headers.get('content-type') ?? '';
        const text = await answer.text();
        if (!/json/.test(type)) return;
        for (const value of valuesOf(text))
          for (const [path, one] of textsOf(value)) {
            const where = `${name} ${path}`;
            if (looksEnglish(one) && !ENGLISH_FOR_ALL.some(([exempt]) => exempt.test(where)))
              (found[where] ??= new Set()).add(one);
          }
      };
      for (const [name, send] of Object.entries(moreCalls(made))) await look(name, await send(call));
      for (const [route, wanted] of Object.entries(routeCalls(made)))
        await look(route, await sendCall(call, route, wanted, operations.get(route)!));
      // Last, since it takes the place of the webhook that the routes are about.
      const refusing = JSON.stringify({ url: url.replace('/hook', '/refuses') });
      await call('/webhooks', { method: 'PATCH', body: refusing, headers: { 'content-type': 'application/json' } });
      await look('a webhook that refuses', await call('/webhooks/test', { method: 'POST' }));
      const shown = Object.fromEntries(Object.entries(found).map(([where, texts]) => [where, [...texts].slice(0, 5)]));
      assert.deepEqual(shown, {});
    });
});
