import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../test/property-runs.ts';
import { type Client, type ClientOptions, createClient, FirstmileError, TaskFailed } from './client.ts';
import { retryAfterS } from './retries.ts';

const POINT = { type: 'Feature', geometry: { type: 'Point', coordinates: [102.6, 4.6] }, properties: {} } as const;

interface Came {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Answer = (response: ServerResponse, came: Came) => void;

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that answers one request after the other as it is told, the last way for ever, and a client of it that never really waits. */
async function misbehaving(answers: readonly Answer[], options: ClientOptions = {}) {
  const came: Came[] = [];
  const waits: number[] = [];
  const server = createServer((request, response) => {
    void buffer(request)
      .catch(() => Buffer.alloc(0))
      .then((body) => {
        const { method = '', url = '', headers } = request;
        came.push({ method, url, headers, body: body.toString() });
        answers[Math.min(came.length, answers.length) - 1]!(response, came.at(-1)!);
      });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((done) => server.once('listening', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wait = async (ms: number) => void waits.push(ms);
  return { client: createClient({ url, token: 'secret', wait, ...options }), came, waits };
}

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const problem = (code: string, status: number, headers: Record<string, string> = {}): Answer =>
  json({ type: `/problems/${code}`, title: code, status, detail: `${code}.`, code, request_id: 'r1' }, status, {
    'content-type': 'application/problem+json',
    ...headers,
  });

/** Begins an answer with some text, and then loses the connection. */
const cut =
  (text: string, type = 'application/x-ndjson'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.write(text, () => response.destroy());
  };

const text =
  (body: string, type = 'application/x-ndjson', status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const result = (id: number): string => `${JSON.stringify({ ...POINT, id })}\n`;
const END = `${JSON.stringify({ type: 'FeatureCollection', properties: { total: 3 } })}\n`;
const HTML = text('<html><title>502 Bad Gateway</title><body>nginx</body></html>', 'text/html', 502);

const rejection = async (promise: Promise<unknown>): Promise<FirstmileError> => {
  const error = await promise.then(
    () => assert.fail('it was to fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FirstmileError, String(error));
  return error;
};

describe('a request that is refused for now', () => {
  it('is sent again after the seconds of Retry-After, with the same idempotency key', async () => {
    const { client, came, waits } = await misbehaving([
      problem('rate_limited', 429, { 'retry-after': '7' }),
      problem('queue_full', 503, { 'retry-after': '2' }),
      json({ collection_id: 'c' }, 201),
    ]);
    await client.POST('/stage_plots', { form: { file: new Blob(['x']), collection_name: 'lot' } });
    assert.deepEqual(waits, [7_000, 2_000]);
    const keys = came.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(keys[0]), /^"[0-9a-f]{32}"$/);
    assert.deepEqual(new Set(keys).size, 1);
    assert.ok(came.every(({ body }) => body.includes('name="collection_name"')));
  });

  it('is sent again at the date of Retry-After, by the clock of the service', async () => {
    const date = 'Mon, 23 Nov 2026 10:00:00 GMT';
    const headers = { date, 'retry-after': 'Mon, 23 Nov 2026 10:00:09 GMT' };
    const { client, waits } = await misbehaving([problem('rate_limited', 429, headers), json({})]);
    await client.GET('/limits');
    assert.deepEqual(waits, [9_000]);
  });

  it('says what its words are in, of those that were wanted', async () => {
    const { client, came } = await misbehaving([problem('conflict', 409, { 'content-language': 'de, en' })]);
    const error = await rejection(client.GET('/limits', { headers: { 'accept-language': 'de' } }));
    assert.equal(error.language, 'de, en');
    assert.equal(came[0]?.headers['accept-language'], 'de');
  });

  it('is not waited for longer than is bearable', async () => {
    const { client, waits } = await misbehaving([problem('rate_limited', 429, { 'retry-after': '3600' })]);
    const error = await rejection(client.GET('/limits'));
    assert.deepEqual([error.name, error.code, error.retryAfterS], ['TooManyRequests', 'rate_limited', 3_600]);
    assert.deepEqual(waits, []);
  });

  it('is given up after the attempts, which are further and further apart', async () => {
    const { client, came, waits } = await misbehaving([HTML]);
    const error = await rejection(client.GET('/limits'));
    assert.deepEqual([error.name, error.code, error.status], ['Unavailable', 'unexpected_answer', 502]);
    assert.match(error.message, /502 with text\/html: 502 Bad Gateway nginx/);
    assert.equal(came.length, 5);
    assert.ok(
      waits.every((ms, i) => ms >= 250 * 2 ** i && ms <= 500 * 2 ** i),
      String(waits),
    );
  });

  it('is not sent again where it might be done twice', async () => {
    const { client, came } = await misbehaving([problem('dependency_unavailable', 503)]);
    const error = await rejection(client.POST('/tokens', { body: { label: 'x', scopes: ['validate'] } }));
    assert.deepEqual([error.name, came.length], ['Unavailable', 1]);
    assert.equal(came[0]!.headers['idempotency-key'], undefined);
  });

  it('keeps the key that it was given', async () => {
    const { client, came } = await misbehaving([json({})]);
    await client.POST('/upload_plots', { body: { filename: 'c' }, idempotencyKey: 'lot 7, "mine"' });
    assert.equal(came[0]!.headers['idempotency-key'], String.raw`"lot 7, \"mine\""`);
  });
});

describe('a refusal', () => {
  const KINDS = {
    invalid_token: [401, 'Unauthenticated'],
    forbidden: [403, 'Forbidden'],
    collection_not_found: [404, 'NotFound'],
    collection_busy: [409, 'Conflict'],
    too_large: [413, 'InvalidRequest'],
    invalid_parameter: [422, 'InvalidRequest'],
    internal: [500, 'FirstmileError'],
  } as const;
  for (const [code, [status, name]] of Object.entries(KINDS))
    it(`${code} is thrown at once, as ${name}`, async () => {
      const { client, came } = await misbehaving([problem(code, status)]);
      const error = await rejection(client.GET('/principal'));
      assert.deepEqual(
        [error.name, error.code, error.status, error.message, error.requestId],
        [name, code, status, `${code}.`, 'r1'],
      );
      assert.equal(came.length, 1);
      assert.equal(came[0]!.headers.authorization, 'Bearer secret');
    });

  it('of an upload with progress arrives as well', async () => {
    const { client } = await misbehaving([problem('invalid_token', 401)]);
    const sent: number[] = [];
    const file = new Blob(['x'.repeat(300_000)]);
    const onSent = (bytes: number): void => void sent.push(bytes);
    const error = await rejection(client.collections.run(file, { collection_name: 'lot', onSent }));
    assert.equal(error.name, 'Unauthenticated');
    assert.ok(sent.at(-1)! > 300_000 && sent.every((bytes, i) => i === 0 || bytes > sent[i - 1]!));
  });
});

describe('what is not an answer of the service', () => {
  it('is said to be none: a page, JSON that is cut, nobody at all', async () => {
    const page = await misbehaving([text('<html>sign in</html>', 'text/html')]);
    assert.equal((await rejection(page.client.GET('/limits'))).name, 'UnexpectedAnswer');
    const half = await misbehaving([text('{"limits": [', 'application/json')]);
    assert.equal((await rejection(half.client.GET('/limits'))).code, 'cut_off');
    assert.equal(half.came.length, 5);
    const nobody = createClient({ url: 'http://127.0.0.1:9', token: null, wait: async () => {} });
    assert.equal((await rejection(nobody.GET('/limits'))).code, 'unreachable');
  });

  it('is given up where it is silent, before and within an answer', async () => {
    const before = await misbehaving([() => {}], { silenceS: 0.05, retries: { attempts: 1 } });
    const error = await rejection(before.client.GET('/limits'));
    assert.deepEqual([error.code, before.waits.length], ['unreachable', 1]);
    assert.match(error.message, /No answer came within 0\.05 s/);
    const begun: Answer = (response) => void response.writeHead(200).write('{');
    const within = await misbehaving([begun], { silenceS: 1, retries: { attempts: 0 } });
    assert.match((await rejection(within.client.GET('/limits'))).message, /nothing came for 1 s/);
  });

  it('ends with the reason of the signal, while it waits and while it reads', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const waiting = await misbehaving([problem('queue_full', 503)], {
      wait: async (_ms, signal) => {
        abort.abort(reason);
        signal?.throwIfAborted();
      },
    });
    await assert.rejects(waiting.client.GET('/limits', { signal: abort.signal }), reason);
    const reading = new AbortController();
    const { client } = await misbehaving([(response) => void response.writeHead(200).write(result(1))]);
    await assert.rejects(async () => {
      for await (const _ of client.facilities.validate([POINT], { signal: reading.signal })) reading.abort(reason);
    }, reason);
  });
});

describe('results that come as a stream', () => {
  const idsOf = async (client: Client, source: Parameters<Client['facilities']['validate']>[0] = [POINT]) => {
    const run = client.facilities.validate(source, { atATime: 2 });
    const ids = await Array.fromAsync(run, ({ id }) => id);
    return { ids, aggregate: run.aggregate as unknown };
  };

  it('go on where they were cut: within a line, between two, before the last', async () => {
    const { client, came, waits } = await misbehaving([
      cut(result(1) + result(2).slice(0, 9)),
      cut(result(1) + result(2)),
      text(result(1) + result(2) + result(3)),
      text(result(1) + result(2) + result(3) + END),
    ]);
    assert.deepEqual(await idsOf(client), { ids: [1, 2, 3], aggregate: { total: 3 } });
    assert.equal(came.length, 4);
    assert.equal(waits.length, 3);
  });

  it('fail when they are cut again and again at the same place', async () => {
    const { client, came } = await misbehaving([cut(result(1))]);
    const error = await rejection(idsOf(client));
    assert.deepEqual([error.name, error.code, came.length], ['Unreachable', 'cut_off', 5]);
  });

  it('fail when there are fewer the next time', async () => {
    const { client } = await misbehaving([cut(result(1) + result(2)), text(result(1) + END)]);
    assert.match((await rejection(idsOf(client))).message, /fewer items/);
  });

  it('come before the rest of the features is there', async () => {
    const { client, came } = await misbehaving([text(result(1) + result(2) + END), text(result(3) + END)]);
    const seen: string[] = [];
    async function* features() {
      for (const id of [1, 2, 3]) {
        seen.push(`sent ${id}`);
        yield { ...POINT, id };
      }
    }
    const run = client.facilities.validate(features(), { atATime: 2, commodity_type: 'palm' });
    for await (const { id } of run) seen.push(`got ${id}`);
    assert.deepEqual(seen, ['sent 1', 'sent 2', 'got 1', 'got 2', 'sent 3', 'got 3']);
    assert.equal(run.aggregate, null);
    assert.ok(came.every(({ body }) => /name="commodity_type"\r\n\r\npalm/.test(body)));
  });

  it('are fetched page by page, each from where it was cut', async () => {
    const page =
      (body: string, next: string | null): Answer =>
      (response) => {
        const link: Record<string, string> = next === null ? {} : { link: `</fetch_plots?after=${next}>; rel="next"` };
        response.writeHead(200, { 'content-type': 'application/x-ndjson', ...link }).end(body);
      };
    const { client, came } = await misbehaving([
      page(result(1) + result(2), '0.1'),
      cut(result(3)),
      page(result(3) + result(4), null),
    ]);
    const found = client.collections.features('c', 'plots', { where: { country: 'GH' } });
    assert.deepEqual(await Array.fromAsync(found, ({ id }) => id), [1, 2, 3, 4]);
    assert.deepEqual(
      came.map(({ url }) => url),
      [
        '/fetch_plots?country=GH&filename=c&limit=1000',
        '/fetch_plots?country=GH&filename=c&limit=1000&after=0.1',
        '/fetch_plots?country=GH&filename=c&limit=1000&after=0.1',
      ],
    );
  });
});

describe('nonsense', () => {
  it('is refused whatever it is', async () => {
    let body = '';
    const { client } = await misbehaving([(response, came) => text(body)(response, came)], {
      retries: { attempts: 0 },
    });
    const lines = fc.oneof(fc.string(), fc.json(), fc.constantFrom('5\n', 'null\n', '{"type":1}\n', '{'.repeat(9_999)));
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        body = given;
        await rejection(Array.fromAsync(client.facilities.validate([POINT])));
      }),
      { numRuns: runs(200) },
    );
  });

  it('is no time to wait', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), fc.string(), (after, date) => {
        const headers = { get: (name: string) => (name === 'date' ? date : after) };
        const wait = retryAfterS(headers, 0);
        assert.ok(wait === null || wait >= 0);
      }),
    );
  });
});

