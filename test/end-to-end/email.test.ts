import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import type { EmailContent, EmailState } from '../../src/email/email.ts';
import { parseMailbox } from '../../src/email/mailbox.ts';
import { openSmtp } from '../../src/email/open-smtp.ts';
import { prepareEmail } from '../../src/email/prepare-email.ts';
import { startEmailSender, type EmailSender } from '../../src/email/start-email-sender.ts';
import { createLog } from '../../src/log.ts';
import { webhookNotices } from '../../src/service/email-notices.ts';
import { createEmailBox } from '../../src/store/email/create-email-box.ts';
import { openEmailQueue } from '../../src/store/email/create-email-queue.ts';
import { queueEmail } from '../../src/store/email/queue-email.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { testEngines, type TestDatabase } from '../contracts/engines.ts';
import {
  scriptWith,
  SMTP_USER,
  startScriptedServer,
  startSmtpServer,
  type TestSmtpServer,
} from '../smtp-fault-server.ts';
import { sized } from './webhooks-suite.ts';

const log = createLog({ level: 'silent', json: true });
const FROM = parseMailbox('Firstmile <firstmile@example.org>')!;
const CHILD = join(import.meta.dirname, 'email-child.fixture.ts');
const WAIT_MS = 60_000;
const content = (more: Partial<EmailContent> = {}): EmailContent => ({
  kind: 'report',
  subject: 'Statement for lot 7',
  text: 'It is ready.',
  attachments: [],
  textWithoutAttachments: null,
  ...more,
});

