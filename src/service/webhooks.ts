import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EventEmitter } from 'node:events';
import type { Transaction } from 'kysely';
import { ConfigError, type Config } from '../config.ts';
import { Problem } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/open-store.ts';
import { MAX_REDELIVERIES } from '../store/webhooks/delivery-log.ts';
import { openWebhookStore, type WebhookStore } from '../store/webhooks/open-webhook-store.ts';
import type { Registration } from '../store/webhooks/registrations.ts';
import type { OnNotice } from '../store/webhooks/webhook-parts.ts';
import { checkUrl, type UrlPolicy } from '../webhooks/check-url.ts';
import { createConnect, type ConnectOptions } from '../webhooks/connect-checked.ts';
import { RETRY_DELAYS_S, type AttemptOutcome } from '../webhooks/delivery.ts';
import { AttemptFailure } from '../webhooks/failure-reasons.ts';
import { createSecret, type KeyRing } from '../webhooks/key-ring.ts';
import { ATTEMPT_DEADLINE_MS, openPoster } from '../webhooks/open-poster.ts';
import { askNameServers, askThisMachine, resolveHost, type Resolve } from '../webhooks/resolve-host.ts';
import { startSender, type Sender } from '../webhooks/start-sender.ts';
import { createEvent, type EventType } from '../webhooks/webhook-event.ts';
import { openKeyRing } from './webhooks-keys.ts';

export interface WebhookServiceOptions {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  /** False leaves deliveries to other processes; tests of a webhook are sent all the same. */
  readonly send: boolean;
  /** Told in the transaction of what it tells; default nobody. */
  readonly onNotice?: OnNotice;
  /** In place of the usual ones, for tests. */
  readonly resolve?: Resolve;
  readonly ca?: readonly string[];
  readonly clock?: () => Date;
  readonly deadlineMs?: number;
  readonly retryDelaysS?: readonly number[];
}

export interface CompletedWork {
  readonly userId: string;
  readonly type: EventType;
  /** Texts, whole numbers, lists and objects of them; what has no canonical form is refused. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same for every report of the same completion. */
  readonly uniqueKey: string;
}

/** Webhooks as HTTP and the other parts of the service use them. */
export type { Registration } from '../store/webhooks/registrations.ts';

export interface WebhookService extends Pick<WebhookStore, 'list' | 'get' | 'count'> {
  register(userId: string, url: string): Promise<{ readonly url: string; readonly clientSecret: string }>;
  /** Throws `Problem('webhook_not_found')`, like the others below. */
  find(userId: string): Promise<Registration>;
  remove(userId: string): Promise<void>;
  /** A new secret; the one before signs as well for `overlapS`. */
  rotate(userId: string, overlapS: number): Promise<{ readonly url: string; readonly clientSecret: string }>;
  /** Sends a test event and waits for what comes of it. */
  test(userId: string): Promise<{ readonly deliveryId: string; readonly outcome: AttemptOutcome | null }>;
  redeliver(userId: string, id: string): Promise<void>;
  /** `more` when there may be others than the first {@link MAX_REDELIVERIES}. */
  redeliverFailed(userId: string, since: Date): Promise<{ readonly count: number; readonly more: boolean }>;
  /** The secrets in force, for checks on the user's own behalf. */
  secrets(userId: string): Promise<readonly string[]>;
  /**
   * Writes the event that tells of completed work, and its delivery, in the caller's transaction: once, however often
   * completion is reported. Data that no event can carry is logged as an error and completes all the same.
   */
  recordCompletion(trx: Transaction<Database>, work: CompletedWork): Promise<boolean>;
  /** Seals every secret with the first key again; returns how many were not. */
  reseal(): Promise<number>;
  /** Every attempt of this process, for measurements. */
  onAttempt(listener: (outcome: AttemptOutcome) => void): void;
  status(): ReturnType<Sender['status']>;
  close(drainMs: number): Promise<void>;
}

/** Seconds both secrets sign after a rotation. */
export const ROTATION_OVERLAP_S = 86_400;

