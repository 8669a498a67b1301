import assert from 'node:assert/strict';
import { it } from 'node:test';
import { webhookRoutes } from '../../../src/http/routes/webhooks/webhooks.ts';
import { createAuditLog } from '../../../src/db/audit-log.ts';
import { testServer } from '../../memory/test-server.ts';
import { startReceiver } from './webhooks-receiver.ts';
import { describeOnEngines } from './webhooks-suite.ts';

const ALWAYS = ['batch_zonal_stats_complete', 'test_event'];

describeOnEngines('the audit log of webhooks', (suite) => {
  it('records registration, change, rotation and removal, without secrets and paths', async () => {
    await using receiver = await startReceiver();
    await using site = await suite.open();
    const audit = createAuditLog(suite.store().db, 30);
    await using server = testServer({ audit, routes: [webhookRoutes(site.webhooks)] });
    const [ana, admin] = [await server.login(['webhooks']), await server.login(['admin'])];
    const ask = async (who: typeof ana, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
      const answer = await server.app.inject({
        method,
        url,
        headers: { authorization: who.authorization },
        remoteAddress: '203.0.113.7',
        ...(payload && { payload }),
      });
      return { status: answer.statusCode, text: answer.body };
    };
    const [first, second] = [receiver.url('first'), receiver.url('second')].map((url) => `${url}/unguessable`);
    const secrets: string[] = [];
    for (const [method, path, body, status] of [
      ['PATCH', '/webhooks', { url: first }, 404],
      ['POST', '/webhooks/rotate', undefined, 404],
      ['DELETE', '/webhooks/remove', undefined, 404],
      ['POST', '/webhooks/register', { url: 'http://10.0.0.1/unguessable' }, 422],
      ['POST', '/webhooks/register', { url: first }, 200],
      ['POST', '/webhooks/register', { url: second }, 409],
      ['PATCH', '/webhooks', { url: second, events: ['batch_failed'] }, 200],
      ['POST', '/webhooks/rotate', undefined, 200],
      ['DELETE', '/webhooks/remove', undefined, 200],
    ] as const) {
      const answer = await ask(ana, method, path, body);
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
      const { client_secret: secret } = JSON.parse(answer.text) as { client_secret?: string };
      if (secret !== undefined) secrets.push(secret);
    }

    assert.equal((await ask(ana, 'GET', '/audit')).status, 403);
    const { text } = await ask(admin, 'GET', '/audit');
    const { acts } = JSON.parse(text) as { acts: Record<string, unknown>[] };
    const detailOf = (url: string | undefined, events: string[]) => ({ host: new URL(url!).host, events });
    assert.deepEqual(
      acts.map(({ act, detail }) => [act, detail]),
      [
        ['webhook_removed', {}],
        ['webhook_secret_rotated', {}],
        ['webhook_changed', detailOf(second, [...ALWAYS, 'batch_failed'])],
        ['webhook_registered', detailOf(first, ALWAYS)],
      ],
      'what was refused is no act',
    );
    for (const { actor, target, source, credential } of acts) {
      assert.deepEqual([actor, target, source], [ana.userId, ana.userId, '203.0.113.7']);
      assert.match(String(credential), /^token:/);
    }
    assert.equal(secrets.length, 2);
    for (const hidden of [...secrets, ana.token, 'unguessable']) assert.ok(!text.includes(hidden));
  });
});
