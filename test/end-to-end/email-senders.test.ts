import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { openSmtp } from '../../src/email/open-smtp.ts';
import { startEmailSender } from '../../src/email/start-email-sender.ts';
import { createEmailBox } from '../../src/db/email/create-email-box.ts';
import { openEmailQueue } from '../../src/db/email/create-email-queue.ts';
import type { Store } from '../../src/db/open-store.ts';
import { scriptWith, SMTP_USER, startScriptedServer } from '../smtp-fault-server.ts';
import { describeOutbox, FROM, log, until } from './email-outbox.ts';
import { sized } from './webhooks/webhooks-suite.ts';

const CHILD = join(import.meta.dirname, 'email-child.fixture.ts');

describeOutbox('senders of the outbox', (outbox) => {
  it('lets another sender take over when the lease ran out, and the first one write nothing', async () => {
    await outbox.stopSender();
    const id = await outbox.queue();
    const [first, second] = [randomUUID(), randomUUID()];
    const queueOf = async (owner: string) => openEmailQueue(outbox.store, owner);
    const slow = await queueOf(first);
    const [claimed] = await slow.claim(1, 'example.org');
    assert.equal(claimed?.id, id);
    assert.deepEqual(await slow.claim(1, 'example.org'), []);
    await sql`update emails set lease_until = now() - interval '1 second' where id = ${id}`.execute(outbox.store.db);
    const other = await queueOf(second);
    await other.reapExpired();
    const [again] = await other.claim(1, 'example.org');
    assert.deepEqual([again?.id, again?.attempt], [id, 2]);
    assert.equal(await slow.markHandedOver(claimed!), false);
    assert.equal(await slow.record(claimed!, { result: 'sent', detail: 'late', againAfterS: null }), false);
    assert.equal(await other.markHandedOver(again!), true);
    await sql`update emails set lease_until = now() - interval '1 second' where id = ${id}`.execute(outbox.store.db);
    assert.equal(await other.reapExpired(), 1);
    assert.equal((await outbox.endOf(id)).email.state, 'unknown');
  });

  const many = sized(200, 1_000);
  it(`J1 sends all of ${many} emails once, by two senders, while the server fails now and then`, async () => {
    await outbox.startSender(Array(30).fill(0));
    const other = startEmailSender({
      queue: await openEmailQueueBeside(outbox.store),
      smtp: openSmtp({ host: 'localhost', port: outbox.smtp.port, tls: 'upgrade', ...SMTP_USER, ca: outbox.smtp.ca }),
      from: FROM,
      log,
      pollMs: 20,
      retryDelaysS: Array(30).fill(0) as number[],
    });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => other.stop(1_000));
    let count = 0;
    const before = outbox.smtp.received.length;
    outbox.smtp.faults = {
      get mail() {
        return count++ % 5 === 0 ? 451 : undefined;
      },
    } as never;
    const ids = await Promise.all(Array.from({ length: many }, () => outbox.queue()));
    for (const id of ids) assert.equal((await outbox.endOf(id)).email.state, 'sent');
    outbox.smtp.faults = {};
    await other.stop(1_000);
    const taken = await Promise.all(
      outbox.smtp.received.slice(before).map(async ({ bytes }) => (await PostalMime.parse(bytes)).messageId ?? ''),
    );
    const wanted = new Set(ids.map((id) => `<${id}@example.org>`));
    assert.deepEqual(taken.filter((id) => wanted.has(id)).sort(), [...wanted].sort());
  });

  it('deletes what ended long ago and nothing else', async () => {
    const queueOf = await openEmailQueueBeside(outbox.store);
    const [sent, failed] = await createEmailBox(outbox.store.db).listEmails({ limit: 2, state: 'sent' });
    await sql`update emails set finished_at = now() - interval '91 days' where id = ${sent!.id}`.execute(
      outbox.store.db,
    );
    assert.equal(await queueOf.deleteExpired(), 1);
    assert.equal(await createEmailBox(outbox.store.db).showEmail(sent!.id), null);
    assert.ok((await createEmailBox(outbox.store.db).showEmail(failed!.id)) !== null);
  });

  it('gives back what was not handed over when it is stopped, and leaves unknown what was', async () => {
    await using rcpt = await startScriptedServer(scriptWith({ RCPT: 'hang' }));
    await using end = await startScriptedServer(scriptWith({ END: 'hang' }));
    for (const [server, state, tries] of [
      [rcpt, 'pending', 0],
      [end, 'unknown', 1],
    ] as const) {
      await outbox.stopSender();
      outbox.sender = startEmailSender({
        queue: await openEmailQueue(outbox.store, randomUUID()),
        smtp: openSmtp({ host: 'localhost', port: server.port, tls: 'off', user: null, password: null }),
        from: FROM,
        log,
        pollMs: 20,
      });
      const id = await outbox.queue();
      await until(() => server.waiting());
      await outbox.stopSender(0);
      const row = await outbox.store.db
        .selectFrom('emails')
        .select(['state', 'tries'])
        .where('id', '=', id)
        .executeTakeFirst();
      assert.deepEqual([row?.state, row?.tries], [state, tries]);
      await sql`delete from emails where id = ${id}`.execute(outbox.store.db);
    }
  });

  // The embedded database takes seconds to open, so there only the two sides of the line.
  const points = outbox.engine === 'embedded' ? ['RCPT', 'END'] : ['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'END'];
  for (const point of points) {
    const state = point === 'END' ? 'unknown' : 'pending';
    it(`J6 is ${state}, never lost, when the sender is killed at ${point}`, async () => {
      await outbox.stopSender();
      await using server = await startScriptedServer(scriptWith({ [point]: 'hang' }));
      const id = await outbox.queue();
      await outbox.store.close();
      const child = spawn(
        process.execPath,
        [CHILD, String(server.port), outbox.database.dataDir, outbox.database.databaseUrl ?? ''],
        {
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      );
      const ended = once(child, 'exit');
      await until(() => server.waiting());
      child.kill('SIGKILL');
      await ended;
      outbox.store = await outbox.open();
      await sql`update emails set lease_until = now() where state = 'sending'`.execute(outbox.store.db);
      // Opening and looking is all a new sender does with them.
      await (await openEmailQueue(outbox.store, randomUUID())).reapExpired();
      const { email, attempts } = (await createEmailBox(outbox.store.db).showEmail(id))!;
      assert.deepEqual([email.state, attempts.length], [state, 1], email.detail ?? '');
      assert.equal(email.messageId, `<${id}@example.org>`);
      outbox.smtp.faults = {};
      const before = outbox.smtp.received.length;
      await outbox.startSender();
      if (state === 'unknown') await createEmailBox(outbox.store.db).resendEmail(id);
      assert.equal((await outbox.endOf(id, ['sent'])).attempts.length, 2);
      assert.equal(outbox.smtp.received.length, before + 1);
    });
  }
});

/** A second queue on the store of this process; opening one on the embedded database takes other leases for dead. */
async function openEmailQueueBeside(store: Store) {
  return openEmailQueue({ ...store, engine: 'postgres' }, randomUUID());
}
