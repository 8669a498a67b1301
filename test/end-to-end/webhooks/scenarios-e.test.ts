import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { createConnect } from '../../../src/webhooks/connect-checked.ts';
import { openPoster } from '../../../src/webhooks/open-poster.ts';
import { oneEngine, type TestDatabase } from '../../contracts/engines.ts';
import { signatureHeader } from '../../../src/webhooks/sign.ts';
import { answers, startReceiver, TEST_AUTHORITY, type ReceivedWebhook } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, openSite, openSiteStore, settled } from './webhooks-site.ts';
import { sized } from './webhooks-suite.ts';

/** Of each of 30 users. */
const EVENTS = sized(9, 34);
/** The whole ladder takes 100 s: only with FIRSTMILE_WEBHOOK_SCENARIOS=full. */
const IN_FULL = sized(0, 1) === 1;

for (const engine of oneEngine()) {
  describe(`E. retries by the database's clock, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    before(async () => {
      database = await engine.create();
      store = await openSiteStore(database);
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    it('E2 attempts are 10, 30 and 60 s after the end of the one before, never early, then it has failed', async () => {
      await using receiver = await startReceiver(answers(500));
      let now = new Date('2026-11-21T10:00:00.000Z');
      await using site = await open({ clock: () => now });
      const userId = newUser();
      await site.webhooks.register(userId, receiver.url());
      await completeWork(store, site.webhooks, userId);
      for (const [i, seconds] of [10, 30, 60].entries()) {
        const log = await attempts(site.webhooks, userId, i + 1);
        const next = log.at(-1)?.nextAttemptAt?.getTime();
        assert.equal(next, now.getTime() + seconds * 1_000);
        now = new Date((next as number) - 1);
        await pause(250);
        assert.equal(receiver.received.length, i + 1, 'sent too early');
        now = new Date(next as number);
      }
      const log = await attempts(site.webhooks, userId, 4);
      assert.equal(log[3]?.nextAttemptAt, null);
      assert.equal((await settled(site.webhooks, userId)).delivery.state, 'failed');
      now = new Date(now.getTime() + 3_600_000);
      await pause(250);
      assert.equal(receiver.received.length, 4);
    });

    it(`E3 an event that always fails is requested four times exactly, for each of ${30 * EVENTS} events`, async () => {
      await using receiver = await startReceiver(answers(500));
      await using site = await open({ retryDelaysS: [0.02, 0.02, 0.02] });
      const users = Array.from({ length: 30 }, () => newUser());
      for (const userId of users) await site.webhooks.register(userId, receiver.url());
      for (const userId of users)
        await Promise.all(Array.from({ length: EVENTS }, () => completeWork(store, site.webhooks, userId)));
      await eventually(async () => ((await site.webhooks.count()).pending === 0 ? true : null), 60_000);
      assert.equal(receiver.received.length, 4 * 30 * EVENTS);
      const counts = new Map<string, number>();
      for (const { headers } of receiver.received) {
        const id = String(headers['webhook-id']);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      assert.deepEqual([...new Set(counts.values())], [4]);
      for (const userId of users)
        assert.ok((await site.webhooks.list(userId, { limit: 1_000 })).every(({ state }) => state === 'failed'));
    });

    it('E4 a success ends it', async () => {
      await using receiver = await startReceiver(answers(500, 404, 200));
      await using site = await open({ retryDelaysS: [0.02, 0.02, 0.02] });
      const userId = newUser();
      await site.webhooks.register(userId, receiver.url());
      await completeWork(store, site.webhooks, userId);
      const { attempts: log } = await settled(site.webhooks, userId, ['delivered']);
      assert.deepEqual(
        log.map(({ status }) => status),
        [500, 404, 200],
      );
      await pause(200);
      assert.equal(receiver.received.length, 3);
    });

    it('E5 failures of name, connection, TLS and answer take the same ladder', async () => {
      await using wrong = await startReceiver(answers(200), 'untrusted');
      await using closing = await startReceiver((_request, response) => void response.socket?.destroy());
      await using hanging = await startReceiver(() => {});
      const failures = new Map<string, string>();
      await using site = await open({
        retryDelaysS: [0.02, 0.02, 0.02],
        // Long next to a handshake on a busy machine, which fails by itself.
        deadlineMs: 1_200,
        resolve: async (host) => {
          const code = failures.get(host);
          if (code !== undefined) throw Object.assign(new Error(code), { code });
          return ['127.0.0.1'];
        },
      });
      const cases = [
        [closing.url('missing'), 'dns_not_found'],
        [closing.url('unanswered'), 'dns_failed'],
        ['https://refused.receivers.test:1025/', 'connection_refused'],
        [wrong.url(), 'tls_untrusted'],
        [closing.url(), 'connection_closed'],
        [hanging.url(), 'answer_timeout'],
      ] as const;
      const users = cases.map(() => newUser());
      for (const [i, userId] of users.entries()) await site.webhooks.register(userId, cases[i]![0]);
      failures.set('missing.receivers.test', 'ENOTFOUND').set('unanswered.receivers.test', 'ESERVFAIL');
      for (const userId of users) await completeWork(store, site.webhooks, userId);
      for (const [i, userId] of users.entries()) {
        const { delivery, attempts: log } = await settled(site.webhooks, userId, ['failed']);
        assert.equal(delivery.attempts, 4);
        assert.deepEqual([...new Set(log.map(({ reason }) => reason))], [cases[i]![1]]);
      }
      assert.deepEqual(
        [wrong, closing, hanging].map(({ received }) => received.length),
        [0, 4, 4],
      );
    });

    it('E6 what the address policy refuses has failed at once, and says so', async () => {
      await using receiver = await startReceiver();
      let address = '127.0.0.1';
      await using site = await open({ resolve: async () => [address] });
      const userId = newUser();
      await site.webhooks.register(userId, receiver.url());
      address = '169.254.169.254';
      await completeWork(store, site.webhooks, userId);
      const { delivery, attempts: log } = await settled(site.webhooks, userId);
      assert.equal(delivery.state, 'failed');
      assert.equal(delivery.attempts, 1);
      assert.equal(log[0]?.reason, 'address_refused');
      assert.match(log[0]?.detail ?? '', / leads to an address that is never connected to\.$/);
      assert.equal(receiver.connections(), 0);
    });

    it('E7 a clock of the process that is an hour wrong changes nothing: times are the database’s', async () => {
      await using receiver = await startReceiver(answers(500, 200));
      await using site = await open({ retryDelaysS: [0.3, 30, 60] });
      const userId = newUser();
      await site.webhooks.register(userId, receiver.url());
      const real = Date.now;
      Date.now = () => real() + 3_600_000;
      try {
        await completeWork(store, site.webhooks, userId);
        await settled(site.webhooks, userId, ['delivered']);
      } finally {
        Date.now = real;
      }
      const [first, second] = receiver.received;
      const waited = (second?.at as number) - (first?.at as number);
      assert.ok(waited >= 290 && waited < 60_000, `waited ${waited} ms`);
    });

    it(
      'E2 in real time the delays are 10, 30 and 60 s, never less and at most 1 s more',
      { skip: !IN_FULL && 'takes 100 s: FIRSTMILE_WEBHOOK_SCENARIOS=full runs it' },
      async () => {
        await using receiver = await startReceiver(answers(500));
        await using site = await open({});
        const userId = newUser();
        await site.webhooks.register(userId, receiver.url());
        await completeWork(store, site.webhooks, userId);
        await receiver.until(4, 110_000);
        const waits = receiver.received.slice(1).map(({ at }, i) => at - (receiver.received[i]?.at as number));
        for (const [i, seconds] of [10, 30, 60].entries()) {
          const waited = waits[i] as number;
          assert.ok(waited >= seconds * 1_000 && waited <= (seconds + 1) * 1_000, `waited ${waits.join(', ')} ms`);
        }
      },
    );

    it('E8 a secret changed or a webhook removed between retries is what the next attempt goes by', async () => {
      await using receiver = await startReceiver(answers(500));
      await using site = await open({ retryDelaysS: [0.3, 0.3, 0.3] });
      const userId = newUser();
      const before = await site.webhooks.register(userId, receiver.url());
      await completeWork(store, site.webhooks, userId);
      await receiver.until(1);
      const { clientSecret } = await site.webhooks.rotate(userId, 0);
      await receiver.until(2);
      assert.deepEqual(signers(receiver.received[0]!, [before.clientSecret, clientSecret]), [true, false]);
      assert.deepEqual(signers(receiver.received[1]!, [before.clientSecret, clientSecret]), [false, true]);
      await site.webhooks.remove(userId);
      await pause(700);
      assert.equal(receiver.received.length, 2);
      assert.equal((await settled(site.webhooks, userId)).delivery.state, 'cancelled');
    });

    async function open(
      options: Parameters<typeof openSite>[2],
    ): Promise<AsyncDisposable & { readonly webhooks: WebhookService }> {
      const webhooks = await openSite(store, database, options);
      return { webhooks, [Symbol.asyncDispose]: () => webhooks.close(1_000) };
    }
  });
}

describe('E1', () => {
  it('every status but 200 is a failure', async () => {
    await using receiver = await startReceiver((request, response) => {
      const status = Number(request.body);
      if (status >= 200) return void response.writeHead(status, { 'content-length': '0' }).end();
      response.socket?.end(`HTTP/1.1 ${status} Information\r\n\r\n`);
    });
    const poster = openPoster({
      connect: createConnect({ allowLocal: true, resolve: async () => ['127.0.0.1'], ca: [TEST_AUTHORITY] }),
      deadlineMs: 5_000,
    });
    const signal = new AbortController().signal;
    for (let status = 100; status < 600; status++) {
      const outcome = await poster.post({ url: receiver.url(), headers: {}, body: String(status) }, signal);
      assert.equal(outcome?.reason === null, status === 200, String(status));
      // Statuses below 200 are no answers: the receiver says nothing after them and closes the connection.
      if (status >= 200) assert.equal(outcome?.status, status);
      if (status > 200 && status < 300) assert.equal(outcome?.reason, 'status_2xx_not_200');
    }
    poster.close();
  });
});

async function attempts(webhooks: WebhookService, userId: string, count: number) {
  return eventually(async () => {
    const [delivery] = await webhooks.list(userId, { limit: 1 });
    if (delivery?.attempts !== count) return null;
    return (await webhooks.get(userId, delivery.id))?.attempts ?? null;
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Which of the secrets signed the request. */
function signers({ headers, body }: ReceivedWebhook, secrets: readonly string[]): readonly boolean[] {
  const header = String(headers['x-service-webhook-signature']);
  const timestamp = Number(/t=(\d+)/.exec(header)?.[1]);
  return secrets.map((secret) => signatureHeader(body, secret, timestamp) === header);
}
