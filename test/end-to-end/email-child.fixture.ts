/** The process that is killed: `node email-child.fixture.ts SMTP_PORT DATA_DIR [DATABASE_URL]` sends what is due. */
import { randomUUID } from 'node:crypto';
import { parseMailbox } from '../../src/email/email.ts';
import { openSmtp } from '../../src/email/open-smtp.ts';
import { startEmailSender } from '../../src/email/start-email-sender.ts';
import { createLog } from '../../src/log.ts';
import { openEmailQueue } from '../../src/db/email/create-email-queue.ts';
import { openStore } from '../../src/db/open-store.ts';

const [port, dataDir, databaseUrl] = process.argv.slice(2);
if (port === undefined || dataDir === undefined) throw new Error('wanted a port and a data folder as arguments');
const log = createLog({ level: 'error', json: true });
const store = await openStore({ dataDir, databaseUrl: databaseUrl || null, poolSize: 5, log });
const settings = { host: 'localhost', port: Number(port), tls: 'off', user: null, password: null } as const;
startEmailSender({
  queue: await openEmailQueue(store, randomUUID()),
  smtp: openSmtp(settings),
  from: parseMailbox('firstmile@example.org')!,
  log,
  pollMs: 50,
});
