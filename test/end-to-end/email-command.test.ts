import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { prepareEmail } from '../../src/email/prepare-email.ts';
import { createLog } from '../../src/log.ts';
import { queueEmail } from '../../src/db/email/queue-email.ts';
import { openStore } from '../../src/db/open-store.ts';
import { copyFirstDatabase } from '../first-database.ts';
import { SMTP_USER, startSmtpServer } from '../smtp-fault-server.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

const log = createLog({ level: 'silent', json: true });
const WAIT_MS = 60_000;
const CONTENT = {
  kind: 'report',
  subject: 'Statement for lot 7',
  text: 'It is ready.',
  attachments: [],
  textWithoutAttachments: null,
} as const;

describe('firstmile email', () => {
  it('lists, shows and resends while the service runs on its embedded database, and the service sends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-email-'));
    try {
      const dataDir = join(folder, 'data');
      await shareSampleDistrict(dataDir);
      await copyFirstDatabase(dataDir);
      const store = await openStore({ dataDir, databaseUrl: null, poolSize: 2, log });
      const email = prepareEmail({ key: 'k', userId: 'u', to: 'ana@example.org', content: CONTENT });
      await store.db.transaction().execute((trx) => queueEmail(trx, email));
      await store.close();
      const env = { DATA_DIR: dataDir };
      const waiting = await runCommand(['email', 'list'], env);
      assert.equal(waiting.code, 0, waiting.err);
      const id = /\w{8}(-\w{4}){3}-\w{12}/.exec(waiting.out)?.[0] ?? '';
      assert.match(waiting.err, /SMTP_URL is not set/);
      assert.match((await runCommand(['email', 'list', '--limit', '1'], env)).err, /the newest 1; --limit shows more/);

      await using smtp = await startSmtpServer({ rcpt: 550 });
      const ca = join(folder, 'ca.pem');
      await writeFile(ca, smtp.ca);
      const password = encodeURIComponent(SMTP_USER.password);
      await using service = await runService({
        ownProcess: true,
        dataDir,
        env: {
          SMTP_URL: `smtp://${SMTP_USER.user}:${password}@localhost:${smtp.port}`,
          EMAIL_FROM: 'Firstmile <firstmile@example.org>',
          NODE_EXTRA_CA_CERTS: ca,
        },
      });
      const shownAs = async (pattern: RegExp): Promise<string> => {
        const giveUpAt = performance.now() + WAIT_MS;
        for (;;) {
          const { out, err } = await runCommand(['email', 'show', id], env);
          if (pattern.test(out)) return out;
          assert.ok(performance.now() < giveUpAt, `${out}\n${err}\n${service.output().err}`);
        }
      };
      assert.match(await shownAs(/State: +failed/), /Attempt 1: .*refused: RCPT TO: 550/);
      smtp.faults = {};
      const resent = await runCommand(['email', 'resend', id], env);
      assert.match(resent.err, /is due now/);
      assert.match(await shownAs(/State: +sent/), new RegExp(`Message-ID: +<${id}@example.org>`));
      assert.equal(smtp.received.length, 1);
      assert.equal((await runCommand(['email', 'resend', id], env)).code, 1);
      const listed = await runCommand(['email', 'list', '--state', 'sent', '--json'], env);
      assert.equal((JSON.parse(listed.out) as { id: string }[])[0]?.id, id);
      assert.equal((await runCommand(['email', 'show', randomUUID()], env)).code, 1);
      assert.equal((await runCommand(['email', 'list', '--state', 'lost'], env)).code, 2);
      assert.ok(!`${service.output().out}${service.output().err}`.includes(SMTP_USER.password));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
