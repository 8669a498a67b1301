import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { prepareEmail } from '../../../src/email/prepare-email.ts';
import { deliveriesPausedEmail } from '../../../src/email/notice-emails.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { queueEmail } from '../../../src/db/email/queue-email.ts';
import { openWebhookStore } from '../../../src/db/webhooks/open-webhook-store.ts';
import { LEASE_S } from '../../../src/db/webhooks/webhook-parts.ts';
import { type AttemptOutcome, RETRY_DELAYS_S } from '../../../src/webhooks/delivery.ts';
import type { ClaimedDelivery, DeliveryQueue } from '../../../src/webhooks/delivery-queue.ts';
import { startReceiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, openSite, openSiteStore, settled } from './webhooks-site.ts';
import { describeOnBothEngines, pause, sized, type WebhookSuite } from './webhooks-suite.ts';

// F1 to F3 and F8 are in webhooks-scenarios-f-kills.test.ts, F10 in webhooks-scenarios-f-backup.test.ts.
describeOnBothEngines('F. nothing is lost', (suite) => {
  it('F4 a database that takes no writes refuses work, and goes on by itself when it takes them again', async () => {
    await using receiver = await startReceiver(async (_request, response) => {
      // The outcome of the first request meets the full disk.
      await pause(300);
      response.writeHead(200).end();
    });
    await using site = await suite.open();
    const [userId, other] = [newUser(), newUser()];
    await site.webhooks.register(userId, receiver.url());
    await completeWork(suite.store(), site.webhooks, userId);
    await receiver.until(1);
    await fillDisk(suite.store());
    try {
      await assert.rejects(site.webhooks.register(other, receiver.url()), /disk of the database is full/);
      await assert.rejects(
        completeWork(suite.store(), site.webhooks, userId, { key: `${userId} 2` }),
        /disk of the database is full/,
      );
      await assert.rejects(site.webhooks.test(userId), /disk of the database is full/);
      await assert.rejects(site.webhooks.rotate(userId, 60), /disk of the database is full/);
      await pause(500);
    } finally {
      await freeDisk(suite.store());
    }
    assert.equal(await completeWork(suite.store(), site.webhooks, userId, { key: `${userId} 2` }), true);
    await eventually(async () => ((await site.webhooks.count()).pending === 0 ? true : null));
    assert.equal(receiver.received.length, 2);
    await site.webhooks.register(other, receiver.url());
  });

  it('F5 work that is rolled back leaves no event', async () => {
    await using receiver = await startReceiver();
    await using site = await suite.open();
    const userId = newUser();
    await site.webhooks.register(userId, receiver.url());
    const work = { userId, type: 'batch_zonal_stats_complete', data: {}, uniqueKey: userId } as const;
    const failing = suite
      .store()
      .db.transaction()
      .execute(async (trx) => {
        assert.equal(await site.webhooks.recordCompletion(trx, work), true);
        throw new Error('the batch was not complete after all');
      });
    await assert.rejects(failing, /not complete after all/);
    await pause(300);
    assert.deepEqual(await site.webhooks.list(userId, { limit: 10 }), []);
    assert.equal(receiver.received.length, 0);
    assert.equal(await completeWork(suite.store(), site.webhooks, userId, { key: userId }), true);
  });

  it('F6 one batch reported complete 100 times at once makes one event, one delivery and one email', async () => {
    await using receiver = await startReceiver();
    await using site = await suite.open();
    // A second process on a server; the embedded database has one.
    const beside = suite.engine === 'postgres' ? await openSiteStore(suite.database()) : suite.store();
    const other = await openSite(beside, suite.database(), { send: suite.engine === 'postgres' });
    const userId = newUser();
    await site.webhooks.register(userId, receiver.url());
    const content = deliveriesPausedEmail({ url: 'https://a', failures: 1, probeEveryMinutes: 1, serviceUrl: null });
    const report = (from: Store, webhooks: typeof other) =>
      from.db.transaction().execute(async (trx) => {
        const uniqueKey = `batch ${userId}`;
        const work = { userId, type: 'batch_zonal_stats_complete', data: {}, uniqueKey } as const;
        const isNew = await webhooks.recordCompletion(trx, work);
        const email = prepareEmail({ key: uniqueKey, userId, to: 'ana@example.org', content });
        return [isNew, await queueEmail(trx, email)];
      });
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        i % 2 === 0 ? report(suite.store(), site.webhooks) : report(beside, other),
      ),
    );
    assert.equal(results.filter(([isNew]) => isNew).length, 1);
    assert.equal(results.filter(([, queued]) => queued).length, 1);
    await settled(site.webhooks, userId, ['delivered']);
    assert.equal((await site.webhooks.list(userId, { limit: 100 })).length, 1);
    const emails = await suite.store().db.selectFrom('emails').select('id').where('user_id', '=', userId).execute();
    assert.equal(emails.length, 1);
    await pause(200);
    assert.equal(receiver.received.length, 1);
    await other.close(0);
    if (beside !== suite.store()) await beside.close();
  });

  it('F7 a sender that was away longer than its lease can write nothing', async () => {
    const { queue: slow, claimed, userId, later } = await claimedBySlow(suite);
    const [again] = await later.claim([{ userId, count: 5 }]);
    assert.deepEqual([again?.id, again?.token, again?.lostBefore], [claimed.id, claimed.token + 1, 1]);
    await slow.record([recorded(claimed, 200)]);
    await slow.giveBack([claimed]);
    const during = await rowOf(suite, claimed.id);
    assert.deepEqual([during.state, during.attempts, during.token], ['pending', 0, claimed.token + 1]);
    assert.ok(during.lease_until !== null);
    await later.record([recorded(again!, 200)]);
    await slow.record([recorded(claimed, 500)]);
    const after = await rowOf(suite, claimed.id);
    assert.deepEqual([after.state, after.attempts], ['delivered', 1]);
    const log = await suite
      .store()
      .db.selectFrom('webhook_attempts')
      .select('status')
      .where('delivery_id', '=', claimed.id)
      .execute();
    assert.deepEqual(log, [{ status: 200 }]);
  });

  const faults = sized(300, 10_000);
  it(`F9 a state never changes without its attempt in the log, through ${faults} faults`, async () => {
    const { db } = suite.store();
    await using site = await suite.open({ send: false });
    const userId = newUser();
    await site.webhooks.register(userId, 'https://a.receivers.test/');
    const { queue } = await openWebhookStore(suite.store(), { retentionDays: 30, retryDelaysS: [0, 0, 0] });
    await sql`create function webhook_fault() returns trigger language plpgsql as
      'begin if random() < 0.3 then raise exception ''injected''; end if; return new; end'`.execute(db);
    for (const [table, when] of [
      ['webhook_attempts', 'before insert'],
      ['webhook_deliveries', 'after update'],
    ] as const)
      await sql`create trigger fault ${sql.raw(when)} on ${sql.table(table)} for each row
        when (pg_trigger_depth() = 0) execute function webhook_fault()`.execute(db);
    const met: unknown[] = [];
    while (met.length < faults) {
      await Promise.all(Array.from({ length: 20 }, () => completeWork(suite.store(), site.webhooks, userId)));
      for (let i = 0; i < 40 && met.length < faults; i++) {
        const claimed = await queue.claim([{ userId, count: 1 + (i % 3) }]).catch((error: unknown) => {
          met.push(error);
          return [];
        });
        const status = i % 4 === 0 ? 200 : 500;
        await queue.record(claimed.map((one) => recorded(one, status))).catch((error: unknown) => met.push(error));
        await queue.giveBack(claimed).catch((error: unknown) => met.push(error));
      }
    }
    await sql`drop function webhook_fault() cascade`.execute(db);
    const { rows } = await sql<{ wrong: number; finished: number }>`
      select count(*) filter (where attempts <> logged or (state = 'delivered') <> (last is not null))::int as wrong,
        count(*) filter (where state <> 'pending')::int as finished
      from (select d.state, d.attempts, (select count(*) from webhook_attempts a where a.delivery_id = d.id) as logged,
        (select number from webhook_attempts a where a.delivery_id = d.id and a.status = 200) as last
        from webhook_deliveries d where d.user_id = ${userId}) each`.execute(db);
    assert.equal(rows[0]?.wrong, 0);
    assert.ok((rows[0]?.finished ?? 0) > 0);
  });
});