for (const engine of await testEngines()) {
  describe(`the outbox on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let smtp: TestSmtpServer;
    let sender: EmailSender | null = null;

    before(async () => {
      database = await engine.create();
      store = await open();
      smtp = await startSmtpServer();
    });
    after(async () => {
      await stopSender();
      await smtp[Symbol.asyncDispose]();
      await store.close();
      await database.drop();
    });

    const open = () => openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 8, log });
    const stopSender = async (drainMs = 0): Promise<void> => {
      await sender?.stop(drainMs);
      sender = null;
    };
    async function startSender(retryDelaysS: readonly number[] = [0, 0, 0]): Promise<void> {
      await stopSender();
      sender = startEmailSender({
        queue: await openEmailQueue(store, randomUUID()),
        smtp: openSmtp({
          host: 'localhost',
          port: smtp.port,
          tls: 'upgrade',
          ...SMTP_USER,
          ca: smtp.ca,
          timeouts: { attempt: 3_000 },
        }),
        from: FROM,
        log,
        pollMs: 20,
        retryDelaysS,
      });
    }
    async function queue(given: Partial<EmailContent> = {}, to = 'ana@example.org'): Promise<string> {
      const key = `test/${randomUUID()}`;
      await store.db
        .transaction()
        .execute((trx) => queueEmail(trx, prepareEmail({ key, userId: 'u', to, content: content(given) })));
      const row = await store.db.selectFrom('emails').select('id').where('key', '=', key).executeTakeFirstOrThrow();
      return row.id;
    }
    async function endOf(id: string, states: readonly EmailState[] = ['sent', 'failed', 'unknown']) {
      const giveUpAt = performance.now() + WAIT_MS;
      for (;;) {
        const shown = await createEmailBox(store.db).showEmail(id);
        if (shown !== null && states.includes(shown.email.state)) return shown;
        assert.ok(performance.now() < giveUpAt, `email ${id} is ${shown?.email.state}: ${shown?.email.detail}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    }

    it('makes one email of a key, in the transaction of its caller and not without it', async () => {
      const email = prepareEmail({ key: 'batch/1', userId: 'u', to: 'ana@example.org', content: content() });
      const failing = store.db.transaction().execute(async (trx) => {
        assert.equal(await queueEmail(trx, email), true);
        throw new Error('rolled back');
      });
      await assert.rejects(failing, /rolled back/);
      assert.deepEqual(await createEmailBox(store.db).listEmails({ limit: 10 }), []);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => store.db.transaction().execute((trx) => queueEmail(trx, email))),
      );
      assert.equal(results.filter(Boolean).length, 1);
      const [listed] = await createEmailBox(store.db).listEmails({ limit: 10 });
      assert.deepEqual([listed?.key, listed?.state, listed?.attempts], ['batch/1', 'pending', 0]);
    });

    it('J3 sends the frozen content once, with its file and a Message-ID made of its id', async () => {
      const report = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i & 255));
      const blob = await store.blobs.put(one(report));
      const sha256 = createHash('sha256').update(report).digest('hex');
      const file = {
        filename: "Côte d'Ivoire.zip",
        contentType: 'application/zip',
        blobId: blob.id,
        size: blob.size,
        sha256,
      };
      const id = await queue({ subject: 'Lot\r\nBcc: eve@example.org', attachments: [file] });
      await startSender();
      const { email, attempts } = await endOf(id);
      assert.equal(email.state, 'sent', email.detail ?? '');
      assert.equal(attempts.length, 1);
      const taken = smtp.received.at(-1)!;
      assert.deepEqual([taken.from, taken.to], ['firstmile@example.org', ['ana@example.org']]);
      const parsed = await PostalMime.parse(taken.bytes);
      assert.equal(parsed.messageId, `<${id}@example.org>`);
      assert.equal(parsed.subject, 'Lot Bcc: eve@example.org');
      assert.equal(parsed.attachments[0]?.filename, "Côte d'Ivoire.zip");
      assert.equal(
        createHash('sha256')
          .update(new Uint8Array(parsed.attachments[0].content as ArrayBuffer))
          .digest('hex'),
        sha256,
      );
      assert.deepEqual(await createEmailBox(store.db).resendEmail(id), 'sent');
    });

    it('refuses to send a file that is gone or was changed', async () => {
      const blob = await store.blobs.put(one(Buffer.from('report')));
      const file = {
        filename: 'a.zip',
        contentType: 'application/zip',
        blobId: blob.id,
        size: 6,
        sha256: '0'.repeat(64),
      };
      const changed = await queue({ attachments: [file] });
      const gone = await queue({ attachments: [{ ...file, blobId: randomUUID() }] });
      assert.match((await endOf(changed)).email.detail ?? '', /a\.zip was changed/);
      assert.match((await endOf(gone)).email.detail ?? '', /a\.zip is no longer kept/);
    });

    it('sends the text alone when the server takes no message of that size', async () => {
      const report = Buffer.alloc(50_000, 1);
      const blob = await store.blobs.put(one(report));
      const sha256 = createHash('sha256').update(report).digest('hex');
      const file = { filename: 'a.zip', contentType: 'application/zip', blobId: blob.id, size: blob.size, sha256 };
      await using small = await startSmtpServer({ maxBytes: 20_000 });
      const kept = smtp;
      smtp = small;
      await startSender();
      const id = await queue({ attachments: [file], textWithoutAttachments: 'Fetch it.' });
      assert.equal((await endOf(id)).email.state, 'sent');
      smtp = kept;
      await startSender();
      const parsed = await PostalMime.parse(small.received[0]!.bytes);
      assert.deepEqual([small.received.length, parsed.text?.trim(), parsed.attachments], [1, 'Fetch it.', []]);
    });

    it('tries again after a passing fault, with the same Message-ID, and gives up after the last delay', async () => {
      smtp.faults = { rcpt: 450 };
      const id = await queue();
      const { email, attempts } = await endOf(id);
      assert.equal(email.state, 'failed');
      assert.match(email.detail ?? '', /given up after the last attempt: RCPT TO: 450/);
      assert.deepEqual(
        attempts.map(({ number, result }) => [number, result]),
        [1, 2, 3, 4].map((n) => [n, 'again']),
      );
      smtp.faults = {};
      assert.equal(await createEmailBox(store.db).resendEmail(id), 'queued');
      assert.equal((await endOf(id, ['sent'])).attempts.length, 5);
      assert.equal((await PostalMime.parse(smtp.received.at(-1)!.bytes)).messageId, email.messageId);
    });

    it('waits as long as the table says', async () => {
      smtp.faults = { mail: 451 };
      await startSender([3_600]);
      const id = await queue();
      const { email } = await endOf(id, ['pending']).then(async (shown) => {
        for (let now = shown; ; now = await endOf(id, ['pending', 'sending'])) if (now.attempts.length > 0) return now;
      });
      const { rows } = await sql<{ wait: number }>`
        select extract(epoch from next_attempt_at - now())::float8 as wait from emails where id = ${id}`.execute(
        store.db,
      );
      assert.ok(rows[0]!.wait > 3_500 && rows[0]!.wait <= 3_600, `${rows[0]!.wait} s, ${email.detail}`);
      smtp.faults = {};
      await startSender();
      await createEmailBox(store.db).resendEmail(id);
      await endOf(id, ['sent']);
    });

    it('fails at once when the server refuses for good', async () => {
      smtp.faults = { rcpt: 550 };
      const { email, attempts } = await endOf(await queue());
      smtp.faults = {};
      assert.deepEqual([email.state, attempts.length], ['failed', 1]);
    });

    it('J1 is unknown when the answer is lost, and is not sent again by itself', async () => {
      const before = smtp.received.length;
      smtp.faults = { end: 'drop' };
      const id = await queue();
      const { email, attempts } = await endOf(id);
      assert.deepEqual([email.state, attempts.length], ['unknown', 1]);
      smtp.faults = {};
      // Whatever is due would have been sent before an email that is queued later.
      await endOf(await queue());
      assert.equal(smtp.received.length, before + 2);
      assert.equal(await createEmailBox(store.db).resendEmail(id), 'queued');
      await endOf(id, ['sent']);
      const ids = await Promise.all(
        smtp.received.slice(before).map(async ({ bytes }) => (await PostalMime.parse(bytes)).messageId),
      );
      assert.deepEqual([ids[0], ids[2]], [email.messageId, email.messageId]);
    });

    it('lets another sender take over when the lease ran out, and the first one write nothing', async () => {
      await stopSender();
      const id = await queue();
      const [first, second] = [randomUUID(), randomUUID()];
      const queueOf = async (owner: string) => openEmailQueue(store, owner);
      const slow = await queueOf(first);
      const [claimed] = await slow.claim(1, 'example.org');
      assert.equal(claimed?.id, id);
      assert.deepEqual(await slow.claim(1, 'example.org'), []);
      await sql`update emails set lease_until = now() - interval '1 second' where id = ${id}`.execute(store.db);
      const other = await queueOf(second);
      await other.reapExpired();
      const [again] = await other.claim(1, 'example.org');
      assert.deepEqual([again?.id, again?.attempt], [id, 2]);
      assert.equal(await slow.markHandedOver(claimed!), false);
      assert.equal(await slow.record(claimed!, { result: 'sent', detail: 'late', againAfterS: null }), false);
      assert.equal(await other.markHandedOver(again!), true);
      await sql`update emails set lease_until = now() - interval '1 second' where id = ${id}`.execute(store.db);
      assert.equal(await other.reapExpired(), 1);
      assert.equal((await endOf(id)).email.state, 'unknown');
    });

    it('keeps an email to an address that cannot be used as failed', async () => {
      const { email } = await endOf(await queue({}, 'nobody\r\nat all'));
      assert.deepEqual([email.state, email.attempts], ['failed', 0]);
      assert.match(email.detail ?? '', /not an address/);
    });

    it('writes one notice an hour to a user whose deliveries fail, and one of a pause', async () => {
      const user = await store.credentials.addUser('ana@example.org', null);
      const onNotice = webhookNotices('https://firstmile.example.org');
      const failed = {
        kind: 'delivery_failed',
        url: 'https://hooks.example.org/x',
        deliveryId: 'd',
        eventId: 'e',
      } as const;
      const notice = { ...failed, eventType: 'batch_zonal_stats_complete', failedAt: new Date() };
      await store.db.transaction().execute(async (trx) => {
        for (let i = 0; i < 5; i++) await onNotice(trx, { ...notice, userId: user.id });
        await onNotice(trx, { kind: 'webhook_paused', userId: user.id, url: failed.url, failures: 10 });
        await onNotice(trx, { ...notice, userId: 'somebody of another issuer' });
      });
      const emails = await createEmailBox(store.db).listEmails({ limit: 100, state: 'pending' });
      assert.deepEqual(emails.map(({ kind }) => kind).sort(), ['deliveries_paused', 'delivery_failed']);
      assert.ok(emails.every(({ to }) => to === 'ana@example.org'));
    });

    const many = sized(200, 1_000);
    it(`J1 sends all of ${many} emails once, by two senders, while the server fails now and then`, async () => {
      await startSender(Array(30).fill(0));
      const other = startEmailSender({
        queue: await openEmailQueueBeside(store),
        smtp: openSmtp({ host: 'localhost', port: smtp.port, tls: 'upgrade', ...SMTP_USER, ca: smtp.ca }),
        from: FROM,
        log,
        pollMs: 20,
        retryDelaysS: Array(30).fill(0) as number[],
      });
      let count = 0;
      const before = smtp.received.length;
      smtp.faults = {
        get mail() {
          return count++ % 5 === 0 ? 451 : undefined;
        },
      } as never;
      const ids = await Promise.all(Array.from({ length: many }, () => queue()));
      for (const id of ids) assert.equal((await endOf(id)).email.state, 'sent');
      smtp.faults = {};
      await other.stop(1_000);
      const taken = await Promise.all(
        smtp.received.slice(before).map(async ({ bytes }) => (await PostalMime.parse(bytes)).messageId ?? ''),
      );
      const wanted = new Set(ids.map((id) => `<${id}@example.org>`));
      assert.deepEqual(taken.filter((id) => wanted.has(id)).sort(), [...wanted].sort());
    });

    it('deletes what ended long ago and nothing else', async () => {
      const queueOf = await openEmailQueueBeside(store);
      const [sent, failed] = await createEmailBox(store.db).listEmails({ limit: 2, state: 'sent' });
      await sql`update emails set finished_at = now() - interval '91 days' where id = ${sent!.id}`.execute(store.db);
      assert.equal(await queueOf.deleteExpired(), 1);
      assert.equal(await createEmailBox(store.db).showEmail(sent!.id), null);
      assert.ok((await createEmailBox(store.db).showEmail(failed!.id)) !== null);
    });

    it('gives back what was not handed over when it is stopped, and leaves unknown what was', async () => {
      await using rcpt = await startScriptedServer(scriptWith({ RCPT: 'hang' }));
      await using end = await startScriptedServer(scriptWith({ END: 'hang' }));
      for (const [server, state, tries] of [
        [rcpt, 'pending', 0],
        [end, 'unknown', 1],
      ] as const) {
        await stopSender();
        sender = startEmailSender({
          queue: await openEmailQueue(store, randomUUID()),
          smtp: openSmtp({ host: 'localhost', port: server.port, tls: 'off', user: null, password: null }),
          from: FROM,
          log,
          pollMs: 20,
        });
        const id = await queue();
        await until(() => server.waiting());
        await stopSender(0);
        const row = await store.db
          .selectFrom('emails')
          .select(['state', 'tries'])
          .where('id', '=', id)
          .executeTakeFirst();
        assert.deepEqual([row?.state, row?.tries], [state, tries]);
        await sql`delete from emails where id = ${id}`.execute(store.db);
      }
    });

    // The embedded database takes seconds to open, so there only the two sides of the line.
    const points = engine.name === 'embedded' ? ['RCPT', 'END'] : ['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'END'];
    for (const point of points) {
      const state = point === 'END' ? 'unknown' : 'pending';
      it(`J6 is ${state}, never lost, when the sender is killed at ${point}`, async () => {
        await stopSender();
        await using server = await startScriptedServer(scriptWith({ [point]: 'hang' }));
        const id = await queue();
        await store.close();
        const child = spawn(
          process.execPath,
          [CHILD, String(server.port), database.dataDir, database.databaseUrl ?? ''],
          {
            stdio: ['ignore', 'ignore', 'inherit'],
          },
        );
        const ended = once(child, 'exit');
        await until(() => server.waiting());
        child.kill('SIGKILL');
        await ended;
        store = await open();
        await sql`update emails set lease_until = now() where state = 'sending'`.execute(store.db);
        // Opening and looking is all a new sender does with them.
        await (await openEmailQueue(store, randomUUID())).reapExpired();
        const { email, attempts } = (await createEmailBox(store.db).showEmail(id))!;
        assert.deepEqual([email.state, attempts.length], [state, 1], email.detail ?? '');
        assert.equal(email.messageId, `<${id}@example.org>`);
        smtp.faults = {};
        const before = smtp.received.length;
        await startSender();
        if (state === 'unknown') await createEmailBox(store.db).resendEmail(id);
        assert.equal((await endOf(id, ['sent'])).attempts.length, 2);
        assert.equal(smtp.received.length, before + 1);
      });
    }
  });
}

async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + WAIT_MS;
  while (!isSo()) {
    assert.ok(performance.now() < giveUpAt, 'it did not get there');
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** A second queue on the store of this process; opening one on the embedded database takes other leases for dead. */
async function openEmailQueueBeside(store: Store) {
  return openEmailQueue({ ...store, engine: 'postgres' }, randomUUID());
}

async function* one(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
