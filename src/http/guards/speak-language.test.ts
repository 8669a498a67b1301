import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { testServer } from '../../../test/memory/test-server.ts';
import type { App } from '../server/app.ts';

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

async function routes(app: App): Promise<void> {
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
  it('is not claimed of problems, which are English', async () => {
    await using server = testServer({ routes: [routes] });
    const answer = await server.app.inject({ url: '/nowhere', headers: { 'accept-language': 'de' } });
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    assert.equal(answer.headers['content-language'], undefined);
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
      assert.equal(answer.headers['etag'], language === 'en' ? '"abc"' : `"abc.${language}"`);
    }
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
