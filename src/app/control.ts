import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { CredentialStore } from '../auth/principal.ts';
import type { EmailBox } from '../email/email-queue.ts';
import type { QueueViewer } from '../db/tasks/show-queue.ts';
import type { AuditLog } from '../auth/audit-log.ts';
import type { PlaceLookups } from './lookups-control.ts';
import type { MapExport } from './map-control.ts';
import type { BackupAdmin } from './operate/backup-control.ts';
import type { TracesAdmin } from './traces-control.ts';
import type { ReviewAdmin } from './reviews/review-control.ts';
import type { WatchAdmin } from './watches/watch-control.ts';
import type { SigningAdmin } from './signatures/signing-control.ts';
import type { UsersAdmin } from './users-control.ts';
import type { CollectionAdmin, ExportAdmin } from './collections-control.ts';
import type { BatchAnnouncer } from './webhooks-announce.ts';
import type { WebhookService } from '../service/webhooks/webhooks.ts';
import type { Config } from '../config/settings.ts';
import { prepareDataFolder } from '../config/data-folder.ts';

/** What the command line may request from a service that holds the embedded database open. */
const CONTROL_METHODS = [
  'addUser',
  'setPassword',
  'userByEmail',
  'userById',
  'addToken',
  'listTokens',
  'revokeToken',
  'listEmails',
  'showEmail',
  'resendEmail',
  'showQueue',
  'resealSecrets',
  'announceBatch',
  'listCollections',
  'showCollection',
  'deleteCollection',
  'processFile',
  'exportEudrDds',
  'exportMap',
  'recordAct',
  'listActs',
  'listUsers',
  'removeUser',
  'giveOwned',
  'filingStatus',
  'setFilingCredentials',
  'removeFilingCredentials',
  'echoFiling',
  'verifyNumbers',
  'checkFiling',
  'submitFiling',
  'listSubmissions',
  'findSubmission',
  'cancelSubmission',
  'retractSubmission',
  'amendSubmission',
  'changeConfirmation',
  'serviceAddress',
  'listSigningKeys',
  'rotateSigningKey',
  'signFile',
  'lookUpForest',
  'rateFacilities',
  'catalogueInUse',
  'snapshotDatabase',
  'watchCollection',
  'unwatchCollection',
  'listWatches',
  'showWatch',
  'showWatchRun',
  'compareCollection',
  'addReview',
  'listReviews',
  'reviewHistory',
] as const satisfies readonly (keyof Controlled)[];
export type ControlledWebhooks = Pick<WebhookService, 'resealSecrets'> & BatchAnnouncer;
/** Where the service listens on this machine. */
interface Listening {
  serviceAddress(): Promise<string>;
}
type Controlled = CredentialStore &
  EmailBox &
  QueueViewer &
  ControlledWebhooks &
  CollectionAdmin &
  ExportAdmin &
  MapExport &
  AuditLog &
  UsersAdmin &
  TracesAdmin &
  PlaceLookups &
  Listening &
  SigningAdmin &
  BackupAdmin &
  WatchAdmin &
  ReviewAdmin;
type ControlledService = Pick<Controlled, (typeof CONTROL_METHODS)[number]>;
export type ControlledCredentials = Omit<
  ControlledService,
  | keyof EmailBox
  | keyof QueueViewer
  | keyof ControlledWebhooks
  | keyof CollectionAdmin
  | keyof ExportAdmin
  | keyof MapExport
  | keyof AuditLog
  | keyof UsersAdmin
  | keyof TracesAdmin
  | keyof PlaceLookups
  | keyof Listening
  | keyof SigningAdmin
  | keyof BackupAdmin
  | keyof WatchAdmin
  | keyof ReviewAdmin
>;

const MAX_MESSAGE_CHARACTERS = 16 * 1024 * 1024;
const IDLE_TIMEOUT_MS = 10_000;

/** Bytes of the path of a socket: `sun_path` without its closing zero. */
const MOST_SOCKET_BYTES = process.platform === 'darwin' ? 103 : 107;

