import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../../auth/scopes.ts';
import { createToken } from '../../auth/tokens.ts';
import type { Config } from '../../config/settings.ts';
import { parseMailbox } from '../../email/email.ts';
import { createLog } from '../../log.ts';
import { FIRST_USER, openCredentials } from '../../app/credentials.ts';
import { DAY_MS } from '../../durations.ts';

/** A service to show things with. */
export interface DemoService extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Folder of its database; null for one that somebody else runs. */
  readonly dataDir: string | null;
}

interface DemoServiceOptions {
  /** Null makes a folder that is removed at the end. */
  readonly dataDir: string | null;
  /** Where reports are sent, as `SMTP_URL` wants it. */
  readonly smtpUrl: string;
  /** File that gets the log. */
  readonly logFile: string;
}

const TOKEN_LIFE_MS = DAY_MS;

/**
 * Starts a service on a free port of this machine, with the sample district and an embedded database. It may send webhooks
 * to this machine and emails to the given server, and to nowhere else.
 */
export async function startDemoService(base: Config, options: DemoServiceOptions): Promise<DemoService> {
  await using opened = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'firstmile-demo-')));
  if (options.dataDir === null) opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  const config: Config = {
    ...base,
    dataDir,
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    databaseUrl: null,
    runTasks: true,
    rateLimit: null,
    sampleDistrict: true,
    production: false,
    webhookAllowLocal: true,
    smtpUrl: options.smtpUrl,
    smtpTls: false,
    emailFrom: parseMailbox('Firstmile demo <demo@localhost>'),
  };
  const log = createWriteStream(options.logFile);
  opened.defer(() => new Promise<void>((done) => log.end(() => done())));
  // Not loaded before it is needed: the other commands start faster without the server.
  const { startService } = await import('../../main.ts');
  const service = await startService(config, createLog({ level: 'info', json: true, stream: log }));
  opened.defer(() => service.close());
  const token = await makeToken(config);
  const keepOpen = opened.move();
  return { url: service.url, token, dataDir, [Symbol.asyncDispose]: () => keepOpen.disposeAsync() };
}

/** A token of the first user, for a day. */
async function makeToken(config: Config): Promise<string> {
  await using opened = await openCredentials(config);
  const user = await opened.credentials.userByEmail(FIRST_USER);
  if (user === null) throw new Error(`there is no user ${FIRST_USER} in ${config.dataDir}; leave out --data`);
  const { token, hash } = createToken();
  const expiresAt = new Date(Date.now() + TOKEN_LIFE_MS);
  await opened.credentials.addToken({ userId: user.id, label: 'demo', scopes: SCOPES, hash, expiresAt });
  return token;
}
