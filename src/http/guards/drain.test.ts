import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { testServer } from '../../../test/memory/test-server.ts';
import type { App } from '../server/app.ts';
import { announceShutdown, shutDown } from './drain.ts';

function gatedRoute(gate: Promise<unknown>, entered: () => void) {
  return (app: App): void => {
    app.get('/gated', { config: { access: 'public' }, schema: { hide: true } }, async () => {
      entered();
      await gate;
      return { done: true };
    });
  };
}

describe('shutDown', () => {
  it('finishes what runs, takes nothing new, and says so to those who send requests', async () => {
    const { promise, resolve } = Promise.withResolvers();
    const entered = Promise.withResolvers<void>();
    const server = testServer({ routes: [gatedRoute(promise, entered.resolve)] });
    const port = await server.listen();
    const running = fetch(`http://127.0.0.1:${port}/gated`);
    const kept = connect(port, '127.0.0.1');
    kept.setEncoding('utf8');
    let text = '';
    kept.on('data', (chunk) => (text += String(chunk)));
    // A request whose headers are half sent keeps its connection over the beginning of the shutdown.
    kept.write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
    await entered.promise;
    // The other request has come, so this one's bytes, sent before, have too, or do within moments.
    await wait(100);
    const ended = shutDown(server.app, 5_000);
    await wait(20);
    kept.write('\r\n');
    await new Promise((done) => kept.on('close', done));
    assert.match(text, /^HTTP\/1\.1 503/);
    assert.match(text, /"code":"shutting_down"/);
    assert.match(text, /connection: close/i);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
    resolve(null);
    const answer = await running;
    assert.deepEqual(await answer.json(), { done: true });
    assert.equal(answer.headers.get('connection'), 'close');
    assert.equal(await ended, true);
  });

  it('is announced while everything but /readyz is still answered, on new connections too', async () => {
    const server = testServer();
    const port = await server.listen();
    const announced = announceShutdown(server.app, 50);
    const [ready, healthy] = await Promise.all(
      ['readyz', 'healthz'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)),
    );
    assert.equal(ready.status, 503);
    assert.equal(healthy.status, 200);
    assert.equal(healthy.headers.get('connection'), 'close');
    await announced;
    assert.equal(await shutDown(server.app, 5_000), true);
  });

  it('cuts off what does not end in time', async () => {
    const entered = Promise.withResolvers<void>();
    const server = testServer({ routes: [gatedRoute(new Promise(() => {}), entered.resolve)] });
    const port = await server.listen();
    const running = fetch(`http://127.0.0.1:${port}/gated`).then(
      () => 'answered',
      () => 'cut',
    );
    await entered.promise;
    assert.equal(await shutDown(server.app, 100), false);
    assert.equal(await running, 'cut');
  });

  it('does not wait for idle, silent or event connections', async () => {
    const server = testServer();
    const port = await server.listen();
    const { authorization, userId } = await server.login();
    const { id } = await server.tasks.submit({ kind: 'k', userId, params: {}, input: null, idempotency: null });
    const agent = new Agent({ keepAlive: true });
    await new Promise((done) =>
      get({ port, host: '127.0.0.1', path: '/healthz', agent }, (answer) => answer.resume().on('end', done)),
    );
    const silent = connect(port, '127.0.0.1').on('error', () => {});
    const events = await fetch(`http://127.0.0.1:${port}/tasks/${id}/events`, { headers: { authorization } });
    await wait(50);
    assert.equal(await shutDown(server.app, 10_000), true);
    assert.match(await events.text(), /^event: progress/);
    agent.destroy();
    silent.destroy();
  });
});
