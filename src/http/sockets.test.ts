import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { testServer } from '../../test/memory/test-server.ts';
import type { App } from './server/app.ts';

const TIMEOUTS = { headersMs: 300, requestMs: 600, idleMs: 5_000, checkEveryMs: 50 };

function slowRoute(app: App): void {
  app.get('/slow', { config: { access: 'public' }, schema: { hide: true } }, async () => {
    await wait(150);
    return { slow: true };
  });
}

const open = () => testServer({ timeouts: TIMEOUTS, routes: [slowRoute] });

/** Everything the server writes until it closes the connection. */
async function exchange(port: number, ...parts: readonly (string | number)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answer = readAll(socket);
  for (const part of parts) {
    if (typeof part === 'number') await wait(part);
    else if (!socket.destroyed) socket.write(part, 'latin1');
  }
  return answer;
}

function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setTimeout(8_000, () => socket.destroy());
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

function lastAnswer(text: string) {
  const at = text.lastIndexOf('HTTP/1.1 ');
  const [head = '', body = ''] = text.slice(at).split('\r\n\r\n');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.toLowerCase().split(': ') as [string, string]),
  );
  return { status: Number(head.split(' ')[1]), headers, body };
}

const HOST = 'Host: x\r\n';

describe('a connection', () => {
  const cases: readonly (readonly [string, readonly (string | number)[], number, string])[] = [
    ['junk in place of a request', ['\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n'], 400, 'malformed_header'],
    ['a method HTTP does not have', [`BREW /pot HTTP/1.1\r\n${HOST}\r\n`], 400, 'malformed_header'],
    ['another protocol', ['SSH-2.0-OpenSSH_9.2\r\n'], 400, 'malformed_header'],
    ['a header without a colon', [`GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`], 400, 'malformed_header'],
    ['a header with a NUL', [`GET / HTTP/1.1\r\n${HOST}x: a\u0000b\r\n\r\n`], 400, 'malformed_header'],
    ['no Host', ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n'], 400, 'malformed_header'],
    ['an Expect nobody knows', [`GET / HTTP/1.1\r\n${HOST}Expect: magic\r\n\r\n`], 400, 'malformed_header'],
    ['headers of 40 KB', [`GET / HTTP/1.1\r\n${HOST}x: ${'y'.repeat(40_000)}\r\n\r\n`], 431, 'headers_too_large'],
    [
      'an address of 20 KB',
      [`GET /?${'y'.repeat(20_000)} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
      414,
      'uri_too_long',
    ],
    [
      'a Content-Length that is no number',
      [`POST /refresh_token HTTP/1.1\r\n${HOST}Content-Length: ten\r\n\r\n`],
      400,
      'malformed_header',
    ],
    [
      'a negative Content-Length',
      [`POST /refresh_token HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`],
      400,
      'malformed_header',
    ],
    [
      'two Content-Lengths',
      [`POST /refresh_token HTTP/1.1\r\n${HOST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
      400,
      'malformed_header',
    ],
    [
      'Content-Length and chunks',
      [`POST /refresh_token HTTP/1.1\r\n${HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
      400,
      'malformed_header',
    ],
    [
      'a declared length of 1 GB',
      [
        `POST /refresh_token HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 1000000000\r\nConnection: close\r\n\r\n{}`,
      ],
      413,
      'too_large',
    ],
    [
      'a chunk of no size',
      [
        `POST /refresh_token HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      ],
      400,
      'malformed_body',
    ],
    ['headers that never end', [`GET / HTTP/1.1\r\n${HOST}`], 408, 'request_timeout'],
    [
      'headers that trickle',
      [`GET / HTTP/1.1\r\n`, 100, 'a: b\r\n', 100, 'c: d\r\n', 100, 'e: f\r\n', 100, 'g: h\r\n'],
      408,
      'request_timeout',
    ],
    [
      'a body that never ends',
      [`POST /refresh_token HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`],
      408,
      'request_timeout',
    ],
    ['CONNECT', [`CONNECT example.org:443 HTTP/1.1\r\n${HOST}\r\n`], 405, 'method_not_allowed'],
  ];
  for (const [what, parts, status, code] of cases)
    it(`answers ${what} with ${status} as a problem`, async () => {
      await using server = open();
      const { status: got, headers, body } = lastAnswer(await exchange(await server.listen(), ...parts));
      assert.equal(got, status);
      assert.match(headers['content-type'] ?? '', /^application\/problem\+json/);
      const problem = JSON.parse(body) as Record<string, unknown>;
      assert.equal(problem['code'], code);
      assert.match(String(problem['detail']), /^[A-Z]\S* \S+.*\.$/, 'a sentence');
      if (status === 431) assert.match(String(problem['detail']), /headers .* \d+ bytes/);
      assert.equal(problem['request_id'], headers['x-request-id']);
      assert.equal(headers['connection'], 'close');
    });

  it('gets the answer to a good request before junk after it ends the connection', async () => {
    await using server = open();
    const text = await exchange(await server.listen(), `GET /slow HTTP/1.1\r\n${HOST}\r\n\u0000\u0001junk\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 200 OK/);
    assert.match(text, /\{"slow":true\}$/);
    assert.equal(text.split('HTTP/1.1').length, 2, 'one answer, whole, and nothing written into it');
  });

  it('serves requests sent one after the other in their order', async () => {
    await using server = open();
    const text = await exchange(
      await server.listen(),
      `GET /slow HTTP/1.1\r\n${HOST}\r\nGET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    );
    assert.deepEqual([...text.matchAll(/\{"\w+":/g)].map(String), ['{"slow":', '{"status":']);
  });

  it('may use HTTP/1.0 without a Host', async () => {
    await using server = open();
    assert.match(
      await exchange(await server.listen(), 'GET /healthz HTTP/1.0\r\n\r\n'),
      /^HTTP\/1\.1 200 OK[\s\S]*\{"status":"ok"\}$/,
    );
  });

  it('that is cut off while it sends is noted and harms nothing', async () => {
    await using server = open();
    const port = await server.listen();
    for (let i = 0; i < 20; i++) {
      const socket = connect(port, '127.0.0.1');
      socket.write(
        `POST /refresh_token HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
      await wait(5);
      socket.resetAndDestroy();
    }
    while (!server.lines.some(({ status }) => status === 499)) await wait(10);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
    assert.deepEqual(
      server.lines.filter(({ level }) => (level as number) >= 50),
      [],
    );
  });

  it('that leaves during an answer is noted as 499', async () => {
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const held = (app: App): void => {
      app.get('/held', { config: { access: 'public' }, schema: { hide: true } }, async () => {
        begun.resolve();
        await left.promise;
        return {};
      });
    };
    await using server = testServer({ timeouts: TIMEOUTS, routes: [held] });
    const socket = connect(await server.listen(), '127.0.0.1');
    socket.write(`GET /held HTTP/1.1\r\n${HOST}\r\n`);
    await begun.promise;
    socket.destroy();
    const line = () => server.lines.find(({ route }) => route === '/held');
    while (line() === undefined) await wait(10);
    left.resolve();
    assert.equal(line()?.['status'], 499);
  });

  it('with 300 pieces of random junk never makes an error of ours', async () => {
    await using server = open();
    const port = await server.listen();
    const letters = [
      'GET ',
      'POST ',
      '/',
      '/tasks',
      ' HTTP/1.1',
      '\r\n',
      '\n',
      HOST,
      'Content-Length: ',
      '5',
      ': ',
      'chunked',
      'Transfer-Encoding: ',
      '\u0000',
      '\u00ff',
      'x',
      ' ',
      '%',
      '?',
      '{',
      '0',
    ];
    let seed = 42;
    const next = (n: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % n;
    const answers = await Promise.all(
      Array.from({ length: 300 }, () =>
        exchange(
          port,
          Array.from({ length: 4 + next(24) }, () => letters[next(letters.length)]!).join('') + '\r\n\r\n',
        ),
      ),
    );
    for (const answer of answers) assert.doesNotMatch(answer, /HTTP\/1\.1 5/);
    assert.equal((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
  });
});
