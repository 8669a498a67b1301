import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { sql } from 'kysely';
import { createLog } from '../../../src/log.ts';
import { PAUSE_AFTER_FAILURES } from '../../../src/db/webhooks/webhook-parts.ts';
import { type Attempt, type Delivery, EXCERPT_BYTES } from '../../../src/webhooks/delivery.ts';
import { accept, answers, startReceiver, type CertificateName } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, settled } from './webhooks-site.ts';
import { describeOnEngines, pause, sized, type WebhookSuite } from './webhooks-suite.ts';

const TIME = '2026-11-21T10:00:00.000Z';

// I2 is in webhooks-scenarios-i-users.test.ts.
describeOnEngines('I. the log, redelivery and tests', (suite) => {
  it('I1 every attempt is in the log with its times, address, reason, answer and what comes next', async () => {
    const reasons = new Set<string | null>();
    for (const [name, expected] of [
      ['ok', null],
      ['204', 'status_2xx_not_200'],
      ['307', 'status_redirect'],
      ['404', 'status_4xx'],
      ['503', 'status_5xx'],
      ['close', 'connection_closed'],
      ['headers', 'answer_headers_too_large'],
      ['hang', 'answer_timeout'],
      ['nowhere', 'dns_not_found'],
      ['broken', 'dns_failed'],
      ['private', 'address_refused'],
      ['refused', 'connection_refused'],
    ] as const) {
      const attempt = await attemptAt(suite, name);
      assert.equal(attempt.reason, expected, name);
      reasons.add(attempt.reason);
      assert.equal(attempt.number, 1);
      assert.ok(attempt.startedAt.getTime() > Date.parse('2026-01-01'));
      assert.ok(attempt.durationMs >= 0);
      const { dnsMs, tlsMs, firstByteMs } = attempt.timings;
      const connected = !/nowhere|broken|private|refused/.test(name);
      assert.equal(attempt.address, connected ? '127.0.0.1' : null, name);
      if (connected) assert.ok(dnsMs !== null && tlsMs !== null, name);
      assert.equal(firstByteMs !== null, attempt.status !== null, name);
      assert.equal(attempt.excerpt?.length ?? null, name === 'ok' ? EXCERPT_BYTES : null, name);
      assert.equal(attempt.nextAttemptAt !== null, expected !== null && expected !== 'address_refused', name);
    }
    for (const [certificate, expected] of [
      ['expired', 'tls_expired'],
      ['future', 'tls_not_yet_valid'],
      ['self-signed', 'tls_self_signed'],
      ['untrusted', 'tls_untrusted'],
      ['other-name', 'tls_wrong_name'],
    ] as const) {
      const { reason, status } = await attemptAt(suite, 'ok', certificate);
      assert.deepEqual([reason, status], [expected, null]);
      reasons.add(reason);
    }
    assert.equal(reasons.size, 17);
  });

  it('I3 a redelivery has the same id, time and body with a new signature, and replaces a planned attempt', async () => {
    await using receiver = await startReceiver(answers(500, 200));
    let now = new Date(TIME);
    await using site = await suite.open({ clock: () => now });
    const userId = newUser();
    await site.webhooks.register(userId, receiver.url());
    await completeWork(suite.store(), site.webhooks, userId);
    const waiting = await eventually(async () => {
      const [first] = await site.webhooks.list(userId, { limit: 1 });
      return first?.attempts === 1 && first.nextAttemptAt !== null ? first : null;
    });
    now = new Date(now.getTime() + 5_000);
    await site.webhooks.redeliver(userId, waiting.id);
    await settled(site.webhooks, userId, ['delivered']);
    now = new Date(now.getTime() + 3_600_000);
    await pause(200);
    assert.equal(receiver.received.length, 2, 'the planned attempt was replaced');
    await site.webhooks.redeliver(userId, waiting.id);
    const requests = await receiver.until(3);
    assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
    const times = requests.map(({ headers }) => Number(headers['webhook-timestamp']));
    assert.deepEqual(
      times.map((time) => time - (times[0] as number)),
      [0, 5, 3_605],
    );
    const log = await eventually(async () => {
      const found = await site.webhooks.get(userId, waiting.id);
      return found?.attempts.length === 3 ? found.attempts : null;
    });
    assert.deepEqual(
      log.map(({ number }) => number),
      [1, 2, 3],
    );
  });

  const rows = sized(400, 10_000);
  it(`I4 the failed since a time are paged without gap or repetition while others come, over ${rows} rows`, async () => {
    await using receiver = await startReceiver(answers(500));
    await using site = await suite.open({ retryDelaysS: [] });
    const userId = newUser();
    await site.webhooks.register(userId, receiver.url());
    // One more would pause the webhook.
    const failed = PAUSE_AFTER_FAILURES - 1;
    const since = new Date(Date.now() - 60_000);
    for (let i = 0; i < failed; i++) await completeWork(suite.store(), site.webhooks, userId);
    await eventually(async () => ((await site.webhooks.find(userId)).failures === failed ? true : null));
    await copyFailures(suite, userId, rows - failed);
    receiver.behave(accept);
    const seen: string[] = [];
    for (let before: string | undefined; ;) {
      const page: readonly Delivery[] = await site.webhooks.list(userId, {
        state: 'failed',
        since,
        limit: 50,
        ...(before !== undefined && { before }),
      });
      seen.push(...page.map(({ id }) => id));
      before = page.at(-1)?.id;
      if (page.length < 50) break;
      await completeWork(suite.store(), site.webhooks, userId);
    }
    assert.equal(seen.length, rows);
    assert.equal(new Set(seen).size, rows);
    assert.equal((await site.webhooks.redeliverFailed(userId, since)).count, Math.min(rows, 10_000));
    await site.webhooks.remove(userId);
  });

  it('I5 a test is one request, reports its outcome, works at once after a failure, and 10 a minute are enough', async () => {
    await using receiver = await startReceiver(answers(500, 200));
    await using site = await suite.open();
    const userId = newUser();
    await assert.rejects(site.webhooks.test(userId), { code: 'webhook_not_found' });
    await site.webhooks.register(userId, receiver.url());
    assert.deepEqual((await site.webhooks.test(userId)).outcome?.reason, 'status_5xx');
    const { outcome, deliveryId } = await site.webhooks.test(userId);
    assert.equal(outcome?.status, 200);
    assert.match(receiver.received[1]!.body, /"data":\{"message":"This is a test event"\}.*"type":"test_event"\}$/);
    assert.equal((await site.webhooks.get(userId, deliveryId))?.attempts.length, 1);
    const more = await Promise.allSettled(Array.from({ length: 20 }, () => site.webhooks.test(userId)));
    assert.equal(more.filter(({ status }) => status === 'fulfilled').length, 8);
    for (const one of more)
      if (one.status === 'rejected') assert.equal((one.reason as { code: string }).code, 'rate_limited');
    assert.equal(receiver.received.length, 10);
  });

  it('I6 no log line has a query string, a body, a secret or an answer', async () => {
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    await using receiver = await startReceiver((_request, response, count) => {
      if (count === 2) return void response.destroy();
      response.writeHead(count === 1 ? 500 : 200).end('answer-marker');
    });
    await using site = await suite.open({
      log: createLog({ level: 'trace', json: true, stream }),
      retryDelaysS: [0.01, 0.01, 0.01],
    });
    const userId = newUser();
    const { clientSecret } = await site.webhooks.register(userId, `${receiver.url()}?token=query-marker`);
    await completeWork(suite.store(), site.webhooks, userId, { data: { note: 'body-marker' } });
    await settled(site.webhooks, userId, ['delivered']);
    await completeWork(suite.store(), site.webhooks, userId, { data: { note: 'body-marker', half: 0.5 } });
    await writeTrigger(suite);
    await completeWork(suite.store(), site.webhooks, userId, { data: { note: 'body-marker' } });
    await eventually(async () =>
      lines.some((line) => line.includes('cannot be written; trying again')) ? true : null,
    );
    await sql`drop function refuse_attempt() cascade`.execute(suite.store().db);
    await settled(site.webhooks, userId, ['delivered']);
    const log = lines.join('');
    assert.match(log, /an event cannot be written; none is sent/);
    for (const secret of ['query-marker', 'body-marker', 'answer-marker', clientSecret, clientSecret.slice(6)])
      assert.ok(!log.includes(secret), `${secret} in ${log}`);
  });
});

