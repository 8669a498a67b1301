import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { readConfig } from '../../config/settings.ts';
import { canonicalJson } from '../../webhooks/canonical-json.ts';
import { signatureHeader } from '../../webhooks/sign.ts';
import { UsageError } from '../command.ts';
import { webhookListen } from './listen.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const body = (id = 'evt_1', data: object = { message: 'Côte' }): string =>
  canonicalJson({ id, type: 'test_event', created_at: '2026-11-21T10:00:00.000Z', data });

interface Running {
  readonly url: string;
  readonly printed: () => string;
  readonly said: () => string;
  post(text: string, header?: string, patienceMs?: number): Promise<Response>;
  stop(): Promise<number>;
}

async function listen(options: Readonly<Record<string, string>>): Promise<Running> {
  const stop = new AbortController();
  const [out, err] = [new PassThrough(), new PassThrough()];
  const text = { out: '', err: '' };
  out.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  err.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const config = readConfig({ PUBLIC_URL: 'https://firstmile.example.org' });
  const actOf = (): never => {
    throw new Error('listening changes nothing');
  };
  const context = { args: [], options: { port: '0', ...options }, config, out, err, signal: stop.signal, actOf };
  const ended = webhookListen.run(context);
  ended.catch(() => {});
  while (!text.err.includes('Listening')) {
    await Promise.race([ended, new Promise((done) => setTimeout(done, 5))]);
  }
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(text.err)![0];
  return {
    url,
    printed: () => text.out,
    said: () => text.err,
    post: (payload, header, patienceMs = 60_000) =>
      fetch(url, {
        method: 'POST',
        redirect: 'manual',
        body: payload,
        headers: header === undefined ? {} : { 'x-service-webhook-signature': header },
        signal: AbortSignal.timeout(patienceMs),
      }),
    async stop() {
      stop.abort();
      return ended;
    },
  };
}
const sign = (text: string): string => signatureHeader(text, SECRET, Math.floor(Date.now() / 1000));

describe('firstmile webhook listen', () => {
  it('verifies and prints a webhook, and counts the attempts of an event', async () => {
    const running = await listen({ secret: SECRET });
    assert.equal((await running.post(body(), sign(body()))).status, 200);
    assert.equal((await running.post(body(), sign(body()))).status, 200);
    assert.equal(await running.stop(), 0);
    assert.match(running.printed(), /^\d\d:\d\d:\d\d {2}test_event {2}evt_1 {2}attempt 1\n +verified {2}-> {2}200\n/);
    assert.match(running.printed(), /attempt 2, \d+\.\d s after the one before/);
    assert.match(running.printed(), / {12}"message": "Côte"/);
  });

  it('answers 401 where the signature does not fit and names the mistake', async () => {
    const running = await listen({ secret: SECRET.slice(6) });
    assert.equal((await running.post(body(), sign(body()))).status, 401);
    assert.equal((await running.post(body())).status, 401);
    await running.stop();
    assert.match(running.printed(), /NOT VERIFIED.*\n +secret_prefix_missing: whsec_ was cut off the secret\./);
    assert.match(running.printed(), /header_missing: There is no X-Service-Webhook-Signature header/);
    assert.doesNotMatch(running.printed(), /AAECAwQF/);
  });

  it('says how to register while it knows no secret', async () => {
    const running = await listen({});
    assert.equal((await running.post(body(), sign(body()))).status, 200);
    await running.stop();
    assert.match(running.said(), /WEBHOOK_ALLOW_LOCAL=on/);
    assert.ok(running.said().includes(`-d '{"url":"${running.url}"}' https://firstmile.example.org/webhooks/register`));
    assert.match(running.printed(), /not verified: no secret is known/);
  });

  it('misbehaves as requested', async () => {
    const isAnswering = (respond: string): boolean => respond !== 'hang' && respond !== 'slow';
    const answers = async (respond: string, times = 1): Promise<(number | string)[]> => {
      const running = await listen({ secret: SECRET, respond });
      const given = [];
      for (let i = 0; i < times; i++) {
        const answer = running.post(body(), sign(body()), isAnswering(respond) ? 60_000 : 700).then(
          (response) => response.status,
          (error: Error) => (error.name === 'TimeoutError' ? 'none' : 'broken'),
        );
        given.push(await answer);
      }
      await running.stop();
      return given;
    };
    assert.deepEqual(await answers('503'), [503]);
    assert.deepEqual(await answers('204'), [204]);
    assert.deepEqual(await answers('redirect'), [307]);
    assert.deepEqual(await answers('close'), ['broken']);
    assert.deepEqual(await answers('hang'), ['none']);
    assert.deepEqual(await answers('slow'), ['none']);
    assert.deepEqual(await answers('slow=0'), [200]);
    assert.deepEqual(await answers('fail-first=2', 4), [500, 500, 200, 200]);
  });

  it('refuses a way to answer that it does not know', async () => {
    for (const respond of ['nonsense', '600', '99', 'fail-first', 'fail-first=x', 'hang=3', 'slow=99999', '']) {
      await assert.rejects(listen({ respond }), UsageError, respond);
    }
    await assert.rejects(listen({ port: '70000' }), /--port: wanted a port/);
  });

  it('prints nothing that could rewrite the terminal, and bears what is no webhook', async () => {
    const running = await listen({ secret: SECRET });
    await running.post('\u001b[2Jnot json');
    await running.post(JSON.stringify({ id: 'a\u009b2J', type: '\u001b]0;x\u0007' }));
    await running.post('null');
    await assert.rejects(running.post('x'.repeat(1_100_000)));
    assert.equal((await fetch(running.url)).status, 405);
    await running.stop();
    assert.doesNotMatch(running.printed().replaceAll('\n', ''), /\p{Cc}/u);
    assert.match(running.printed(), /\(not JSON\)/);
  });

  it('fails with the reason when the service cannot be reached', async () => {
    const failing = listen({ token: 'fm_x', service: 'http://127.0.0.1:1' });
    const running = await failing.catch(() => null);
    if (running !== null) await assert.rejects(running.stop(), /no service answers at http:\/\/127\.0\.0\.1:1/);
  });
});
