import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe } from 'node:test';
import { type EmailContent, type EmailState, parseMailbox } from '../../src/email/email.ts';
import type { ShownEmail } from '../../src/email/email-queue.ts';
import { openSmtp } from '../../src/email/open-smtp.ts';
import { prepareEmail } from '../../src/email/prepare-email.ts';
import { startEmailSender, type EmailSender } from '../../src/email/start-email-sender.ts';
import { createLog } from '../../src/log.ts';
import { createEmailBox } from '../../src/db/email/create-email-box.ts';
import { openEmailQueue } from '../../src/db/email/create-email-queue.ts';
import { queueEmail } from '../../src/db/email/queue-email.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { oneEngine, type TestDatabase, type TestEngine } from '../contracts/engines.ts';
import { SMTP_USER, startSmtpServer, type TestSmtpServer } from '../smtp-fault-server.ts';

export const log = createLog({ level: 'silent', json: true });
export const FROM = parseMailbox('Firstmile <firstmile@example.org>')!;
const WAIT_MS = 60_000;

/** What the tests of the outbox on one engine share; a test may put another store, server or sender in place. */
export interface Outbox {
  readonly engine: TestEngine['name'];
  database: TestDatabase;
  store: Store;
  smtp: TestSmtpServer;
  sender: EmailSender | null;
  open(): Promise<Store>;
  /** In place of the one before, to the server of the moment. */
  startSender(retryDelaysS?: readonly number[]): Promise<void>;
  stopSender(drainMs?: number): Promise<void>;
  queue(given?: Partial<EmailContent>, to?: string): Promise<string>;
  /** The email once it is in one of the states. */
  endOf(id: string, states?: readonly EmailState[]): Promise<ShownEmail>;
}

/** Describes `tests` on each engine with a database and a mail server of their own. */
export function describeOutbox(title: string, tests: (outbox: Outbox) => void): void {
  for (const engine of oneEngine()) {
    describe(`${title} on ${engine.name}`, { skip: engine.skip }, () => {
      const outbox = createOutbox(engine.name);
      before(async () => {
        outbox.database = await engine.create();
        outbox.store = await outbox.open();
        outbox.smtp = await startSmtpServer();
      });
      after(async () => {
        await outbox.stopSender();
        await outbox.smtp[Symbol.asyncDispose]();
        await outbox.store.close();
        await outbox.database.drop();
      });
      tests(outbox);
    });
  }
}

function createOutbox(engine: TestEngine['name']): Outbox {
  const outbox: Omit<Outbox, 'database' | 'store' | 'smtp'> & Partial<Outbox> = {
    engine,
    sender: null,
    open() {
      const { dataDir, databaseUrl } = ready.database;
      return openStore({ dataDir, databaseUrl, poolSize: 8, log });
    },
    async stopSender(drainMs = 0) {
      await ready.sender?.stop(drainMs);
      ready.sender = null;
    },
    async startSender(retryDelaysS = [0, 0, 0]) {
      await ready.stopSender();
      const { port, ca } = ready.smtp;
      ready.sender = startEmailSender({
        queue: await openEmailQueue(ready.store, randomUUID()),
        smtp: openSmtp({ host: 'localhost', port, tls: 'upgrade', ...SMTP_USER, ca }),
        from: FROM,
        log,
        pollMs: 20,
        retryDelaysS,
      });
    },
    async queue(given = {}, to = 'ana@example.org') {
      const email = prepareEmail({ key: `test/${randomUUID()}`, userId: 'u', to, content: content(given) });
      const { db } = ready.store;
      await db.transaction().execute((trx) => queueEmail(trx, email));
      return (await db.selectFrom('emails').select('id').where('key', '=', email.key).executeTakeFirstOrThrow()).id;
    },
    async endOf(id, states = ['sent', 'failed', 'unknown']) {
      const giveUpAt = performance.now() + WAIT_MS;
      for (;;) {
        const shown = await createEmailBox(ready.store.db).showEmail(id);
        if (shown !== null && states.includes(shown.email.state)) return shown;
        assert.ok(performance.now() < giveUpAt, `email ${id} is ${shown?.email.state}: ${shown?.email.detail}`);
        await new Promise((done) => setTimeout(done, 20));
      }
    },
  };
  const ready = outbox as Outbox;
  return ready;
}

export function content(more: Partial<EmailContent> = {}): EmailContent {
  return {
    kind: 'report',
    subject: 'Statement for lot 7',
    text: 'It is ready.',
    attachments: [],
    textWithoutAttachments: null,
    ...more,
  };
}

export async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + WAIT_MS;
  while (!isSo()) {
    assert.ok(performance.now() < giveUpAt, 'it did not get there');
    await new Promise((done) => setTimeout(done, 5));
  }
}
