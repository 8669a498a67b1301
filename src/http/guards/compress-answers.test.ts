import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createGunzip, createZstdDecompress, gunzipSync, zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { testServer } from '../../../test/memory/test-server.ts';
import type { App } from '../server/app.ts';
import { COMPRESS_FROM_BYTES } from './compress-answers.ts';
import { etagMatches } from './etag.ts';
import { negotiateEncoding } from './negotiate.ts';
import { sendFeatures } from '../server/send-features.ts';

const DECODE = { gzip: gunzipSync, zstd: zstdDecompressSync } as const;
const open = { config: { access: 'public', produces: [] }, schema: { hide: true } } as const;

/** Streams what `features` makes, and an answer of a given length. */
function routes(features: () => AsyncIterable<object>) {
  return (app: App): void => {
    app.get('/made-up/features', open, (_request, reply) =>
      sendFeatures(reply, 'ndjson', { features: features(), aggregate: null, columns: null }),
    );
    app.get('/made-up/events', open, (_request, reply) =>
      reply.type('text/event-stream; charset=utf-8').send(`data: ${'x'.repeat(5_000)}\n\n`),
    );
    app.get('/made-up/zip', open, (_request, reply) => reply.type('application/zip').send(Buffer.alloc(5_000)));
    for (const length of [COMPRESS_FROM_BYTES - 1, COMPRESS_FROM_BYTES])
      app.get(`/made-up/${length}`, open, (_request, reply) => reply.type('application/json').send('1'.repeat(length)));
  };
}

async function* some(): AsyncGenerator<object> {
  for (let n = 0; n < 500; n++) yield { type: 'Feature', geometry: null, properties: { n } };
}

async function serve(features: () => AsyncIterable<object> = some) {
  const server = testServer({ routes: [routes(features)] });
  const port = await server.listen();
  const ask = async (path: string, encoding?: string, headers: Record<string, string> = {}) => {
    const request = get({
      port,
      host: '127.0.0.1',
      path,
      headers: { ...headers, ...(encoding === undefined ? {} : { 'accept-encoding': encoding }) },
      agent: false,
    });
    // A reset may come after the response has begun as well.
    request.on('error', () => {});
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer;
  };
  const read = async (answer: IncomingMessage): Promise<Buffer> => Buffer.concat(await Array.fromAsync(answer));
  return { server, ask, read };
}

