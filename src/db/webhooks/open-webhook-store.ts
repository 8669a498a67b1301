import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { NewAct } from '../../auth/audit-log.ts';
import type { Attempt, Delivery } from '../../webhooks/delivery.ts';
import type { ClaimedDelivery, DeliveryQueue, SealedSecret } from '../../webhooks/delivery-queue.ts';
import type { WebhookEvent } from '../../webhooks/webhook-event.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';
import { claimDeliveries, endOtherOwnersLeases, findDue, giveBack, nextDueMs } from './claim-deliveries.ts';
import {
  findDelivery,
  listAttempts,
  listDeliveries,
  readPayload,
  redeliver,
  redeliverFailed,
  type DeliveryFilter,
} from './delivery-log.ts';
import { releaseProbes } from './note-results.ts';
import { recordEvent, type EventToRecord, type RecordedEvent } from './record-event.ts';
import { recordOutcomes } from './record-outcomes.ts';
import {
  addRegistration,
  changeRegistration,
  findRegistration,
  removeRegistration,
  rotateSecret,
  secretsOf,
  type NewRegistration,
  type Registration,
  type RegistrationChange,
} from './registrations.ts';
import {
  countSealedOtherwise,
  resealPage,
  resealSecrets,
  type ResealedPage,
  type StoredSecret,
} from './reseal-secrets.ts';
import { claimTestAgain, createTestDelivery } from './test-delivery.ts';
import type { OnNotice, WebhookParts } from './webhook-parts.ts';

const BATCH = 1_000;

/** Counting stops here: more is more than anybody needs to know exactly. */
const COUNTED = 100_000;

interface WebhookStoreOptions {
  /** Days a finished delivery and its attempts are kept; fractions are fine. */
  readonly retentionDays: number;
  /** Default: nothing. */
  readonly onNotice?: OnNotice;
  /** In place of the database's clock, for tests. */
  readonly clock?: () => Date;
  /** Seconds from the end of a failed attempt to the next one, for each retry. */
  readonly retryDelaysS: readonly number[];
}

export interface DeliveryDetails {
  readonly delivery: Delivery;
  readonly attempts: readonly Attempt[];
  /** The body as it is sent; null once its retention has passed. */
  readonly payload: string | null;
}

/** Everything about webhooks that survives a restart. Another user's rows do not exist for a user. */
export interface WebhookStore {
  /** For the sender of this process. */
  readonly queue: DeliveryQueue;
  add(registration: NewRegistration): Promise<void>;
  find(userId: string): Promise<Registration | null>;
  /** False when there is none. */
  change(userId: string, change: RegistrationChange): Promise<boolean>;
  remove(userId: string, act?: NewAct): Promise<boolean>;
  rotate(webhook: { id: string; secret: string; overlapS: number; act?: NewAct }): Promise<boolean>;
  secretsOf(
    userId: string,
  ): Promise<{ readonly webhookId: string; readonly secrets: readonly [SealedSecret, ...SealedSecret[]] } | null>;
  reseal(change: (secret: StoredSecret) => string): Promise<number>;
  resealPage(after: string, change: (secret: StoredSecret) => string): Promise<ResealedPage>;
  countSealedOtherwise(keyId: string): Promise<number>;
  /** Inside the transaction that completes the work. */
  recordEvent(trx: Transaction<Database>, event: EventToRecord): Promise<RecordedEvent>;
  createTest(userId: string, event: WebhookEvent): Promise<ClaimedDelivery>;
  claimTestAgain(test: ClaimedDelivery): Promise<ClaimedDelivery | null>;
  list(userId: string, filter: DeliveryFilter): Promise<readonly Delivery[]>;
  get(userId: string, id: string): Promise<DeliveryDetails | null>;
  redeliver(userId: string, id: string): Promise<void>;
  redeliverFailed(userId: string, since: Date): Promise<number>;
  count(): Promise<DeliveryCounts>;
}

