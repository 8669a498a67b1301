import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { anyCharacter } from '../../any-character.ts';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { verifyWebhook } from '../../../src/webhooks/verify-webhook.ts';
import { oneEngine, type TestDatabase } from '../../contracts/engines.ts';
import { accept, answers, startReceiver, type ReceivedWebhook } from './webhooks-receiver.ts';
import { completeWork, newUser, openSite, openSiteStore, settled } from './webhooks-site.ts';
import { sized } from './webhooks-suite.ts';

// The rest of A1 to A3, which needs no database, is in src/webhooks/sign.test.ts, canonical-json.test.ts and
// verify-webhook.test.ts, and in receiver-kit.test.ts for the other languages.
const DELIVERIES = sized(100, 1_000);
const VERIFY_ALL = `
import json, sys, receiver
cases = json.load(sys.stdin)
def fits(case):
    receiver.SECRETS = [case['secret']]
    return receiver.verify(case['body'].encode(), case['header']) and not receiver.verify(case['body'].encode() + b' ', case['header'])
print(sum(map(fits, cases)), 'of', len(cases))`;

for (const engine of oneEngine()) {
  describe(`A. what is sent, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let webhooks: WebhookService;
    let now = new Date('2026-11-21T10:00:00.000Z');
    before(async () => {
      database = await engine.create();
      store = await openSiteStore(database);
      webhooks = await openSite(store, database, { clock: () => now });
    });
    after(async () => {
      await webhooks?.close(1_000);
      await store?.close();
      await database?.drop();
    });

    it('A2 the bytes received are the bytes signed, whatever the data', async () => {
      await using receiver = await startReceiver();
      const userId = newUser();
      const { clientSecret } = await webhooks.register(userId, receiver.url());
      for (const text of ['plain', "Côte d'Ivoire – 森林🌳", '\u0000\u007f\u0080\u2028"\\', '</script>']) {
        const before = receiver.received.length;
        await completeWork(store, webhooks, userId, { data: { collection_name: text, [text]: [1, null, true] } });
        const request = (await receiver.until(before + 1)).at(-1) as ReceivedWebhook;
        const [, t, v1] = /^t=(\d+), v1=(.*)$/.exec(signatureOf(request)) ?? [];
        assert.equal(createHmac('sha256', clientSecret).update(`${t}.${request.body}`).digest('hex'), v1);
        assert.match(request.body, /^[\x20-\x7e]*$/);
        assert.equal((JSON.parse(request.body) as { data: { collection_name: string } }).data.collection_name, text);
      }
    });

    it(`A3 our module and the Python receiver of the examples verify each of ${DELIVERIES} deliveries`, async (t) => {
      now = new Date();
      await using receiver = await startReceiver();
      const users = Array.from({ length: 10 }, () => newUser());
      const secrets: string[] = [];
      for (const userId of users) secrets.push((await webhooks.register(userId, receiver.url(userId))).clientSecret);
      for (let i = 0; i < DELIVERIES; i++) {
        const data = {
          n: i,
          text: fc.sample(fc.string({ unit: anyCharacter, maxLength: 200 }), { numRuns: 1, seed: i })[0],
        };
        await completeWork(store, webhooks, users[i % users.length] as string, { data });
      }
      const requests = await receiver.until(DELIVERIES, 60_000);
      const cases = requests.map((request) => {
        const user = users.indexOf(String(request.headers.host).split('.')[0] as string);
        return { body: request.body, header: signatureOf(request), secret: secrets[user] as string };
      });
      for (const { body, header, secret } of cases) assert.ok(verifyWebhook(body, header, secret));
      assert.equal(new Set(cases.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size, DELIVERIES);
      if (spawnSync('python3', ['--version']).error !== undefined) return t.diagnostic('python3 is not installed here');
      const { stdout, stderr } = spawnSync('python3', ['-c', VERIFY_ALL], {
        input: JSON.stringify(cases),
        cwd: join(import.meta.dirname, '../../../examples/webhook-receivers'),
        env: { ...process.env, WEBHOOK_SECRET: 'whsec_', PYTHONDONTWRITEBYTECODE: '1' },
        encoding: 'utf8',
      });
      assert.equal(stdout.trim(), `${DELIVERIES} of ${DELIVERIES}`, stderr);
    });

    it('A4 and A5 the headers are those of the specification, once each', async () => {
      await using receiver = await startReceiver();
      const userId = newUser();
      await webhooks.register(userId, receiver.url('shop'));
      await completeWork(store, webhooks, userId);
      const [request] = await receiver.until(1);
      assert.match(signatureOf(request!), /^t=\d{10}, v1=[0-9a-f]{64}$/);
      const names = request!.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
      assert.equal(new Set(names).size, names.length, String(names));
      const { headers, body } = request!;
      const event = JSON.parse(body) as { id: string; type: string };
      assert.equal(headers.host, `shop.receivers.test:${receiver.port}`);
      assert.equal(headers['user-agent'], 'Service-Webhooks/1.0');
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['content-length'], String(body.length));
      assert.equal(headers['x-service-webhook-type'], event.type);
      assert.equal(headers['webhook-id'], event.id);
      assert.match(String(headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/);
      assert.equal(headers['accept-encoding'], 'identity');
    });

    it('A6 four attempts have one id and one created_at, and each its own time', async () => {
      await using receiver = await startReceiver(answers(500));
      const userId = newUser();
      await webhooks.register(userId, receiver.url());
      await completeWork(store, webhooks, userId);
      for (const [i, seconds] of [10, 30, 60, 0].entries()) {
        await receiver.until(i + 1);
        await settled(webhooks, userId, ['pending', 'failed']);
        await untilAttempts(userId, i + 1);
        now = new Date(now.getTime() + seconds * 1_000);
      }
      const times = receiver.received.map((request) => Number(/t=(\d+)/.exec(signatureOf(request))?.[1]));
      assert.deepEqual(
        times.map((time) => time - (times[0] as number)),
        [0, 10, 40, 100],
      );
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
      assert.equal((await settled(webhooks, userId)).delivery.state, 'failed');
    });

    it('A7 re-serialising verifies ASCII data, in JavaScript without sorting as well', async () => {
      await using receiver = await startReceiver();
      const userId = newUser();
      const { clientSecret } = await webhooks.register(userId, receiver.url());
      await completeWork(store, webhooks, userId, { data: { z: 1, a: { c: 'x', b: [] } } });
      const [request] = await receiver.until(1);
      const [, t, v1] = /^t=(\d+), v1=(.*)$/.exec(signatureOf(request!)) ?? [];
      const again = JSON.stringify(JSON.parse(request!.body));
      assert.equal(createHmac('sha256', clientSecret).update(`${t}.${again}`).digest('hex'), v1);
    });

    it('A8 data without a canonical form makes no event, and the work completes', async () => {
      await using receiver = await startReceiver(accept);
      const userId = newUser();
      await webhooks.register(userId, receiver.url());
      for (const data of [{ text: '\ud800' }, { share: 0.5 }, { none: NaN }, { big: 'x'.repeat(262_145) }])
        assert.equal(await completeWork(store, webhooks, userId, { data }), false);
      assert.deepEqual(await webhooks.list(userId, { limit: 10 }), []);
    });

    async function untilAttempts(userId: string, count: number): Promise<void> {
      for (;;) {
        const [delivery] = await webhooks.list(userId, { limit: 1 });
        if (delivery?.attempts === count) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  });
}

function signatureOf(request: ReceivedWebhook): string {
  return String(request.headers['x-service-webhook-signature']);
}