/** Every write fails as it does on a full disk. */
async function fillDisk({ db }: Store): Promise<void> {
  await sql`create function disk_full() returns trigger language plpgsql as
    'begin raise exception ''no space left on device'' using errcode = ''53100''; end'`.execute(db);
  for (const table of ['webhooks', 'webhook_events', 'webhook_deliveries', 'webhook_attempts'])
    await sql`create trigger disk_full before insert or update on ${sql.table(table)}
      execute function disk_full()`.execute(db);
}

async function freeDisk({ db }: Store): Promise<void> {
  await sql`drop function disk_full() cascade`.execute(db);
}

/** A delivery claimed by one sender, and a second sender whose clock is past the lease. */
async function claimedBySlow(suite: WebhookSuite) {
  const begun = new Date();
  const options = { retentionDays: 30, retryDelaysS: RETRY_DELAYS_S };
  const [first, second] = await Promise.all([
    openWebhookStore(suite.store(), { ...options, clock: () => begun }),
    openWebhookStore(suite.store(), { ...options, clock: () => new Date(begun.getTime() + LEASE_S * 1_000 + 1) }),
  ]);
  await using site = await suite.open({ send: false, clock: () => begun });
  const userId = newUser();
  await site.webhooks.register(userId, 'https://a.receivers.test/');
  await completeWork(suite.store(), site.webhooks, userId);
  const wanted = [{ userId, count: 5 }];
  const [claimed] = await first.queue.claim(wanted);
  assert.ok(claimed !== undefined);
  assert.deepEqual(await first.queue.claim(wanted), []);
  return { queue: first.queue, later: second.queue, claimed, userId };
}

function recorded(delivery: ClaimedDelivery, status: number): Parameters<DeliveryQueue['record']>[0][number] {
  const outcome: AttemptOutcome = {
    status,
    reason: status === 200 ? null : 'status_5xx',
    detail: null,
    address: '192.0.2.1',
    durationMs: 5,
    timings: { dnsMs: 1, connectMs: 1, tlsMs: 1, firstByteMs: 1 },
    excerpt: null,
  };
  return { delivery, outcome, startedAt: delivery.claimedAt, final: false, accepted: null };
}

function rowOf(suite: WebhookSuite, id: string) {
  return suite.store().db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}
