import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';

import { batchedText } from '../../locations/formats/batched-text.ts';
import type { FeatureFormat } from '../../locations/formats/feature-text.ts';
import { sendFeatures } from './send-features.ts';

interface Result {
  readonly type: 'Feature';
  readonly id: number;
  readonly geometry: null;
  readonly properties: { readonly name: string };
}

interface Query {
  format: FeatureFormat;
  count: number;
  failAt: number;
  aggregate?: string;
}

let app: FastifyInstance;
let port: number;
let made = 0;
let returned = 0;
let aborted = 0;

function result(id: number): Result {
  return { type: 'Feature', id, geometry: null, properties: { name: `Ölmühle "${id}", ${'x'.repeat(60)}` } };
}

async function* results(count: number, failAt: number): AsyncGenerator<Result, void> {
  made = 0;
  try {
    for (let id = 0; id < count; id++) {
      if (id === failAt) throw new Error('the source broke');
      made += 1;
      yield result(id);
    }
  } finally {
    returned += 1;
  }
}

before(async () => {
  app = fastify({ forceCloseConnections: true });
  app.setErrorHandler((error, _request, reply) => reply.status(503).send({ detail: (error as Error).message }));
  app.get('/results', (request, reply) => {
    const query = request.query as Record<keyof Query, string>;
    const abort = new AbortController();
    abort.signal.addEventListener('abort', () => void (aborted += 1));
    const features = results(Number(query.count), Number(query.failAt ?? -1));
    return sendFeatures(
      reply.header('x-kept', 'yes'),
      query.format as FeatureFormat,
      {
        features,
        aggregate: query.aggregate === 'none' ? null : () => ({ total: made }),
        columns: { header: ['id', 'name'], row: (feature) => [feature.id, feature.properties.name] },
      },
      { abort },
    );
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});

after(async () => app.close());

async function get(query: Partial<Query>): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/results?${new URLSearchParams(query as Record<string, string>).toString()}`);
}

test('writes a feature collection with its properties last', async () => {
  for (const count of [0, 1, 5_000]) {
    const response = await get({ format: 'geojson', count });
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('x-kept')],
      [200, 'application/geo+json', 'yes'],
    );
    const body = (await response.json()) as object;
    assert.deepEqual(Object.keys(body), ['type', 'features', 'properties']);
    assert.deepEqual(body, {
      type: 'FeatureCollection',
      features: Array.from({ length: count }, (_, i) => result(i)),
      properties: { total: count },
    });
  }
  assert.deepEqual(await (await get({ format: 'geojson', count: 0, aggregate: 'none' })).json(), {
    type: 'FeatureCollection',
    features: [],
  });
});

test('writes one feature a line and the aggregate last', async () => {
  const response = await get({ format: 'ndjson', count: 3_000 });
  assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
  const lines = (await response.text()).split('\n');
  assert.equal(lines.pop(), '');
  assert.deepEqual(JSON.parse(lines.pop() as string), { type: 'FeatureCollection', properties: { total: 3_000 } });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    Array.from({ length: 3_000 }, (_, i) => result(i)),
  );
  assert.equal(await (await get({ format: 'ndjson', count: 0, aggregate: 'none' })).text(), '');
});

test('writes rows with quotes where CSV needs them', async () => {
  const response = await get({ format: 'csv', count: 2 });
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
  const row = (i: number) => `${i},"Ölmühle ""${i}"", ${'x'.repeat(60)}"\r\n`;
  assert.equal(await response.text(), `id,name\r\n${row(0)}${row(1)}`);
});

test('answers an error when the first feature fails', async () => {
  const response = await get({ format: 'geojson', count: 10, failAt: 0 });
  assert.deepEqual([response.status, await response.json()], [503, { detail: 'the source broke' }]);
});

test('breaks the connection when a later feature fails, in every format and for clients of HTTP/1.0', async () => {
  for (const format of ['geojson', 'ndjson', 'csv']) {
    const response = await get({ format: format as FeatureFormat, count: 10_000, failAt: 5_000 });
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), TypeError);
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /results?format=${format}&count=10000&failAt=5000 HTTP/1.0\r\n\r\n`);
    socket.resume();
    const [error] = await Promise.race([
      once(socket, 'error').catch((error: unknown) => [error]),
      once(socket, 'end').then(() => ['a clean end']),
    ]);
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET');
  }
});

test('produces no faster than the client reads and stops when it leaves', async () => {
  const before = { returned, aborted };
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET /results?format=geojson&count=100000000 HTTP/1.1\r\nhost: a\r\n\r\n');
  const counts = [-1, 0];
  while (counts.at(-1) !== counts.at(-2) || counts.at(-1) === 0) {
    await sleep(100);
    counts.push(made);
  }
  assert.ok(made * 150 < 20_000_000, `${made} features made for a client that does not read`);
  socket.destroy();
  while (returned === before.returned) await sleep(5);
  assert.equal(aborted, before.aborted + 1);
});

test('sends text that has waited without more coming, and passes a failure on after it', async () => {
  const gate = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<string, void> {
    yield 'a';
    yield 'b';
    await gate.promise;
    throw new Error('broken');
  }
  const chunks = batchedText(slow());
  assert.equal(String((await chunks.next()).value), 'ab');
  gate.resolve();
  await assert.rejects(chunks.next(), /broken/);
});

test('joins small texts into chunks of about 64 KiB', async () => {
  async function* many(): AsyncGenerator<string, void> {
    for (let i = 0; i < 10_000; i++) yield 'é'.repeat(50);
  }
  const sizes = (await Array.fromAsync(batchedText(many()))).map((chunk) => chunk.length);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    1_000_000,
  );
  assert.equal(sizes.length, Math.ceil(500_000 / 65_550));
});

test('cuts a large text into chunks without breaking a character', async () => {
  const large = `a${'é🌳'.repeat(100_000)}`;
  const chunks = await Array.fromAsync(batchedText(Readable.from([large])));
  assert.equal(Buffer.concat(chunks).toString(), large);
  const longest = Math.max(...chunks.map((chunk) => chunk.length));
  assert.ok(longest < 600_000, `${longest} bytes`);
});

test('logs a failure after the first byte, and a client that left as none', async () => {
  const lines: string[] = [];
  const server = fastify({ logger: { level: 'debug', stream: { write: (line: string) => void lines.push(line) } } });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  server.get('/left', (_request, reply) => {
    const left = once(reply.raw, 'close');
    async function* features() {
      yield result(0);
      await left;
      end();
      throw new Error('nobody is there to read it');
    }
    return sendFeatures(reply, 'ndjson', { features: features(), aggregate: null, columns: null });
  });
  server.get('/broken', (_request, reply) => {
    const features = results(100_000, 50_000);
    return sendFeatures(reply, 'ndjson', { features, aggregate: null, columns: null });
  });
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  const leave = new AbortController();
  const response = await fetch(`${address}/left`, { signal: leave.signal });
  await response.body?.getReader().read();
  leave.abort();
  await ended;
  await assert.rejects(async () => (await fetch(`${address}/broken`)).text());
  await server.close();
  const failures = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
  assert.equal(failures.length, 1, failures.join('\n'));
  assert.match(failures[0] ?? '', /the source broke/);
});
