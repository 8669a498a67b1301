import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { Attempt, Delivery } from '../../webhooks/delivery.ts';
import type { ClaimedDelivery, DeliveryQueue, SealedSecret } from '../../webhooks/delivery-queue.ts';
import type { WebhookEvent } from '../../webhooks/webhook-event.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';
import { claimDeliveries, endStrangersLeases, findDue, giveBack, nextDueMs } from './claim-deliveries.ts';
import { countDeliveries, type DeliveryCounts } from './count-deliveries.ts';
import { deleteExpired } from './delete-expired.ts';
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
  remove(userId: string): Promise<boolean>;
  rotate(webhook: { id: string; secret: string; overlapS: number }): Promise<boolean>;
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
  if (store.engine === 'embedded') await endStrangersLeases(parts);
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
    remove: (userId) => removeRegistration(parts, userId),
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
