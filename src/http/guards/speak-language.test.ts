import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { testServer } from '../../../test/memory/test-server.ts';
import { Problem } from '../../errors.ts';
import type { App } from '../server/app.ts';
import { etagMatches } from './etag.ts';

const WARNING = { code: 'dense_urban', params: {}, message: 'The facility lies in a dense urban area.' };
const IN = {
  de: 'Die Anlage liegt in einem dicht bebauten Stadtgebiet.',
  'pt-BR': 'A instalação fica em uma área urbana densa.',
  en: WARNING.message,
};

const MEDIA_TYPES = { geojson: 'application/geo+json', ndjson: 'application/x-ndjson' } as const;

/** Features in one stream, cut where no line ends, as networks do. */
function* chunks(type: 'geojson' | 'ndjson'): Generator<string> {
  const feature = JSON.stringify({ type: 'Feature', id: 1, properties: { name: 'Đắk Lắk', warnings: [WARNING] } });
  const end = JSON.stringify({ warnings: [WARNING] });
  const text =
    type === 'ndjson'
      ? `${feature}\n${feature}\n{"type":"FeatureCollection","properties":${end}}\n`
      : `{"type":"FeatureCollection","features":[\n${feature},\n${feature}\n],"properties":${end}}\n`;
  for (let i = 0; i < text.length; i += 7) yield text.slice(i, i + 7);
}

/** A row whose columns look like sentences of the service. */
const OWN = {
  type: 'Feature',
  code: 'dense_urban',
  params: {},
  message: WARNING.message,
  geometry: null,
  properties: {
    code: 'dense_urban',
    params: {},
    message: WARNING.message,
    detail: 'The plot lies on land.',
    remarks: ['No area is known.'],
    notes: { ...WARNING, messages: { reason: [{ code: 'plot.on_land', params: {} }] }, reason: 'No area is known.' },
    warnings: [WARNING],
  },
} as const;

async function routes(app: App): Promise<void> {
  app.get('/refused', { config: { access: 'public' }, schema: { hide: true } }, () => {
    throw new Problem('conflict', 'Ask Budi.');
  });
  app.get('/refused-in-words', { config: { access: 'public' }, schema: { hide: true } }, () => {
    throw new Problem('rate_limited', 'Wanted at most 3 tests a minute.', {
      errors: [
        { code: 'tests', detail: 'Ask Budi.' },
        { code: 'tests', detail: 'Wanted at most 3 tests a minute.' },
      ],
    });
  });
  for (const [path, type] of [
    ['/kept', 'application/json'],
    ['/drawing', 'image/png'],
  ] as const)
    app.get(path, { config: { access: 'public', produces: [type] }, schema: { hide: true } }, (request, reply) => {
      reply.header('etag', '"abc"');
      if (etagMatches(request.headers['if-none-match'], '"abc"')) return reply.code(304).send();
      return reply.type(type).send('{}');
    });
  app.get('/own', { config: { access: 'public' }, schema: { hide: true } }, () => ({
    type: 'FeatureCollection',
    features: [OWN],
  }));
  app.get('/whole', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
    reply.header('etag', '"abc"');
    return { id: 12345, warnings: [WARNING], source: WARNING };
  });
  for (const type of ['geojson', 'ndjson'] as const)
    app.get(
      `/${type}`,
      { config: { access: 'public', produces: [MEDIA_TYPES[type]] }, schema: { hide: true } },
      (_request, reply) => reply.type(MEDIA_TYPES[type]).send(Readable.from(chunks(type), { objectMode: false })),
    );
}