describe('an answer', () => {
  it('is compressed as the client accepts it, and holds the same', async () => {
    const { server, ask, read } = await serve();
    await using _ = server;
    for (const path of ['/openapi.json', '/made-up/features', `/made-up/${COMPRESS_FROM_BYTES}`]) {
      const plain = await ask(path);
      const wanted = await read(plain);
      assert.equal(plain.headers['content-encoding'], undefined, path);
      assert.match(String(plain.headers.vary), /accept-encoding/, path);
      for (const name of ['gzip', 'zstd'] as const) {
        const answer = await ask(path, name);
        assert.equal(answer.headers['content-encoding'], name, path);
        assert.match(String(answer.headers.vary), /accept-encoding/, path);
        const bytes = await read(answer);
        if (answer.headers['content-length'] !== undefined)
          assert.equal(answer.headers['content-length'], String(bytes.length));
        assert.ok(bytes.length < wanted.length / 2, `${path}: ${bytes.length} of ${wanted.length}`);
        assert.ok(DECODE[name](bytes).equals(wanted), path);
      }
    }
  });

  it('is left alone where it is short, packed already, or a stream of events', async () => {
    const { server, ask } = await serve();
    await using _ = server;
    for (const path of [`/made-up/${COMPRESS_FROM_BYTES - 1}`, '/made-up/zip', '/made-up/events']) {
      const answer = await ask(path, 'gzip, zstd');
      answer.resume();
      assert.equal(answer.headers['content-encoding'], undefined, path);
    }
  });

  it('of an error is compressed as well when it is long, and stays a problem', async () => {
    const { server, ask, read } = await serve();
    await using _ = server;
    const query = Array.from({ length: 30 }, (_, i) => `unknown_${i}=1`).join('&');
    const answer = await ask(`/limits?${query}`, 'gzip');
    assert.equal(answer.statusCode, 422);
    assert.match(String(answer.headers['content-type']), /problem\+json/);
    assert.equal((JSON.parse(gunzipSync(await read(answer)).toString()) as { status: number }).status, 422);
  });

  it('has a weak tag when it is compressed, which still spares the second transfer', async () => {
    const { server, ask, read } = await serve();
    await using _ = server;
    const plain = (await ask('/openapi.json')).resume().headers.etag!;
    const packed = await ask('/openapi.json', 'gzip');
    await read(packed);
    assert.match(plain, /^"/);
    assert.equal(packed.headers.etag, `W/${plain}`);
    assert.ok(etagMatches(packed.headers.etag, plain));
    const again = await ask('/openapi.json', 'gzip', { 'if-none-match': packed.headers.etag! });
    assert.deepEqual([again.statusCode, again.headers.etag], [304, packed.headers.etag]);
    assert.equal((await read(again)).length, 0);
  });

  it('to HEAD has the headers of the compressed answer and no body', async () => {
    const { server, ask, read } = await serve();
    await using _ = server;
    const full = await ask('/openapi.json', 'gzip');
    await read(full);
    const head = await server.app.inject({
      method: 'HEAD',
      url: '/openapi.json',
      headers: { 'accept-encoding': 'gzip' },
    });
    assert.equal(head.headers['content-encoding'], 'gzip');
    assert.equal(head.headers['content-length'], full.headers['content-length']);
    assert.equal(head.headers['vary'], full.headers.vary);
    assert.equal(head.body, '');
  });
});

describe('a compressed stream', () => {
  it('shows its first feature before the second is made', async () => {
    for (const [name, decoder] of [
      ['gzip', createGunzip],
      ['zstd', createZstdDecompress],
    ] as const) {
      const { promise: shown, resolve: seen } = Promise.withResolvers<void>();
      const { server, ask } = await serve(async function* () {
        yield { type: 'Feature', id: 1 };
        await shown;
        yield { type: 'Feature', id: 2 };
      });
      await using _ = server;
      const lines = (await ask('/made-up/features', name)).pipe(decoder());
      const [first] = (await once(lines, 'data')) as [Buffer];
      assert.equal(first.toString(), '{"type":"Feature","id":1}\n');
      seen();
      const rest = Buffer.concat(await Array.fromAsync(lines as AsyncIterable<Buffer>)).toString();
      assert.equal(rest, '{"type":"Feature","id":2}\n');
    }
  });

  it('is made no faster than the client reads', async () => {
    const CAP = 3_000;
    for (const name of ['gzip', 'zstd']) {
      let made = 0;
      const { server, ask } = await serve(async function* () {
        // Random, so that it stays as long as it is.
        for (; made < CAP; made++) {
          yield { text: randomBytes(48_000).toString('base64') };
        }
      });
      await using _ = server;
      const answer = await ask('/made-up/features', name);
      answer.pause();
      const seen = [-1];
      while (seen.at(-1) !== made) {
        seen.push(made);
        await wait(100);
      }
      assert.ok(made < CAP, `${name}: all ${CAP} features of 64 kB were made for a client that reads nothing`);
      answer.destroy();
    }
  });

  it('ends its work when the client leaves', async () => {
    for (const name of ['gzip', 'zstd']) {
      const { promise: ended, resolve: end } = Promise.withResolvers<number>();
      const { server, ask } = await serve(async function* () {
        let made = 0;
        try {
          for (;;) yield { n: made++ };
        } finally {
          end(made);
        }
      });
      await using _ = server;
      const answer = await ask('/made-up/features', name);
      await once(answer, 'readable');
      answer.destroy();
      assert.ok((await ended) > 0);
    }
  });

  it('that breaks off is no whole answer', async () => {
    const { server, ask, read } = await serve(async function* () {
      for (let n = 0; n < 3_000; n++) yield { n, text: 'x'.repeat(100) };
      throw new Error('the disk is gone');
    });
    await using _ = server;
    await assert.rejects(async () => read(await ask('/made-up/features', 'gzip')));
  });
});

describe('negotiateEncoding', () => {
  const OFFERED = ['zstd', 'gzip'];
  const cases: readonly (readonly [string | undefined, string | null])[] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['br', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['zstd;q=0.5, gzip;q=0.9', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0, gzip', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=nonsense', null],
  ];
  for (const [accept, wanted] of cases)
    it(`answers ${wanted} for ${accept ?? 'no header'}`, () =>
      assert.equal(negotiateEncoding(accept, OFFERED), wanted));

  it('answers one of the offer or null, whatever it is given', () => {
    fc.assert(fc.property(fc.string(), (accept) => [...OFFERED, null].includes(negotiateEncoding(accept, OFFERED))));
  });
});