/** Opens the webhooks of a process and starts to send. Throws a `ConfigError` when stored secrets cannot be opened. */
export async function openWebhooks(options: WebhookServiceOptions): Promise<WebhookService> {
  const { store, config, log } = options;
  const keyRing = openKeyRing(config);
  const webhooks = await openWebhookStore(store, {
    retentionDays: config.webhookRetentionDays,
    ...(options.onNotice && { onNotice: options.onNotice }),
    ...(options.clock && { clock: options.clock }),
    retryDelaysS: options.retryDelaysS ?? RETRY_DELAYS_S,
  });
  await checkKeys(webhooks, keyRing);
  const urlPolicy: UrlPolicy = { allowLocal: config.webhookAllowLocal, ownHosts: ownHosts(config) };
  const network = networkOptions(options);
  const attempts = new EventEmitter<{ attempt: [AttemptOutcome] }>();
  const sender = startSender({
    queue: options.send ? webhooks.queue : neverDue(webhooks.queue),
    poster: openPoster({ connect: createConnect(network), deadlineMs: options.deadlineMs ?? ATTEMPT_DEADLINE_MS }),
    keyRing,
    urlPolicy,
    log,
    onAttempt: (outcome) => void attempts.emit('attempt', outcome),
  });
  const clock = options.clock ?? (() => new Date());

  async function known(userId: string): Promise<Registration> {
    return (await webhooks.find(userId)) ?? noWebhook();
  }

  return {
    list: webhooks.list,
    get: webhooks.get,
    count: webhooks.count,
    find: known,
    async register(userId, text) {
      const keys = wantKeys(keyRing);
      const url = checkUrl(text, urlPolicy);
      await checkLeadsOutside(url, network);
      const id = randomUUID();
      const clientSecret = createSecret();
      const secret = keys.seal(clientSecret, { userId, webhookId: id });
      await webhooks.add({ id, userId, url: url.href, host: url.hostname, secret });
      return { url: url.href, clientSecret };
    },
    async remove(userId) {
      if (!(await webhooks.remove(userId))) noWebhook();
    },
    async rotate(userId, overlapS) {
      const keys = wantKeys(keyRing);
      const { id, url } = await known(userId);
      const clientSecret = createSecret();
      const secret = keys.seal(clientSecret, { userId, webhookId: id });
      if (!(await webhooks.rotate({ id, secret, overlapS }))) noWebhook();
      return { url, clientSecret };
    },
    async test(userId) {
      const event = createEvent('test_event', { message: 'This is a test event' }, clock());
      const delivery = await webhooks.createTest(userId, event);
      return { deliveryId: delivery.id, outcome: await sender.sendNow(delivery) };
    },
    async redeliver(userId, id) {
      await webhooks.redeliver(userId, id);
      sender.wake();
    },
    async redeliverFailed(userId, since) {
      await known(userId);
      const count = await webhooks.redeliverFailed(userId, since);
      sender.wake();
      return { count, more: count >= MAX_REDELIVERIES };
    },
    async secrets(userId) {
      const found = (await webhooks.secretsOf(userId)) ?? noWebhook();
      const keys = wantKeys(keyRing);
      return found.secrets.map(({ sealed }) => keys.open(sealed, { userId, webhookId: found.webhookId }));
    },
    async recordCompletion(trx, { userId, type, data, uniqueKey }) {
      let event;
      try {
        event = createEvent(type, data, clock());
      } catch (error) {
        log.error({ err: error, user: userId, type, key: uniqueKey }, 'an event cannot be written; none is sent');
        return false;
      }
      const recorded = await webhooks.recordEvent(trx, { userId, event, uniqueKey });
      if (recorded.isNew && recorded.delivery !== null) sender.wake();
      return recorded.isNew;
    },
    reseal: () => resealAll(webhooks, wantKeys(keyRing)),
    onAttempt: (listener) => void attempts.on('attempt', listener),
    status: () => sender.status(),
    close: (drainMs) => sender.stop(drainMs),
  };
}

/** Seals every secret with the first key of the ring; returns how many were sealed with another one. */
export function resealAll(webhooks: Pick<WebhookStore, 'reseal'>, keys: KeyRing): Promise<number> {
  return webhooks.reseal(({ sealed, userId, webhookId }) => {
    if (keys.isCurrent(sealed)) return sealed;
    return keys.seal(keys.open(sealed, { userId, webhookId }), { userId, webhookId });
  });
}

function networkOptions(options: WebhookServiceOptions): ConnectOptions {
  const { config } = options;
  const ca = options.ca ?? (config.webhookCaFile === null ? null : [readCa(config.webhookCaFile)]);
  return {
    allowLocal: config.webhookAllowLocal,
    resolve: options.resolve ?? (config.webhookAllowLocal ? askThisMachine : askNameServers),
    ...(ca !== null && { ca }),
  };
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`WEBHOOK_CA_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
}

function ownHosts({ publicUrl }: Config): readonly string[] {
  return publicUrl === null ? [] : [new URL(publicUrl).hostname];
}

/** At registration already, so that an address that can never work is not found out by silence. */
async function checkLeadsOutside(url: URL, { resolve, allowLocal }: ConnectOptions): Promise<void> {
  try {
    await resolveHost(url.hostname, resolve, allowLocal, AbortSignal.timeout(10_000));
  } catch (error) {
    if (!(error instanceof AttemptFailure)) throw error;
    throw new Problem('webhook_url_refused', error.message, { cause: error });
  }
}

/** Stops a start that would fail every delivery: secrets are there and their key is not. */
async function checkKeys(webhooks: WebhookStore, keyRing: KeyRing | null): Promise<void> {
  await webhooks.reseal(({ sealed }) => {
    if (keyRing?.knows(sealed) === true) return sealed;
    const id = sealed.slice(0, sealed.indexOf('.'));
    throw new ConfigError(
      `SECRETS_KEY: wanted the key ${id}, which secrets of webhooks in the database are sealed with, got ${keyRing === null ? 'no key' : 'other keys'}`,
    );
  });
}

function wantKeys(keyRing: KeyRing | null): KeyRing {
  if (keyRing !== null) return keyRing;
  throw new Problem(
    'dependency_unavailable',
    'Webhooks cannot be used: with DATABASE_URL the operator has to set SECRETS_KEY, which their secrets are sealed with.',
  );
}

function noWebhook(): never {
  throw new Problem('webhook_not_found', 'You have no webhook; POST /webhooks/register makes one.');
}

/** The queue as a process sees it that only tests and records. */
function neverDue(queue: WebhookStore['queue']): WebhookStore['queue'] {
  return { ...queue, nextDueMs: async () => null, releaseProbes: async () => 0, deleteExpired: async () => 0 };
}
