import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import { webhookNotices } from '../../../src/service/email/notices.ts';
import { createEmailBox } from '../../../src/db/email/create-email-box.ts';
import { openWebhookStore } from '../../../src/db/webhooks/open-webhook-store.ts';
import {
  PAUSE_AFTER_FAILURES,
  PROBE_EVERY_S,
  type OnNotice,
  type WebhookNotice,
} from '../../../src/db/webhooks/webhook-parts.ts';
import type { Delivery } from '../../../src/webhooks/delivery.ts';
import { accept, answers, startReceiver, type Receiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser } from './webhooks-site.ts';
import { describeOnEngines, pause, type WebhookSuite } from './webhooks-suite.ts';

describeOnEngines('a webhook whose receiver fails', (suite) => {
  it(`is paused after ${PAUSE_AFTER_FAILURES} events in a row, tried every ${PROBE_EVERY_S} s, and resumed by a 200`, async () => {
    await using receiver = await startReceiver(answers(500));
    await using scene = await openScene(suite, receiver);
    const { webhooks, userId, notices } = scene;
    await failing(scene, PAUSE_AFTER_FAILURES);
    const paused = await webhooks.find(userId);
    assert.equal(paused.failures, PAUSE_AFTER_FAILURES);
    const pausedAt = paused.pausedAt?.getTime() ?? NaN;
    assert.ok(pausedAt <= scene.now().getTime());
    assert.equal(paused.probeAt?.getTime(), pausedAt + PROBE_EVERY_S * 1_000);
    assert.deepEqual(notices.at(-1), { kind: 'webhook_paused', userId, url: receiver.url(), failures: 10 });
    assert.equal(notices.filter(({ kind }) => kind === 'delivery_failed').length, PAUSE_AFTER_FAILURES);

    for (let i = 0; i < 3; i++) await complete(scene);
    await scene.probe(PROBE_EVERY_S - 5);
    await pause(250);
    assert.equal(receiver.received.length, PAUSE_AFTER_FAILURES, 'sent during the pause');
    const waiting = await webhooks.list(userId, { limit: 3 });
    assert.ok(waiting.every(({ state, nextAttemptAt }) => state === 'pending' && nextAttemptAt === null));

    // A trial that fails is one event, the oldest.
    await scene.probe(5);
    await receiver.until(PAUSE_AFTER_FAILURES + 1);
    await states(webhooks, userId, 3, ['pending', 'pending', 'failed']);
    assert.equal((await webhooks.find(userId)).failures, PAUSE_AFTER_FAILURES + 1);
    assert.equal(notices.filter(({ kind }) => kind === 'webhook_paused').length, 1);

    receiver.behave(accept);
    await scene.probe(PROBE_EVERY_S);
    await states(webhooks, userId, 3, ['delivered', 'delivered', 'failed']);
    const resumed = await webhooks.find(userId);
    assert.deepEqual([resumed.failures, resumed.pausedAt, resumed.probeAt], [0, null, null]);
    assert.equal(receiver.received.length, PAUSE_AFTER_FAILURES + 3);
  });

  it('is resumed by a test event that succeeds, and by a redelivery', async () => {
    for (const way of ['test', 'redeliver'] as const) {
      await using receiver = await startReceiver(answers(500));
      await using scene = await openScene(suite, receiver);
      const { webhooks, userId } = scene;
      await failing(scene, PAUSE_AFTER_FAILURES);
      await complete(scene);
      receiver.behave(accept);
      const [newest, failed] = (await webhooks.list(userId, { limit: 2 })) as [Delivery, Delivery];
      if (way === 'test') assert.equal((await webhooks.test(userId)).outcome?.status, 200);
      else await webhooks.redeliver(userId, failed.id);
      await eventually(async () =>
        (await webhooks.get(userId, newest.id))?.delivery.state === 'delivered' ? true : null,
      );
      assert.equal((await webhooks.find(userId)).pausedAt, null);
    }
  });

  it('is not paused when a success comes between, and tests that fail count for nothing', async () => {
    await using receiver = await startReceiver(answers(500));
    await using scene = await openScene(suite, receiver);
    const { webhooks, userId, notices } = scene;
    await failing(scene, PAUSE_AFTER_FAILURES - 1);
    for (let i = 0; i < 3; i++) assert.equal((await webhooks.test(userId)).outcome?.status, 500);
    assert.equal((await webhooks.find(userId)).failures, PAUSE_AFTER_FAILURES - 1);
    receiver.behave(accept);
    await complete(scene);
    await states(webhooks, userId, 1, ['delivered']);
    assert.equal((await webhooks.find(userId)).failures, 0);
    receiver.behave(answers(500));
    await failing(scene, PAUSE_AFTER_FAILURES - 1);
    assert.equal((await webhooks.find(userId)).pausedAt, null);
    assert.ok(notices.every(({ kind }) => kind === 'delivery_failed'));
    assert.equal(notices.length, 2 * (PAUSE_AFTER_FAILURES - 1));
  });

  it('holds events back as long as the log is kept, and gives them up then', async () => {
    await using receiver = await startReceiver(answers(500));
    await using scene = await openScene(suite, receiver);
    const { webhooks, userId } = scene;
    await failing(scene, PAUSE_AFTER_FAILURES);
    await complete(scene);
    scene.advance(86_400);
    await complete(scene);
    await scene.deleteExpired(29 * 86_400 + 1);
    await states(webhooks, userId, 2, ['pending', 'cancelled']);
    assert.equal(receiver.received.length, PAUSE_AFTER_FAILURES);
  });

  it('leaves nothing behind when it is removed during the pause', async () => {
    await using receiver = await startReceiver(answers(500));
    await using scene = await openScene(suite, receiver);
    const { webhooks, userId } = scene;
    await failing(scene, PAUSE_AFTER_FAILURES);
    await complete(scene);
    await webhooks.remove(userId);
    await states(webhooks, userId, 1, ['cancelled']);
    receiver.behave(accept);
    await webhooks.register(userId, receiver.url());
    await complete(scene);
    await states(webhooks, userId, 2, ['delivered', 'cancelled']);
    assert.equal(receiver.received.length, PAUSE_AFTER_FAILURES + 1);
  });

  it('brings its user an email of the failure and one of the pause, written with the outcome', async () => {
    await using receiver = await startReceiver(answers(500));
    const user = await suite.store().credentials.addUser(`${newUser()}@example.org`, null);
    const write = webhookNotices('https://firstmile.example.org');
    let refusals = 0;
    await using scene = await openScene(suite, receiver, user.id, async (trx, notice) => {
      await write(trx, notice);
      // The outcome is written again, and the email with it: once.
      if (refusals++ < 2) throw new Error('the outbox is broken for a moment');
    });
    await failing(scene, PAUSE_AFTER_FAILURES);
    const emails = (await createEmailBox(suite.store().db).listEmails({ limit: 100 })).filter(
      ({ to }) => to === user.email,
    );
    const kinds = emails.map(({ kind }) => kind);
    // One an hour of each kind; the run may cross the hour.
    assert.deepEqual([...new Set(kinds)].sort(), ['deliveries_paused', 'delivery_failed']);
    assert.ok(kinds.length <= 4);
    const failure = emails.find(({ kind }) => kind === 'delivery_failed')!;
    const shown = await createEmailBox(suite.store().db).showEmail(failure.id);
    assert.match(shown?.text ?? '', /Reason: {4}The receiver (failed|refused the request)\.\n/);
    const [newest] = await scene.webhooks.list(user.id, { limit: 1 });
    assert.equal(newest?.attempts, 1);
  });

  it('has its log deleted when the retention has passed, without the body of the event, and no sooner', async () => {
    await using receiver = await startReceiver();
    await using scene = await openScene(suite, receiver);
    const { webhooks, userId } = scene;
    await complete(scene, { key: `${userId} old` });
    await states(webhooks, userId, 1, ['delivered']);
    scene.advance(86_400);
    await complete(scene, { key: `${userId} new` });
    await states(webhooks, userId, 2, ['delivered', 'delivered']);
    await scene.deleteExpired(29 * 86_400 - 1);
    assert.equal((await webhooks.list(userId, { limit: 10 })).length, 2);
    await scene.deleteExpired(2);
    const left = await webhooks.list(userId, { limit: 10 });
    assert.equal(left.length, 1);
    const rows = await suite
      .store()
      .db.selectFrom('webhook_events')
      .select(['unique_key', 'body'])
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .execute();
    assert.deepEqual(
      rows.map(({ body }) => body !== null),
      [false, true],
    );
    // What happened once stays known: a report of it after a year makes no second event.
    assert.equal(await complete(scene, { key: `${userId} old` }), false);
    const orphans = await suite
      .store()
      .db.selectFrom('webhook_attempts')
      .select('delivery_id')
      .where('delivery_id', 'not in', (query) => query.selectFrom('webhook_deliveries').select('id'))
      .execute();
    assert.deepEqual(orphans, []);
  });
});

