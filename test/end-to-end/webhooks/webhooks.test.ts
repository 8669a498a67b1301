import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { randomUUID } from 'node:crypto';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { verifyWebhook } from '../../../src/webhooks/verify-webhook.ts';
import { testEngines, type TestDatabase } from '../../contracts/engines.ts';
import { answers, startReceiver } from './webhooks-receiver.ts';
import { completeWork, eventually, openSite, openSiteStore } from './webhooks-site.ts';

for (const engine of testEngines()) {
  describe(`webhooks on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let webhooks: WebhookService;
    before(async () => {
      database = await engine.create();
      store = await openSiteStore(database);
      webhooks = await openSite(store, database, { retryDelaysS: [0.05, 0.05, 0.05] });
    });
    after(async () => {
      await webhooks?.close(1_000);
      await store?.close();
      await database?.drop();
    });

    it('deliver a completed piece of work once, signed', async () => {
      await using receiver = await startReceiver();
      const userId = `user-${randomUUID()}`;
      const { clientSecret, url } = await webhooks.register(userId, receiver.url());
      assert.equal(url, receiver.url());
      assert.match(clientSecret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(await completeWork(store, webhooks, userId, { key: `${userId} 1` }), true);
      assert.equal(await completeWork(store, webhooks, userId, { key: `${userId} 1` }), false);
      const [request] = await receiver.until(1);
      const event = verifyWebhook(request!.body, request!.headers['x-service-webhook-signature'], clientSecret);
      assert.equal(event.type, 'batch_zonal_stats_complete');
      const delivery = await eventually(async () => {
        const [first] = await webhooks.list(userId, { limit: 10 });
        return first?.state === 'delivered' ? first : null;
      });
      assert.equal(delivery.eventId, event.id);
      const found = await webhooks.get(userId, delivery.id);
      assert.equal(found?.attempts.length, 1);
      assert.equal(found?.attempts[0]?.status, 200);
      assert.equal(found?.attempts[0]?.address, '127.0.0.1');
      assert.equal(found?.attempts[0]?.excerpt, 'thanks');
      assert.equal(receiver.received.length, 1);
    });

    it('try again after a failure with the same id and a new signature', async () => {
      await using receiver = await startReceiver(answers(500, 202, 301, 200));
      const userId = `user-${randomUUID()}`;
      await webhooks.register(userId, receiver.url());
      await completeWork(store, webhooks, userId);
      const requests = await receiver.until(4);
      assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
      const delivery = await eventually(async () => {
        const [first] = await webhooks.list(userId, { limit: 10 });
        return first?.state === 'delivered' ? first : null;
      });
      const found = await webhooks.get(userId, delivery.id);
      assert.deepEqual(
        found?.attempts.map(({ number, status, reason }) => ({ number, status, reason })),
        [
          { number: 1, status: 500, reason: 'status_5xx' },
          { number: 2, status: 202, reason: 'status_2xx_not_200' },
          { number: 3, status: 301, reason: 'status_redirect' },
          { number: 4, status: 200, reason: null },
        ],
      );
    });
  });
}
