import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { runService, type RunningProcess } from './run-service.ts';

const LETTER = `Dear Sir,

our mill Kilang Rompin is at 3.077222, 103.174722 in Pahang, Malaysia. Ana Diaz grows 2.5 ha of cocoa near Kumasi in Ghana.

Best regards, A. Trader
`;

/** What the model replies: right copies, one number of its own and one place of its own. */
const ROWS = [
  {
    'location name': 'Kilang Rompin',
    latitude: '3.077222',
    longitude: '103.174722',
    province: 'Pahang',
    country: 'Malaysia',
    area: '12 ha',
  },
  {
    'supplier name': 'Ana Diaz',
    village: 'Kumasi',
    country: 'Ghana',
    area: '2.5 ha',
    commodity: 'cocoa',
    'location type': null,
  },
  { 'location name': 'Invented Mill' },
];
const COLUMNS = [
  'location name',
  'supplier name',
  'address',
  'village',
  'province',
  'country',
  'latitude',
  'longitude',
  'area',
  'commodity',
  'location type',
];

let service: RunningProcess;
let asked: string[] = [];
let reply: () => string = () =>
  JSON.stringify({ rows: ROWS.map((row) => ({ ...Object.fromEntries(COLUMNS.map((name) => [name, null])), ...row })) });
/** Nominatim knows one place. */
function search(url: string): unknown {
  const place = { lat: '1.27', lon: '101.2', place_rank: 16, display_name: 'Duri', address: { country_code: 'id' } };
  return url.includes('Duri') ? [place] : [];
}

const model = createServer((request, response) => {
  if (request.url?.startsWith('/search') === true) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(search(request.url)));
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
  request.on('end', () => {
    asked.push(body);
    const choice = { index: 0, message: { role: 'assistant', content: reply() }, finish_reason: 'stop' };
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [choice],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
});

before(async () => {
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  const env = { LANGUAGE_MODEL: 'openai-compatible:m', LANGUAGE_MODEL_URL: `${url}/v1`, NOMINATIM_URL: url };
  service = await runService({ env: { ...env, GEOCODER_INTERVAL_MS: '0' } });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  model.closeAllConnections();
  model.close();
});

interface Answer {
  readonly code: string;
  readonly errors: readonly { readonly code: string }[];
  readonly features: readonly {
    readonly geometry: { readonly coordinates: readonly number[] };
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
  readonly properties: {
    readonly format: string;
    readonly remarks: readonly string[];
    readonly datasets: readonly { readonly id: string; readonly licence: string; readonly attribution: string }[];
    readonly tables: readonly {
      readonly columns: readonly { readonly why: string; readonly confidence: number }[];
    }[];
  };
}

async function post(content: string | Uint8Array): Promise<{ status: number; body: Answer }> {
  const form = new FormData();
  form.append('file', new Blob([typeof content === 'string' ? content : Buffer.from(content)]), 'letter');
  const response = await service.fetch('/normalize_locations', { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as Answer };
}

/** A PDF document with one line of text. */
function pdf(line: string): Buffer {
  const stream = `BT /F1 12 Tf 50 700 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${text}xref\n0 6\n0000000000 65535 f \n${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

test('a language model finds the places of a letter, and what it made up is left out', async () => {
  asked = [];
  const { status, body } = await post(LETTER);
  assert.equal(status, 200, JSON.stringify(body));
  const [mill, farm, ...rest] = body.features;
  assert.equal(rest.length, 0);
  assert.deepEqual(mill.geometry.coordinates, [103.174722, 3.077222]);
  assert.equal(mill.properties['area_ha'], null);
  assert.equal(mill.properties['country_code'], 'MY');
  assert.equal(farm.properties['supplier_name'], 'Ana Diaz');
  assert.equal(farm.properties['geometry_source'], 'geocoded');
  assert.equal(farm.properties['area_ha'], 2.5);
  assert.ok(
    body.properties.remarks.some((remark) => remark.startsWith('2 values that do not stand in the text were left out')),
  );
  assert.ok(asked.length > 0 && asked[0].includes('Kilang Rompin'));
});

test('the text of a PDF document is read the same way; one that is broken is refused', async () => {
  const { status, body } = await post(pdf('The mill Kilang Rompin is in Malaysia, at 3.077222, 103.174722.'));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.properties.format, 'pdf');
  assert.deepEqual(body.features[0].geometry.coordinates, [103.174722, 3.077222]);
  const broken = await post('%PDF-1.4 and nothing more');
  assert.equal(broken.status, 400);
  assert.equal(broken.body.errors[0].code, 'broken_pdf');
});

test('a model proposes columns of a table, without a value of it in the question', async () => {
  asked = [];
  const before = reply;
  const columns = [
    { column: 'Entity', field: 'supplier_name' },
    { column: 'Made up', field: 'name' },
  ];
  reply = () => JSON.stringify({ columns });
  const csv = 'lat,lon,Entity\n6.5,-1.5,Ana Diaz\n6.6,-1.6,Kofi Boateng\n';
  const { status, body } = await post(csv);
  reply = before;
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.features[1].properties['supplier_name'], 'Kofi Boateng');
  const entity = body.properties.tables[0].columns[2];
  assert.match(entity.why, /^A language model proposes supplier_name/);
  assert.ok(entity.confidence > 0 && entity.confidence <= 0.4);
  assert.equal(asked.length, 1);
  assert.ok(asked[0].includes('Entity') && !asked[0].includes('Diaz') && !asked[0].includes('6.5'));
  const again = await post(csv);
  assert.deepEqual(again.body.properties.tables, body.properties.tables);
  assert.equal(asked.length, 1);
});

test('a reply about columns that is of no use leaves a remark and the rules', async () => {
  const before = reply;
  reply = () => 'I am sorry, I cannot do that.';
  const { status, body } = await post('lat,lon,Holder\n6.5,-1.5,Ana Diaz\n');
  reply = before;
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.features[0].geometry.coordinates, [-1.5, 6.5]);
  assert.match(
    body.properties.remarks.join(' '),
    /gave a reply of another shape\. Columns were found by the rules alone/,
  );
});

test('geocoders that are set up are cited and listed as the built-in places are', async () => {
  const { body } = await post('village,country\nDuri,Indonesia\nKumasi,Ghana\n');
  assert.deepEqual(body.features[0].geometry.coordinates, [101.2, 1.27]);
  assert.deepEqual(
    body.properties.datasets.map(({ id, licence }) => [id, licence]),
    [
      ['nominatim', 'ODbL-1.0'],
      ['osm-countries-land', 'ODbL-1.0'],
      ['geonames-places', 'CC-BY-4.0'],
    ],
  );
  const listed = (await (await service.fetch('/datasets')).json()) as { datasets: { id: string; role: string }[] };
  const geocoders = listed.datasets.filter(({ role }) => role === 'geocoder').map(({ id }) => id);
  assert.deepEqual(geocoders.toSorted(), ['geonames-places', 'nominatim']);
});

test('a reply of another shape is a failing dependency, not a failing service', async () => {
  reply = () => 'I am sorry, I cannot do that.';
  const { status, body } = await post(LETTER);
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(body.code, 'dependency_unavailable');
});
