import assert from 'node:assert/strict';
import { it } from 'node:test';
import { webhookRoutes } from '../../../src/http/routes/webhooks/webhooks.ts';
import { testServer } from '../../memory/test-server.ts';
import { startReceiver } from './webhooks-receiver.ts';
import { completeWork, settled } from './webhooks-site.ts';
import { describeOnEngines } from './webhooks-suite.ts';

describeOnEngines('I. two users', (suite) => {
  it('I2 another user’s deliveries do not exist, on any route', async () => {
    await using receiver = await startReceiver();
    await using site = await suite.open();
    await using server = testServer({ routes: [webhookRoutes(site.webhooks)] });
    const [ana, eve] = [await server.login(), await server.login()];
    const ask = async (who: typeof ana, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
      const answer = await server.app.inject({
        method,
        url,
        headers: { authorization: who.authorization },
        ...(payload && { payload }),
      });
      return { status: answer.statusCode, body: answer.json() as Record<string, unknown> };
    };
    assert.equal((await ask(ana, 'POST', '/webhooks/register', { url: receiver.url() })).status, 200);
    await completeWork(suite.store(), site.webhooks, ana.userId);
    const { delivery } = await settled(site.webhooks, ana.userId, ['delivered']);
    assert.equal((await ask(ana, 'GET', `/webhooks/deliveries/${delivery.id}`)).status, 200);
    for (const round of ['without a webhook', 'with one of her own']) {
      for (const [method, path] of [
        ['GET', `/webhooks/deliveries/${delivery.id}`],
        ['POST', `/webhooks/deliveries/${delivery.id}/redeliver`],
      ] as const)
        assert.deepEqual([round, (await ask(eve, method, path)).status], [round, 404]);
      assert.deepEqual((await ask(eve, 'GET', '/webhooks/deliveries')).body['deliveries'], []);
      const page = await ask(eve, 'GET', `/webhooks/deliveries?before=${delivery.id}`);
      assert.deepEqual([page.status, page.body['code']], [422, 'invalid_parameter']);
      assert.match(String(page.body['detail']), /whose last delivery is still there/);
      if (round === 'without a webhook') {
        for (const [method, path, payload] of [
          ['GET', '/webhooks'],
          ['DELETE', '/webhooks/remove'],
          ['POST', '/webhooks/test'],
          ['POST', '/webhooks/rotate'],
          ['POST', '/webhooks/deliveries/redeliver', { since: '2026-11-21T10:00:00Z' }],
        ] as const)
          assert.equal((await ask(eve, method, path, payload)).status, 404, path);
        assert.equal((await ask(eve, 'POST', '/webhooks/register', { url: receiver.url('eve') })).status, 200);
      } else {
        const again = await ask(eve, 'POST', '/webhooks/deliveries/redeliver', { since: '2020-01-01T00:00:00Z' });
        assert.deepEqual(again.body, { redelivered: 0, more: false });
        assert.equal((await ask(eve, 'DELETE', '/webhooks/remove')).status, 200);
      }
    }
    assert.equal((await ask(ana, 'GET', '/webhooks')).body['url'], receiver.url());
    assert.equal(receiver.received.length, 1);
  });
});