describe('a batch that is followed', () => {
  const state = (done: number, status = 'processing', error: unknown = null) => ({
    task_id: 't',
    status,
    progress: { done, total: 4 },
    error,
  });
  const polled = (done: number, status?: string, error?: unknown): Answer =>
    json({ collection_id: 'c', task: state(done, status, error) });
  const event = (done: number, status = 'processing'): string =>
    `event: progress\ndata: ${JSON.stringify(state(done, status))}\nid: n${done}\n\n`;
  const accepted = json({ collection_id: 'c', task_id: 't' }, 202);

  it('goes on after the last event when the connection is cut, and shows each state once', async () => {
    const { client, came } = await misbehaving([
      accepted,
      polled(0),
      cut(event(0) + event(1) + event(2).slice(0, 20), 'text/event-stream'),
      polled(1),
      text(`: still processing\n\n${event(2)}${event(4, 'completed')}`, 'text/event-stream'),
      json({ collection_id: 'c', status: 'completed' }),
    ]);
    const seen: number[] = [];
    const collection = await client.collections.run([POINT], {
      collection_name: 'lot',
      onTask: ({ progress }) => seen.push(progress.done),
    });
    assert.equal(collection.status, 'completed');
    assert.deepEqual(seen, [0, 1, 2, 4]);
    assert.deepEqual(
      came.map(({ headers }) => headers['last-event-id'] ?? null),
      [null, null, null, null, 'n1', null],
    );
  });

  it('is polled where events never arrive', async () => {
    let streams = 0;
    const { client } = await misbehaving(
      [
        (response, came) => {
          if (came.url.startsWith('/collections/')) return json({ collection_id: 'c' })(response, came);
          if (came.headers.accept !== 'text/event-stream')
            return polled(streams, streams < 2 ? 'processing' : 'completed')(response, came);
          streams++;
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':');
        },
      ],
      { silenceS: 0.1 },
    );
    const states = await Array.fromAsync(client.collections.follow('c'), ({ progress }) => progress.done);
    assert.ok(states[0] === 0 && states.at(-1)! >= 2, String(states));
  });

  it('throws why it failed, also when its task is not kept any more', async () => {
    const error = { code: 'malformed_file', detail: 'The file ends early.' };
    const { client } = await misbehaving([
      json({ collection_id: 'c', task: null }),
      json({ collection_id: 'c', status: 'failed', error }),
    ]);
    assert.ok((await rejection(client.collections.resume('c'))) instanceof TaskFailed);
  });

  it('throws why it failed', async () => {
    const { client } = await misbehaving([
      accepted,
      polled(2, 'failed', { code: 'malformed_file', detail: 'The file ends early.' }),
    ]);
    const error = await rejection(client.collections.run('staged', { collection_name: 'lot' }));
    assert.ok(error instanceof TaskFailed);
    assert.match(error.message, /The file ends early/);
  });
});