describe('the language of answers', () => {
  it('is that of problems too, as far as their sentences are known', async () => {
    await using server = testServer({ routes: [routes] });
    const refused = async (url: string, language: string) => {
      const answer = await server.app.inject({ url, headers: { 'accept-language': language } });
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
      assert.match(String(answer.headers['vary']), /accept-language/);
      const { title, detail, code } = answer.json<Record<string, string>>();
      return [answer.headers['content-language'], code, title, detail];
    };
    assert.deepEqual(await refused('/nowhere', 'de'), [
      'de',
      'not_found',
      'Nicht gefunden',
      'Unter /nowhere gibt es nichts. /docs/api führt auf, was es gibt.',
    ]);
    assert.deepEqual(await refused('/refused', 'th, en;q=0.5'), ['th, en', 'conflict', 'ขัดแย้งกัน', 'Ask Budi.']);
    assert.deepEqual(await refused('/refused', 'sv'), ['en', 'conflict', 'Conflict', 'Ask Budi.']);
  });

  it('of a problem says in codes what its details say, in every language', async () => {
    await using server = testServer({ routes: [routes] });
    const tests = [{ code: 'refusal.tests', params: { count: 3 } }];
    for (const [language, text] of [
      ['en', 'Wanted at most 3 tests a minute.'],
      ['de', 'Höchstens 3 Tests in der Minute sind möglich.'],
    ]) {
      const answer = await server.app.inject({
        url: '/refused-in-words',
        headers: { 'accept-language': language },
      });
      const problem = answer.json<Record<string, unknown>>();
      assert.equal(problem['detail'], text);
      assert.deepEqual(problem['messages'], { detail: tests });
      assert.deepEqual(problem['errors'], [
        { code: 'tests', detail: 'Ask Budi.' },
        { code: 'tests', detail: text, messages: { detail: tests } },
      ]);
    }
  });

  it('is that of Accept-Language, and the answer says so', async () => {
    await using server = testServer({ routes: [routes] });
    for (const [header, language] of [
      ['de-CH, en;q=0.5', 'de'],
      ['pt', 'pt-BR'],
      ['sv', 'en'],
      [undefined, 'en'],
    ] as const) {
      const answer = await server.app.inject({
        url: '/whole',
        headers: header === undefined ? {} : { 'accept-language': header },
      });
      assert.equal(answer.headers['content-language'], language);
      assert.match(String(answer.headers['vary']), /accept-language/);
      const { warnings, source } = answer.json<{ warnings: unknown[]; source: unknown }>();
      assert.deepEqual(warnings, [{ ...WARNING, message: IN[language] }]);
      assert.deepEqual(source, WARNING, 'what the caller sent is left alone');
      assert.equal(answer.headers['etag'], `"abc.${language}"`);
    }
  });

  it('decides whether a client has an answer already', async () => {
    await using server = testServer({ routes: [routes] });
    for (const [wanted, tag, status] of [
      ['de', '"abc.de"', 304],
      ['de', 'W/"x.fr", W/"abc.de"', 304],
      ['en', '"abc.en"', 304],
      ['de', '"abc.en"', 200],
      ['en', '"abc.de"', 200],
      ['de', '"abc.fr", "abc.pt-BR"', 200],
    ] as const) {
      const headers = { 'accept-language': wanted, 'if-none-match': tag };
      const answer = await server.app.inject({ url: '/kept', headers });
      assert.equal(answer.statusCode, status, `${tag} in ${wanted}`);
      assert.equal(answer.headers['etag'], `"abc.${wanted}"`);
      assert.equal(answer.headers['content-language'], wanted);
      assert.match(String(answer.headers['vary']), /accept-language/);
    }
    const same = await server.app.inject({
      url: '/drawing',
      headers: { 'accept-language': 'de', 'if-none-match': '"abc"' },
    });
    assert.equal(same.statusCode, 304, 'what is the same for all has one tag');
    assert.equal(same.headers['etag'], '"abc"');
  });

  it('is not that of what a caller sent, however it looks', async () => {
    await using server = testServer({ routes: [routes] });
    const answer = await server.app.inject({ url: '/own', headers: { 'accept-language': 'de' } });
    assert.deepEqual(answer.json(), {
      type: 'FeatureCollection',
      features: [{ ...OWN, properties: { ...OWN.properties, warnings: [{ ...WARNING, message: IN.de }] } }],
    });
  });

  it('is the same in streams, however they are cut', async () => {
    await using server = testServer({ routes: [routes] });
    const headers = { 'accept-language': 'de' };
    const plain = await server.app.inject({ url: '/geojson', headers });
    const collection = plain.json<{ features: { properties: object }[]; properties: object }>();
    const warnings = [{ ...WARNING, message: IN.de }];
    assert.deepEqual(collection.properties, { warnings });
    assert.deepEqual(
      collection.features.map(({ properties }) => properties),
      [1, 2].map(() => ({ name: 'Đắk Lắk', warnings })),
    );
    const lines = (await server.app.inject({ url: '/ndjson', headers })).body.trim().split('\n');
    assert.equal(lines.length, 3);
    for (const line of lines) assert.match(line, /Die Anlage liegt/);
    const english = await server.app.inject({ url: '/geojson' });
    assert.equal(english.body, [...chunks('geojson')].join(''));
  });
});
