import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { parseMailbox } from '../../../src/email/email.ts';
import { openSmtp } from '../../../src/email/open-smtp.ts';
import { startEmailSender } from '../../../src/email/start-email-sender.ts';
import { createLog } from '../../../src/log.ts';
import { webhookNotices } from '../../../src/service/email/notices.ts';
import { createEmailBox } from '../../../src/db/email/create-email-box.ts';
import { openEmailQueue } from '../../../src/db/email/create-email-queue.ts';
import { SMTP_USER, startSmtpServer } from '../../smtp-fault-server.ts';
import { accept, answers, startReceiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, settled } from './webhooks-site.ts';
import { describeOnEngines } from './webhooks-suite.ts';

// J1 to J3 and J6 are in src/email/open-smtp.test.ts, src/email/prepare-email.test.ts, email.test.ts and email-senders.test.ts.
describeOnEngines('J. email beside webhooks', (suite) => {
  it('J5 a mail server that is away delays emails and nothing else', async () => {
    const { db, credentials } = suite.store();
    await using smtp = await startSmtpServer({ connect: 421 });
    const sender = startEmailSender({
      queue: await openEmailQueue(suite.store(), randomUUID()),
      smtp: openSmtp({ host: 'localhost', port: smtp.port, tls: 'upgrade', ...SMTP_USER, ca: smtp.ca }),
      from: parseMailbox('firstmile@example.org')!,
      log: createLog({ level: 'silent', json: true }),
      pollMs: 20,
      // Six hours of outage, in attempts.
      retryDelaysS: Array(1_000).fill(0.05) as number[],
    });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => sender.stop(1_000));
    await using receiver = await startReceiver(answers(500));
    await using site = await suite.open({
      retryDelaysS: [],
      onNotice: webhookNotices('https://firstmile.example.org'),
    });
    const user = await credentials.addUser(`${newUser()}@example.org`, null);
    await site.webhooks.register(user.id, receiver.url());
    await completeWork(suite.store(), site.webhooks, user.id);
    await settled(site.webhooks, user.id, ['failed']);
    receiver.behave(accept);
    for (let i = 0; i < 20; i++) await completeWork(suite.store(), site.webhooks, user.id);
    await eventually(async () => ((await site.webhooks.count()).pending === 0 ? true : null));
    assert.equal((await site.webhooks.list(user.id, { limit: 100, state: 'delivered' })).length, 20);
    const box = createEmailBox(db);
    const waiting = await eventually(async () => {
      const [email] = await box.listEmails({ limit: 10 });
      return email !== undefined && email.attempts > 1 ? email : null;
    });
    assert.ok(waiting.state === 'pending' || waiting.state === 'sending', waiting.state);
    assert.equal(smtp.received.length, 0);
    smtp.faults = {};
    const sent = await eventually(async () => {
      const [email] = await box.listEmails({ limit: 10, state: 'sent' });
      return email ?? null;
    });
    assert.equal(sent.to, user.email);
    assert.ok(sent.attempts >= waiting.attempts);
    assert.equal(smtp.received.length, 1);
  });
});
