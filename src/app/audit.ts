import { appendFile, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AuditLog, NewAct } from '../auth/audit-log.ts';
import type { Config } from '../config/settings.ts';
import { createLog } from '../log.ts';
import { createAuditLog } from '../db/audit-log.ts';
import { connectRunning } from './control.ts';
import { Problem } from '../errors.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';

interface OpenedAudit extends AsyncDisposable {
  readonly audit: AuditLog;
}

/** The audit log for the command line: through the running service, otherwise from the database. */
export async function openAudit(config: Config): Promise<OpenedAudit> {
  const running = await connectRunning(config);
  if (running !== null) return { audit: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  const audit = createAuditLog(store.db, config.auditRetentionDays);
  await takeInActs(config.dataDir, audit);
  return { audit, [Symbol.asyncDispose]: () => store.close() };
}

/**
 * Records what a command did. Where no service runs on the embedded database the act waits in a file of the data folder,
 * which the next start takes in: a command that changes files alone need not open a database for it.
 */
export async function recordCommandAct(config: Config, act: NewAct): Promise<void> {
  const running = await connectRunning(config);
  if (running !== null) return running.recordAct(act);
  if (config.databaseUrl === null)
    return appendFile(pendingPath(config.dataDir), `${JSON.stringify({ ...act, at: new Date() })}\n`, {
      mode: 0o600,
    });
  await using opened = await openAudit(config);
  await opened.audit.recordAct(act);
}

/** Moves the acts that wait in the data folder into the database; a line that a crash cut off is left out. */
export async function takeInActs(dataDir: string, audit: Pick<AuditLog, 'recordAct'>): Promise<void> {
  const taken = `${pendingPath(dataDir)}.taken`;
  // One that an earlier start did not finish comes first, so that it is not overwritten.
  await takeIn(taken, audit);
  await rename(pendingPath(dataDir), taken).catch(unlessMissing);
  await takeIn(taken, audit);
}

async function takeIn(path: string, audit: Pick<AuditLog, 'recordAct'>): Promise<void> {
  const text = (await readFile(path, 'utf8').catch(unlessMissing)) ?? '';
  for (const line of text.split('\n')) {
    const act = parseAct(line);
    if (act !== null) await recordOrKeep(act, line, path, audit);
  }
  await rm(path, { force: true });
}

/** An act that the database refuses, as one of another release, is kept in a file: it must not keep the service from starting. */
async function recordOrKeep(
  act: NewAct,
  line: string,
  path: string,
  audit: Pick<AuditLog, 'recordAct'>,
): Promise<void> {
  try {
    await audit.recordAct(act);
  } catch (error) {
    // A database that is away is there again at the next start.
    if (error instanceof Problem) throw error;
    await appendFile(join(dirname(path), 'audit-refused.jsonl'), `${line}\n`, { mode: 0o600 });
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

function parseAct(line: string): NewAct | null {
  try {
    const { at, ...act } = JSON.parse(line) as Omit<NewAct, 'at'> & { readonly at: string };
    return { ...act, at: new Date(at) };
  } catch {
    return null;
  }
}

function pendingPath(dataDir: string): string {
  return join(dataDir, 'audit-pending.jsonl');
}
