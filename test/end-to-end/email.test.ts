import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { prepareEmail } from '../../src/email/prepare-email.ts';
import { webhookNotices } from '../../src/service/email/notices.ts';
import { createEmailBox } from '../../src/db/email/create-email-box.ts';
import { queueEmail } from '../../src/db/email/queue-email.ts';
import { startSmtpServer } from '../smtp-fault-server.ts';
import { content, describeOutbox } from './email-outbox.ts';

describeOutbox('the outbox', (outbox) => {
  it('makes one email of a key, in the transaction of its caller and not without it', async () => {
    const email = prepareEmail({ key: 'batch/1', userId: 'u', to: 'ana@example.org', content: content() });
    const failing = outbox.store.db.transaction().execute(async (trx) => {
      assert.equal(await queueEmail(trx, email), true);
      throw new Error('rolled back');
    });
    await assert.rejects(failing, /rolled back/);
    assert.deepEqual(await createEmailBox(outbox.store.db).listEmails({ limit: 10 }), []);
    const results = await Promise.all(
      Array.from({ length: 20 }, () => outbox.store.db.transaction().execute((trx) => queueEmail(trx, email))),
    );
    assert.equal(results.filter(Boolean).length, 1);
    const [listed] = await createEmailBox(outbox.store.db).listEmails({ limit: 10 });
    assert.deepEqual([listed?.key, listed?.state, listed?.attempts], ['batch/1', 'pending', 0]);
  });

  it('J3 sends the frozen content once, with its file and a Message-ID made of its id', async () => {
    const report = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i & 255));
    const blob = await outbox.store.blobs.put(one(report));
    const sha256 = createHash('sha256').update(report).digest('hex');
    const file = {
      filename: "Côte d'Ivoire.zip",
      contentType: 'application/zip',
      blobId: blob.id,
      size: blob.size,
      sha256,
    };
    const id = await outbox.queue({ subject: 'Lot\r\nBcc: eve@example.org', attachments: [file] });
    await outbox.startSender();
    const { email, attempts } = await outbox.endOf(id);
    assert.equal(email.state, 'sent', email.detail ?? '');
    assert.equal(attempts.length, 1);
    const taken = outbox.smtp.received.find(({ bytes }) => bytes.includes(id))!;
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
    assert.deepEqual(await createEmailBox(outbox.store.db).resendEmail(id), 'sent');
  });

  it('refuses to send a file that is gone or was changed', async () => {
    const blob = await outbox.store.blobs.put(one(Buffer.from('report')));
    const file = {
      filename: 'a.zip',
      contentType: 'application/zip',
      blobId: blob.id,
      size: 6,
      sha256: '0'.repeat(64),
    };
    const changed = await outbox.queue({ attachments: [file] });
    const gone = await outbox.queue({ attachments: [{ ...file, blobId: randomUUID() }] });
    assert.match((await outbox.endOf(changed)).email.detail ?? '', /a\.zip was changed/);
    assert.match((await outbox.endOf(gone)).email.detail ?? '', /a\.zip is no longer kept/);
  });

  it('sends the text alone when the server takes no message of that size', async () => {
    const report = Buffer.alloc(50_000, 1);
    const blob = await outbox.store.blobs.put(one(report));
    const sha256 = createHash('sha256').update(report).digest('hex');
    const file = { filename: 'a.zip', contentType: 'application/zip', blobId: blob.id, size: blob.size, sha256 };
    await using small = await startSmtpServer({ maxBytes: 20_000 });
    const kept = outbox.smtp;
    outbox.smtp = small;
    await outbox.startSender();
    const id = await outbox.queue({ attachments: [file], textWithoutAttachments: 'Fetch it.' });
    assert.equal((await outbox.endOf(id)).email.state, 'sent');
    outbox.smtp = kept;
    await outbox.startSender();
    const parsed = await PostalMime.parse(small.received[0]!.bytes);
    assert.deepEqual([small.received.length, parsed.text?.trim(), parsed.attachments], [1, 'Fetch it.', []]);
  });

  it('tries again after a passing fault, with the same Message-ID, and gives up after the last delay', async () => {
    outbox.smtp.faults = { rcpt: 450 };
    const id = await outbox.queue();
    const { email, attempts } = await outbox.endOf(id);
    assert.equal(email.state, 'failed');
    assert.match(email.detail ?? '', /given up after the last attempt: RCPT TO: 450/);
    assert.deepEqual(
      attempts.map(({ number, result }) => [number, result]),
      [1, 2, 3, 4].map((n) => [n, 'again']),
    );
    outbox.smtp.faults = {};
    assert.equal(await createEmailBox(outbox.store.db).resendEmail(id), 'queued');
    assert.equal((await outbox.endOf(id, ['sent'])).attempts.length, 5);
    assert.equal((await PostalMime.parse(outbox.smtp.received.at(-1)!.bytes)).messageId, email.messageId);
  });

  it('waits as long as the table says', async () => {
    outbox.smtp.faults = { mail: 451 };
    await outbox.startSender([3_600]);
    const id = await outbox.queue();
    const { email } = await outbox.endOf(id, ['pending']).then(async (shown) => {
      for (let now = shown; ; now = await outbox.endOf(id, ['pending', 'sending']))
        if (now.attempts.length > 0) return now;
    });
    const { rows } = await sql<{ wait: number }>`
      select extract(epoch from next_attempt_at - now())::float8 as wait from emails where id = ${id}`.execute(
      outbox.store.db,
    );
    assert.ok(rows[0]!.wait > 3_500 && rows[0]!.wait <= 3_600, `${rows[0]!.wait} s, ${email.detail}`);
    outbox.smtp.faults = {};
    await outbox.startSender();
    await createEmailBox(outbox.store.db).resendEmail(id);
    await outbox.endOf(id, ['sent']);
  });

  it('fails at once when the server refuses for good', async () => {
    outbox.smtp.faults = { rcpt: 550 };
    const { email, attempts } = await outbox.endOf(await outbox.queue());
    outbox.smtp.faults = {};
    assert.deepEqual([email.state, attempts.length], ['failed', 1]);
  });

  it('J1 is unknown when the answer is lost, and is not sent again by itself', async () => {
    const before = outbox.smtp.received.length;
    outbox.smtp.faults = { end: 'drop' };
    const id = await outbox.queue();
    const { email, attempts } = await outbox.endOf(id);
    assert.deepEqual([email.state, attempts.length], ['unknown', 1]);
    outbox.smtp.faults = {};
    // Whatever is due would have been sent before an email that is queued later.
    await outbox.endOf(await outbox.queue());
    assert.equal(outbox.smtp.received.length, before + 2);
    assert.equal(await createEmailBox(outbox.store.db).resendEmail(id), 'queued');
    await outbox.endOf(id, ['sent']);
    const ids = await Promise.all(
      outbox.smtp.received.slice(before).map(async ({ bytes }) => (await PostalMime.parse(bytes)).messageId),
    );
    assert.deepEqual([ids[0], ids[2]], [email.messageId, email.messageId]);
  });

  it('keeps an email to an address that cannot be used as failed', async () => {
    const { email } = await outbox.endOf(await outbox.queue({}, 'nobody\r\nat all'));
    assert.deepEqual([email.state, email.attempts], ['failed', 0]);
    assert.match(email.detail ?? '', /not an address/);
  });

  it('writes one notice an hour to a user whose deliveries fail, and one of a pause', async () => {
    const user = await outbox.store.credentials.addUser('ana@example.org', null);
    await outbox.stopSender();
    const onNotice = webhookNotices('https://firstmile.example.org');
    const failed = {
      kind: 'delivery_failed',
      reason: 'status_5xx',
      url: 'https://hooks.example.org/x',
      deliveryId: 'd',
      eventId: 'e',
    } as const;
    const notice = { ...failed, eventType: 'batch_zonal_stats_complete', failedAt: new Date() };
    await outbox.store.db.transaction().execute(async (trx) => {
      for (let i = 0; i < 5; i++) await onNotice(trx, { ...notice, userId: user.id });
      await onNotice(trx, { kind: 'webhook_paused', userId: user.id, url: failed.url, failures: 10 });
      await onNotice(trx, { ...notice, userId: 'somebody of another issuer' });
    });
    const emails = await createEmailBox(outbox.store.db).listEmails({ limit: 100, state: 'pending' });
    assert.deepEqual(emails.map(({ kind }) => kind).sort(), ['deliveries_paused', 'delivery_failed']);
    assert.ok(emails.every(({ to }) => to === 'ana@example.org'));
    const failure = emails.find(({ kind }) => kind === 'delivery_failed')!;
    const { text } = (await createEmailBox(outbox.store.db).showEmail(failure.id))!;
    assert.match(text, /Reason: {4}The receiver failed\./);
  });
});

async function* one(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