/** Opens the webhooks of a store; once a process for an embedded database, whose other leases are taken for dead. */
export async function openWebhookStore(store: Store, options: WebhookStoreOptions): Promise<WebhookStore> {
  const { onNotice = async () => {}, clock, retryDelaysS } = options;
  const now = clock === undefined ? () => sql<Date>`now()` : () => sql<Date>`${clock()}::timestamptz`;
  const parts: WebhookParts = { db: store.db, now, onNotice, owner: randomUUID(), retryDelaysS };
  if (store.engine === 'embedded') await endOtherOwnersLeases(parts);
  return {
    queue: {
      nextDueMs: () => nextDueMs(parts),
      findDue: (after, perUser) => findDue(parts, after, perUser),
      claim: (wanted) => claimDeliveries(parts, wanted),
      record: (outcomes) => recordOutcomes(parts, outcomes),
      giveBack: (deliveries) => giveBack(parts, deliveries),
      releaseProbes: () => releaseProbes(parts),
      deleteExpired: () => deleteExpired(parts, options.retentionDays),
    },
    add: (registration) => addRegistration(parts, registration),
    find: (userId) => findRegistration(parts, userId),
    change: (userId, change) => changeRegistration(parts, userId, change),
    remove: (userId, act) => removeRegistration(parts, userId, act),
    rotate: (webhook) => rotateSecret(parts, webhook),
    secretsOf: (userId) => secretsOf(parts, userId),
    reseal: (change) => resealSecrets(parts, change),
    resealPage: (after, change) => resealPage(parts, after, change),
    countSealedOtherwise: (keyId) => countSealedOtherwise(parts, keyId),
    recordEvent: (trx, event) => recordEvent(trx, event, now(), retryDelaysS.length),
    createTest: (userId, event) => createTestDelivery(parts, userId, event),
    claimTestAgain: (test) => claimTestAgain(parts, test),
    list: (userId, filter) => listDeliveries(parts, userId, filter),
    async get(userId, id) {
      const delivery = await findDelivery(parts, userId, id);
      if (delivery === null) return null;
      const [attempts, payload] = await Promise.all([listAttempts(parts, id), readPayload(parts, delivery.eventId)]);
      return { delivery, attempts, payload };
    },
    redeliver: (userId, id) => redeliver(parts, userId, id),
    redeliverFailed: (userId, since) => redeliverFailed(parts, userId, since),
    count: () => countDeliveries(parts),
  };
}

/** Deliveries, each kind counted up to {@link COUNTED}. */
interface DeliveryCounts {
  /** To be sent, now or later, those of paused webhooks included. */
  readonly pending: number;
  readonly deliveredLastHour: number;
  readonly failedLastHour: number;
  readonly pausedWebhooks: number;
}

async function countDeliveries({ db, now }: WebhookParts): Promise<DeliveryCounts> {
  const lastHour = (state: 'delivered' | 'failed') => sql`(select count(*)::int from (select from webhook_deliveries
    where state = ${sql.lit(state)} and finished_at > ${now()} - interval '1 hour' limit ${sql.lit(COUNTED)}) c)`;
  const { rows } = await sql<DeliveryCounts>`
    select ${lastHour('delivered')} as "deliveredLastHour", ${lastHour('failed')} as "failedLastHour",
      (select count(*)::int from (select from webhook_deliveries where state = 'pending'
        limit ${sql.lit(COUNTED)}) p) as pending,
      (select count(*)::int from webhooks where paused_at is not null) as "pausedWebhooks"`.execute(db);
  return rows[0] as DeliveryCounts;
}

/**
 * Deletes finished deliveries older than `days` with their attempts, and the content of their events, in batches that
 * hold nothing up; returns how many deliveries. The event's row stays where it has a unique key, which must hold for ever.
 */
async function deleteExpired(parts: WebhookParts, days: number): Promise<number> {
  await giveUpHeld(parts, days);
  const { db, now } = parts;
  for (let deleted = 0; ;) {
    const count = await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ id: string; event_id: string }>`
        delete from webhook_deliveries where id in (
          select id from webhook_deliveries
          where finished_at < ${now()} - ${days} * interval '1 day' and (lease_until is null or lease_until < ${now()})
          order by finished_at limit ${sql.lit(BATCH)} for update skip locked)
        returning id, event_id`.execute(trx);
      const ids = rows.map((row) => row.event_id);
      if (ids.length === 0) return 0;
      await sql`delete from webhook_attempts where delivery_id = any(${rows.map((row) => row.id)}::uuid[])`.execute(
        trx,
      );
      await sql`update webhook_events set body = null where id = any(${ids}) and unique_key is not null`.execute(trx);
      await sql`delete from webhook_events where id = any(${ids}) and unique_key is null`.execute(trx);
      return ids.length;
    });
    deleted += count;
    if (count < BATCH) return deleted;
  }
}

/** What was held back for as long by a pause is not sent any more, or a receiver that is gone would fill the table. */
async function giveUpHeld({ db, now }: WebhookParts, days: number): Promise<void> {
  await sql`update webhook_deliveries set state = 'cancelled', next_attempt_at = null, finished_at = ${now()}
    where state = 'pending' and next_attempt_at = 'infinity' and created_at < ${now()} - ${days} * interval '1 day'`.execute(
    db,
  );
}