/** The one attempt at a receiver that behaves as its name says. */
async function attemptAt(suite: WebhookSuite, name: string, certificate: CertificateName = 'valid'): Promise<Attempt> {
  await using receiver = await startReceiver(
    (_request, response) => {
      if (name === 'hang') return;
      if (name === 'close') return void response.destroy();
      if (name === 'headers') return void response.writeHead(200, { padding: 'x'.repeat(20_000) }).end();
      const status = name === 'ok' ? 200 : Number(name);
      response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {});
      response.end(name === 'ok' ? 'x'.repeat(2 * EXCERPT_BYTES) : undefined);
    },
    certificate,
    { maxHeaderSize: 65_536 },
  );
  let registered = false;
  const codes: Readonly<Record<string, string>> = { nowhere: 'ENOTFOUND', broken: 'ESERVFAIL' };
  await using site = await suite.open({
    deadlineMs: name === 'hang' ? 300 : 10_000,
    resolve: async () => {
      const code = codes[name];
      if (registered && code !== undefined) throw Object.assign(new Error(code), { code });
      return [registered && name === 'private' ? '10.0.0.1' : '127.0.0.1'];
    },
  });
  const userId = newUser();
  const url = name === 'refused' ? 'https://a.receivers.test:1025/' : receiver.url(`r${name}`);
  await site.webhooks.register(userId, url);
  registered = true;
  await completeWork(suite.store(), site.webhooks, userId);
  // Awaited here: the receiver is closed when this returns.
  return await eventually(async () => {
    const [delivery] = await site.webhooks.list(userId, { limit: 1 });
    if (delivery === undefined || delivery.attempts === 0) return null;
    return (await site.webhooks.get(userId, delivery.id))?.attempts[0] ?? null;
  });
}

/** More failed deliveries of the user like those there are, several created at the same moment. */
async function copyFailures({ store }: WebhookSuite, userId: string, count: number): Promise<void> {
  await sql`insert into webhook_deliveries
      (id, event_id, user_id, webhook_id, url, state, attempts, retries_left, created_at, finished_at)
    select gen_random_uuid(), event_id, user_id, webhook_id, url, 'failed', 1, 0,
      created_at - (n / 3) * interval '1 millisecond', finished_at
    from (select * from webhook_deliveries where user_id = ${userId} limit 1) one, generate_series(1, ${count}::int) n`.execute(
    store().db,
  );
}

/** No outcome can be written. */
async function writeTrigger({ store }: WebhookSuite): Promise<void> {
  const { db } = store();
  await sql`create function refuse_attempt() returns trigger language plpgsql as
    'begin raise exception ''refused'' using errcode = ''53100''; end'`.execute(db);
  await sql`create trigger refuse before insert on webhook_attempts execute function refuse_attempt()`.execute(db);
}
