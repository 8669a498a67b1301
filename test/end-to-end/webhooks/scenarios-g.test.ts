import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { MAX_PER_USER } from '../../../src/webhooks/delivery-queue.ts';
import { SLOT_LIMITS } from '../../../src/webhooks/slots.ts';
import { startReceiver, type Receiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser } from './webhooks-site.ts';
import { describeOnEngines, pause, sized } from './webhooks-suite.ts';

/** Of an attempt at a receiver that never answers: nearly the lease, so that all still hang when they are counted. */
const LONG_MS = 23_000;

// G1, G6, G7 and G8, which are times, are measured by bench/webhooks.ts.
describeOnEngines('G. load and isolation', (suite) => {
  /** What is written before anything is sent, because on a busy machine it may take longer than a request has. */
  async function beforeSending<T>(work: (quiet: WebhookService) => Promise<T>): Promise<T> {
    await using quiet = await suite.open({ send: false });
    return work(quiet.webhooks);
  }

  const burst = sized(400, 10_000);
  it(`G2 ${burst} events for ${burst} users at once all arrive, each once`, async () => {
    await using receiver = await startReceiver();
    await using site = await suite.open();
    const users = await register(site.webhooks, burst, (i) => receiver.url(`h${i % 100}`));
    await Promise.all(users.map((userId) => completeWork(suite.store(), site.webhooks, userId)));
    await delivered(suite.store(), users, burst);
    assert.equal(new Set(idsOf(receiver)).size, burst);
    assert.equal(receiver.received.length, burst);
  });

  const stuck = sized(100, 500);
  it(`G3 ${stuck} receivers that never answer do not stop the others`, async () => {
    await using hanging = await startReceiver(() => {});
    await using receiver = await startReceiver();
    const [slow, users] = await beforeSending(async (quiet) => {
      const waiting = await register(quiet, stuck, (i) => hanging.url(`slow${i}`));
      for (const userId of waiting) for (let i = 0; i < 3; i++) await completeWork(suite.store(), quiet, userId);
      return [waiting, await register(quiet, 20, (i) => receiver.url(`h${i}`))];
    });
    await using site = await suite.open({ deadlineMs: LONG_MS });
    await eventually(async () => (site.webhooks.status().sending >= stuck ? true : null));
    for (const userId of users) for (let i = 0; i < 5; i++) await completeWork(suite.store(), site.webhooks, userId);
    await delivered(suite.store(), users, 100);
    assert.equal(receiver.received.length, 100);
    // They still hang, one request each: whoever is slow earns no second one.
    assert.ok(site.webhooks.status().sending >= stuck);
    await cancel(site.webhooks, slow);
  });

  const neighbours = sized(150, 500);
  it(`G3 ${neighbours} receivers that never answer do not stop ten of the same host that do`, async () => {
    await using receiver = await startReceiver((request, response) => {
      if (request.path.startsWith('/healthy')) response.writeHead(200).end();
    });
    const url = (path: string): string => receiver.url('shared').replace(/\/hook$/, `/${path}`);
    const [slow, users] = await beforeSending(async (quiet) => {
      const waiting = await register(quiet, neighbours, (i) => url(`slow${i}`));
      const healthy = await register(quiet, 10, (i) => url(`healthy${i}`));
      // All at once and none of them known: those that answer are in the same queue as those that never do.
      for (const userId of [...waiting, ...healthy])
        for (let i = 0; i < 3; i++) await completeWork(suite.store(), quiet, userId);
      return [waiting, healthy];
    });
    await using site = await suite.open({ deadlineMs: LONG_MS });
    await delivered(suite.store(), users, 30);
    const failed = await suite
      .store()
      .db.selectFrom('webhook_deliveries')
      .select('id')
      .where('user_id', 'in', slow)
      .where('attempts', '>', 0)
      .execute();
    assert.deepEqual(failed, [], 'not one of those that hang had to end first');
    await cancel(site.webhooks, slow);
  });

  const backlog = sized(300, 10_000);
  it(`G4 a user with ${backlog} events to a receiver that never answers has at most ${MAX_PER_USER} on their way`, async () => {
    await using hanging = await startReceiver((_request, response, count) => {
      // Quick at first, so that the user earns all it can have.
      if (count <= 20) response.writeHead(200).end();
    });
    await using receiver = await startReceiver();
    const [greedy, other] = [newUser(), newUser()];
    await beforeSending(async (quiet) => {
      await quiet.register(greedy, hanging.url());
      await quiet.register(other, receiver.url());
      for (let i = 0; i < backlog; i++) await completeWork(suite.store(), quiet, greedy);
    });
    await using site = await suite.open({ deadlineMs: LONG_MS });
    await eventually(async () => (site.webhooks.status().sending >= MAX_PER_USER ? true : null));
    await completeWork(suite.store(), site.webhooks, other);
    await delivered(suite.store(), [other], 1);
    await pause(300);
    assert.ok(hanging.received.length <= 20 + MAX_PER_USER, String(hanging.received.length));
    assert.equal(site.webhooks.status().sending, hanging.received.length - 20);
    await cancel(site.webhooks, [greedy]);
  });

  const sharers = sized(60, 1_000);
  it(`G5 ${sharers} users of one address have at most ${SLOT_LIMITS.perAddress} requests on their way to it`, async () => {
    await using hanging = await startReceiver(() => {});
    await using receiver = await startReceiver();
    const other = newUser();
    const users = await beforeSending(async (quiet) => {
      await quiet.register(other, receiver.url('own'));
      const made = await register(quiet, sharers, () => hanging.url('shared'));
      for (const userId of made) await completeWork(suite.store(), quiet, userId);
      return made;
    });
    await using site = await suite.open({ deadlineMs: LONG_MS });
    await hanging.until(SLOT_LIMITS.perAddress);
    await completeWork(suite.store(), site.webhooks, other);
    await delivered(suite.store(), [other], 1);
    await pause(300);
    assert.equal(hanging.received.length, SLOT_LIMITS.perAddress);
    await cancel(site.webhooks, users);
  });
});

async function register(webhooks: WebhookService, count: number, url: (i: number) => string): Promise<string[]> {
  const users = Array.from({ length: count }, () => newUser());
  for (const [i, userId] of users.entries()) await webhooks.register(userId, url(i));
  return users;
}

async function delivered({ db }: Store, users: readonly string[], count: number): Promise<void> {
  await eventually(async () => {
    const row = await db
      .selectFrom('webhook_deliveries')
      .select((query) => query.fn.countAll<string>().as('n'))
      .where('state', '=', 'delivered')
      .where('user_id', 'in', users)
      .executeTakeFirst();
    return Number(row?.n) === count ? true : null;
  }, 120_000);
}

/** So that the next test begins with an empty queue. */
async function cancel(webhooks: WebhookService, users: readonly string[]): Promise<void> {
  for (const userId of users) await webhooks.remove(userId);
}

function idsOf(receiver: Receiver): readonly unknown[] {
  return receiver.received.map(({ headers }) => headers['webhook-id']);
}
