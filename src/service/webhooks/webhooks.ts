import type { Language } from '../../messages/languages.ts';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Actor, AuditedAct, NewAct } from '../../auth/audit-log.ts';
import type { Config } from '../../config/settings.ts';
import type { Transaction } from 'kysely';
import type { Database } from '../../db/database.ts';
import { Problem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../../db/open-store.ts';
import { createSigningKeyStore } from '../../db/signatures/signing-keys.ts';
import { createTracesCredentialStore } from '../../db/traces/credentials.ts';
import { MAX_REDELIVERIES } from '../../db/webhooks/delivery-log.ts';
import { openWebhookStore, type WebhookStore } from '../../db/webhooks/open-webhook-store.ts';
import type { Registration } from '../../db/webhooks/registrations.ts';
import type { OnNotice } from '../../db/webhooks/webhook-parts.ts';
import { checkUrl, type UrlPolicy } from '../../webhooks/check-url.ts';
import { createConnect } from '../../webhooks/connect-checked.ts';
import { type AttemptOutcome, RETRY_DELAYS_S } from '../../webhooks/delivery.ts';
import type { SecretRole } from '../../webhooks/delivery-queue.ts';
import { createSecret, keepOpened } from '../../webhooks/key-ring.ts';
import { ATTEMPT_DEADLINE_MS, openPoster } from '../../webhooks/open-poster.ts';
import type { Resolve } from '../../webhooks/resolve-host.ts';
import type { SendParts } from '../../webhooks/send-delivery.ts';
import { startSender, type Sender } from '../../webhooks/start-sender.ts';
import { ALWAYS_SENT, createEvent, EVENT_TYPES, type EventType } from '../../webhooks/webhook-event.ts';
import { createCompletionRecorder, type RecordCompletion } from './completion.ts';
import { checkKeys, openSecretKeys, wantKeys, type SecretKeys } from './keys.ts';
import { checkLeadsOutside, networkOptions, ownHosts, type AddressWarning } from './network.ts';
import { resealStep, type ResealReport, type ResealStep } from './reseal.ts';

export interface WebhookServiceOptions {
  readonly store: Store;
  readonly config: Config;
  readonly log: Log;
  /** False leaves deliveries to other processes; tests of a webhook are sent all the same. */
  readonly send: boolean;
  /** Called in the transaction of what it reports; default nobody. */
  readonly onNotice?: OnNotice;
  /** The keys that secrets are sealed with; default those of the settings. */
  readonly keys?: SecretKeys;
  /** Absent: deliveries are in no trace. */
  readonly tracing?: DeliveryTracing | null;
  /** In place of the usual ones, for tests. */
  readonly resolve?: Resolve;
  readonly ca?: readonly string[];
  readonly clock?: () => Date;
  readonly deadlineMs?: number;
  readonly retryDelaysS?: readonly number[];
}

export interface TestResult {
  readonly deliveryId: string;
  /** Of the last attempt; null when the service was stopped meanwhile. */
  readonly outcome: AttemptOutcome | null;
  /** Which of two secrets signed the last attempt; null with one secret. */
  readonly secret: SecretRole | null;
  /** Of the attempt before it, which the other secret signed; null without. */
  readonly refusedBefore: AttemptOutcome | null;
}

export type { Registration } from '../../db/webhooks/registrations.ts';

/** What is left out stays as it is, or is as usual in a new registration. */
interface WebhookWishes {
  /** Types of event that are wanted besides those that every webhook gets; usually none. */
  readonly events?: readonly EventType[];
  /** Known to be the user's; notices go there when the user is none of ours. */
  readonly email?: string | null;
  /** What notices are written in. */
  readonly language?: Language;
  /** Who wishes it, for the audit log; without it nothing is recorded. */
  readonly by?: Actor;
}

interface Registered {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly clientSecret: string;
  /** What should be known of the address all the same; a rotation has none. */
  readonly warnings?: readonly AddressWarning[];
}

/** Webhooks as HTTP and the other parts of the service use them. */

export interface WebhookService extends Pick<WebhookStore, 'list' | 'get' | 'count'> {
  register(userId: string, url: string, wishes?: WebhookWishes): Promise<Registered>;
  /** Throws `Problem('webhook_not_found')`, like the others below. */
  find(userId: string): Promise<Registration>;
  /** Another address or other events; the secret stays. */
  change(
    userId: string,
    change: WebhookWishes & { readonly url?: string },
  ): Promise<Registration & { readonly warnings?: readonly AddressWarning[] }>;
  remove(userId: string, by?: Actor): Promise<void>;
  /** A new secret; the one before signs as well for `overlapS`. */
  rotate(userId: string, overlapS: number, by?: Actor): Promise<Omit<Registered, 'events'>>;
  /** Sends a test event and waits for what comes of it; with two secrets in force, with the other one if it is refused. */
  test(userId: string): Promise<TestResult>;
  redeliver(userId: string, id: string): Promise<void>;
  /** `more` when there may be others than the first {@link MAX_REDELIVERIES}. */
  redeliverFailed(userId: string, since: Date): Promise<{ readonly count: number; readonly more: boolean }>;
  /** The secrets in force, for checks on the user's own behalf. */
  secrets(userId: string): Promise<readonly string[]>;
  readonly recordCompletion: RecordCompletion;
  /** Seals a page of secrets with the first key again; see `ResealStep`. */
  resealSecrets(step: ResealStep): Promise<ResealReport>;
  /** Every attempt of this process, for measurements. */
  onAttempt(listener: (outcome: AttemptOutcome) => void): void;
  status(): ReturnType<Sender['status']>;
  close(drainMs: number): Promise<void>;
}

/** Seconds both secrets sign after a rotation. */
export const ROTATION_OVERLAP_S = 86_400;

/** How attempts get into traces. */
export interface DeliveryTracing {
  /** A delivery was recorded in this transaction. */
  recorded(trx: Transaction<Database>, id: string): Promise<void>;
  begin: NonNullable<SendParts['beginSpan']>;
}

/** Opens the webhooks of a process and starts to send. Throws a `ConfigError` when stored secrets cannot be opened. */
export async function openWebhooks(options: WebhookServiceOptions): Promise<WebhookService> {
  const { store, config, log } = options;
  const keys = options.keys ?? openSecretKeys(config);
  const keyRing = keys.ring;
  const webhooks = await openWebhookStore(store, {
    retentionDays: config.webhookRetentionDays,
    ...(options.onNotice && { onNotice: options.onNotice }),
    ...(options.clock && { clock: options.clock }),
    retryDelaysS: options.retryDelaysS ?? RETRY_DELAYS_S,
  });
  const credentials = createTracesCredentialStore(store);
  const signingKeys = createSigningKeyStore(store);
  await checkKeys(webhooks, credentials, signingKeys, keys);
  if (keyRing === null) log.warn('SECRETS_KEY is not set, which DATABASE_URL needs: no webhook can be registered');
  const urlPolicy: UrlPolicy = { allowLocal: config.webhookAllowLocal, ownHosts: ownHosts(config) };
  const network = networkOptions(config, options);
  const attempts: Attempts = new EventEmitter();
  const sender = startSending(options, webhooks, { keyRing, urlPolicy, network, attempts });
  const clock = options.clock ?? (() => new Date());

  async function known(userId: string): Promise<Registration> {
    return (await webhooks.find(userId)) ?? noWebhook();
  }

  return {
    list: webhooks.list,
    get: webhooks.get,
    count: webhooks.count,
    find: known,
    register: (userId, text, wishes = {}) => register(userId, text, wishes, { webhooks, keyRing, urlPolicy, network }),
    async change(userId, wanted) {
      await known(userId);
      const warnings = await change(userId, wanted, { webhooks, urlPolicy, network });
      sender.wake();
      return { ...(await known(userId)), warnings };
    },
    async remove(userId, by) {
      if (!(await webhooks.remove(userId, actOf(by, 'webhook_removed', userId).act))) noWebhook();
    },
    async rotate(userId, overlapS, by) {
      const keys = wantKeys(keyRing);
      const { id, url } = await known(userId);
      const clientSecret = createSecret();
      const secret = keys.seal(clientSecret, { userId, webhookId: id });
      if (!(await webhooks.rotate({ id, secret, overlapS, ...actOf(by, 'webhook_secret_rotated', userId) })))
        noWebhook();
      return { url, clientSecret };
    },
    test: (userId) => sendTest(userId, webhooks, sender, clock()),
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
    recordCompletion: createCompletionRecorder({
      webhooks,
      log,
      clock,
      onDelivery: () => sender.wake(),
      ...(options.tracing && { onRecorded: options.tracing.recorded }),
    }),
    resealSecrets: (step) => resealStep(webhooks, { credentials, signingKeys }, keys, step),
    onAttempt: (listener) => void attempts.on('attempt', listener),
    status: () => sender.status(),
    close: (drainMs) => sender.stop(drainMs),
  };
}

/** Which addresses are taken, and how they are looked up. */
interface AddressParts {
  readonly urlPolicy: UrlPolicy;
  readonly network: ReturnType<typeof networkOptions>;
}

type Attempts = EventEmitter<{ attempt: [AttemptOutcome] }>;

interface SendingParts extends AddressParts {
  readonly keyRing: SecretKeys['ring'];
  readonly attempts: Attempts;
}

function startSending(
  { send, deadlineMs = ATTEMPT_DEADLINE_MS, log, tracing }: WebhookServiceOptions,
  webhooks: WebhookStore,
  { keyRing, urlPolicy, network, attempts }: SendingParts,
): Sender {
  return startSender({
    queue: send ? webhooks.queue : neverDue(webhooks.queue),
    poster: openPoster({ connect: createConnect(network), deadlineMs, log }),
    keyRing: keyRing && { open: keepOpened(keyRing) },
    urlPolicy,
    log,
    ...(tracing && { beginSpan: tracing.begin }),
    onAttempt: (outcome) => void attempts.emit('attempt', outcome),
  });
}

interface ChangeParts extends AddressParts {
  readonly webhooks: WebhookStore;
}

interface RegisterParts extends ChangeParts {
  readonly keyRing: SecretKeys['ring'];
}

async function register(
  userId: string,
  text: string,
  { events: wanted = [], email = null, language, by }: WebhookWishes,
  { webhooks, keyRing, ...addresses }: RegisterParts,
): Promise<Registered> {
  const keys = wantKeys(keyRing);
  const { url, warnings } = await checkAddress(text, addresses);
  const events = withAlwaysSent(wanted);
  const id = randomUUID();
  const clientSecret = createSecret();
  const secret = keys.seal(clientSecret, { userId, webhookId: id });
  const notices = { noticeEmail: email, noticeLanguage: language ?? null };
  const registration = { id, userId, url: url.href, host: url.hostname, secret, events, ...notices };
  const detail = { host: url.host, events };
  await webhooks.add({ ...registration, ...actOf(by, 'webhook_registered', userId, detail) });
  return { url: url.href, events, clientSecret, warnings };
}

/** Changes what is given; what should be known of the address all the same. */
async function change(
  userId: string,
  { url: text, events, email = null, language, by }: Parameters<WebhookService['change']>[1],
  { webhooks, ...addresses }: ChangeParts,
): Promise<readonly AddressWarning[]> {
  const { url, warnings } = text === undefined ? { url: null, warnings: [] } : await checkAddress(text, addresses);
  const isThere = await webhooks.change(userId, {
    ...(url && { to: { url: url.href, host: url.hostname } }),
    ...(events && { events: withAlwaysSent(events) }),
    ...(email !== null && { noticeEmail: email }),
    ...(language !== undefined && { noticeLanguage: language }),
    ...actOf(by, 'webhook_changed', userId),
  });
  if (!isThere) noWebhook();
  return warnings;
}

async function checkAddress(
  text: string,
  { urlPolicy, network }: AddressParts,
): Promise<{ readonly url: URL; readonly warnings: readonly AddressWarning[] }> {
  const url = checkUrl(text, urlPolicy);
  const warning = await checkLeadsOutside(url, network);
  return { url, warnings: warning === null ? [] : [warning] };
}

/** See `WebhookService.test`. */
async function sendTest(userId: string, webhooks: WebhookStore, sender: Sender, now: Date): Promise<TestResult> {
  const event = createEvent('test_event', { message: 'This is a test event' }, now);
  const delivery = await webhooks.createTest(userId, event);
  const outcome = await sender.sendNow(delivery);
  const secret = delivery.secrets.length > 1 ? delivery.secrets[0].role : null;
  const first = { deliveryId: delivery.id, outcome, secret, refusedBefore: null };
  // A receiver that knows only the other of two secrets has refused the signature.
  if (secret === null || outcome?.status == null || outcome.reason === null) return first;
  const again = await webhooks.claimTestAgain(delivery);
  if (again === null) return first;
  const other = secret === 'current' ? 'previous' : 'current';
  return { ...first, outcome: await sender.sendNow(again), secret: other, refusedBefore: outcome };
}

/** In the order of the table, whatever the order of the request. */
function withAlwaysSent(events: readonly EventType[]): readonly EventType[] {
  const wanted: readonly EventType[] = [...ALWAYS_SENT, ...events];
  return EVENT_TYPES.filter((type) => wanted.includes(type));
}

function noWebhook(): never {
  throw new Problem('webhook_not_found', 'You have no webhook; POST /webhooks/register makes one.');
}

/** The queue as a process sees it that only tests and records. */
function neverDue(queue: WebhookStore['queue']): WebhookStore['queue'] {
  return { ...queue, nextDueMs: async () => null, releaseProbes: async () => 0, deleteExpired: async () => 0 };
}

/** The act for the store, which records it with the change; nothing where nobody is named. */
function actOf(
  by: Actor | undefined,
  act: AuditedAct,
  target: string,
  detail: NonNullable<NewAct['detail']> = {},
): { readonly act?: NewAct } {
  return by === undefined ? {} : { act: { ...by, act, target, detail } };
}