/** Where the service of a data folder listens for its own command line. */
export function controlPath(dataDir: string): string {
  if (process.platform !== 'win32') {
    const path = join(dataDir, 'control.sock');
    const bytes = Buffer.byteLength(path);
    if (bytes > MOST_SOCKET_BYTES)
      throw new Error(
        `DATA_DIR: wanted a path of at most ${MOST_SOCKET_BYTES - '/control.sock'.length} bytes, because the system limits the ` +
          `path of the socket in it; got ${Buffer.byteLength(dataDir)} bytes. Choose a shorter path or a symbolic link to the folder`,
      );
    return path;
  }
  return String.raw`\\.\pipe\firstmile-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
}

/**
 * Answers `callControl` on a socket that only the service's own user can open (mode 600), so that users, tokens and emails
 * can be managed while the service holds the exclusive lock on its database. One JSON line in, one out.
 */
export async function startControl(
  path: string,
  methods: Partial<ControlledService>,
): Promise<{ close(): Promise<void> }> {
  if (process.platform !== 'win32') await rm(path, { force: true });
  // A client ends its half as soon as it has sent its request; the answer follows when the database has given it.
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket, methods));
  await listen(server, path);
  if (process.platform !== 'win32') await chmod(path, 0o600);
  server.unref();
  return { close: () => new Promise((done) => server.close(() => done())) };
}

/**
 * The service that a command works through, because it holds the embedded database open; null where none runs, and where
 * the database is a server, which any number of processes may open. Makes the data folder that the command opens instead.
 */
export async function connectRunning(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<ControlledService | null> {
  if (config.databaseUrl !== null) return null;
  prepareDataFolder(config);
  return connectControl(controlPath(config.dataDir));
}

/** The service that listens at `path`, or null when none does. */
export async function connectControl(path: string): Promise<ControlledService | null> {
  const probe = await open(path);
  if (probe === null) return null;
  probe.destroy();
  const call =
    (method: string) =>
    (...args: unknown[]) =>
      callControl(path, method, args);
  return Object.fromEntries(CONTROL_METHODS.map((method) => [method, call(method)])) as ControlledService;
}

async function callControl(path: string, method: string, args: readonly unknown[]): Promise<unknown> {
  const socket = await open(path);
  if (socket === null) throw new Error('the running service stopped before it answered');
  socket.end(`${JSON.stringify({ method, args }, encode)}\n`);
  const text = await readAll(socket);
  if (text === '') throw new Error('the running service closed the connection without an answer');
  const reply = JSON.parse(text, decode) as { value?: unknown; error?: string };
  if (reply.error !== undefined) throw new Error(reply.error);
  return reply.value ?? null;
}

async function answer(socket: Socket, methods: Partial<ControlledService>): Promise<void> {
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  try {
    const { method, args } = JSON.parse(await readAll(socket), decode) as { method: string; args: unknown[] };
    // Only its request is waited for: the answer may take longer.
    socket.setTimeout(0);
    const allowed = CONTROL_METHODS.find((name) => name === method);
    if (allowed === undefined) throw new Error(`there is no control method ${method}`);
    const run = methods[allowed]?.bind(methods) as ((...values: unknown[]) => Promise<unknown>) | undefined;
    if (run === undefined) throw new Error(`the running service does not offer ${method}`);
    socket.end(`${JSON.stringify({ value: await run(...args) }, encode)}\n`);
  } catch (error) {
    socket.end(`${JSON.stringify({ error: (error as Error).message })}\n`);
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

function open(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });
}

/** Everything up to the first line break or the end. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk as string;
    if (text.length > MAX_MESSAGE_CHARACTERS) throw new Error('the message is longer than a control message can be');
    if (text.includes('\n')) break;
  }
  return text;
}

/** Dates and bytes do not survive JSON by themselves; `this` holds the value before its own toJSON ran. */
function encode(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key];
  if (original instanceof Date) return { $date: original.toISOString() };
  if (original instanceof Uint8Array) return { $bytes: Buffer.from(original).toString('base64') };
  return value;
}

function decode(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$date' in value) return new Date(String(value.$date));
  if ('$bytes' in value) return new Uint8Array(Buffer.from(String(value.$bytes), 'base64'));
  return value;
}