interface Scene extends AsyncDisposable {
  readonly webhooks: WebhookService;
  readonly userId: string;
  readonly notices: readonly WebhookNotice[];
  readonly suite: WebhookSuite;
  now(): Date;
  advance(seconds: number): void;
  /** Moves the clock and does what the sender does every few seconds. */
  probe(seconds: number): Promise<void>;
  deleteExpired(seconds: number): Promise<void>;
}

/** One user with a webhook, one attempt for each event, and a clock that only the test moves. */
async function openScene(
  suite: WebhookSuite,
  receiver: Receiver,
  userId: string = newUser(),
  alsoOnNotice: OnNotice = async () => {},
): Promise<Scene> {
  const notices: WebhookNotice[] = [];
  const onNotice: OnNotice = async (trx, notice) => {
    notices.push(notice);
    await alsoOnNotice(trx, notice);
  };
  let now = new Date('2026-11-21T10:00:00.000Z');
  const clock = (): Date => now;
  const site = await suite.open({ clock, retryDelaysS: [], onNotice });
  await site.webhooks.register(userId, receiver.url());
  const advance = (seconds: number): void => void (now = new Date(now.getTime() + seconds * 1_000));
  const { queue } = await openWebhookStore(suite.store(), { retentionDays: 30, retryDelaysS: [], clock });
  return {
    webhooks: site.webhooks,
    userId,
    notices,
    suite,
    now: clock,
    advance,
    async probe(seconds) {
      advance(seconds);
      await queue.releaseProbes();
    },
    async deleteExpired(seconds) {
      advance(seconds);
      await queue.deleteExpired();
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  };
}

/** A moment later than anything before, so that the log has an order. */
function complete(scene: Scene, work: { readonly key?: string } = {}): Promise<boolean> {
  scene.advance(0.001);
  return completeWork(scene.suite.store(), scene.webhooks, scene.userId, work);
}

/** Completes work until that many more events have failed. */
async function failing(scene: Scene, count: number): Promise<void> {
  const { webhooks, userId } = scene;
  const before = (await webhooks.find(userId)).failures;
  for (let i = 0; i < count; i++) await complete(scene);
  await eventually(async () => ((await webhooks.find(userId)).failures === before + count ? true : null));
}

/** Waits until the newest deliveries of the user are in these states. */
async function states(webhooks: WebhookService, userId: string, count: number, wanted: readonly string[]) {
  await eventually(async () => {
    const found = (await webhooks.list(userId, { limit: count })).map(({ state }) => state);
    return found.join() === wanted.join() ? found : null;
  });
}
