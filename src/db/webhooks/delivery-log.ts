import { sql, type RawBuilder } from 'kysely';
import { Problem } from '../../errors.ts';
import type { Attempt, Delivery, DeliveryState } from '../../webhooks/delivery.ts';
import { pageIsGone } from '../page-is-gone.ts';
import { isUuid } from '../sql-values.ts';
import type { WebhookParts } from './webhook-parts.ts';

export interface DeliveryFilter {
  readonly state?: DeliveryState;
  /** Events created at this moment or later. */
  readonly since?: Date;
  readonly limit: number;
  /** Id of the last delivery of the page before. */
  readonly before?: string;
}

interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly sending: boolean;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** Deliveries one call of `redeliverFailed` sends again. */
export const MAX_REDELIVERIES = 10_000;

/** The user's deliveries, those of the newest events first. @throws Problem when `before` is gone. */
export async function listDeliveries(
  parts: WebhookParts,
  userId: string,
  { state, since, limit, before }: DeliveryFilter,
): Promise<readonly Delivery[]> {
  if (before !== undefined && (await findDelivery(parts, userId, before)) === null)
    throw pageIsGone('delivery', before);
  const conditions: RawBuilder<unknown>[] = [sql`d.user_id = ${userId}`];
  if (state !== undefined) conditions.push(sql`d.state = ${state}`);
  if (since !== undefined) conditions.push(sql`d.created_at >= ${since}`);
  if (before !== undefined)
    conditions.push(sql`(d.created_at, d.id) < (
      select created_at, id from webhook_deliveries where id = ${before}::uuid and user_id = ${userId})`);
  const { rows } = await select(
    parts,
    sql`${sql.join(conditions, sql` and `)} order by d.created_at desc, d.id desc limit ${limit}`,
  );
  return rows.map(deliveryOf);
}

/** One delivery of the user, or null. */
export async function findDelivery(parts: WebhookParts, userId: string, id: string): Promise<Delivery | null> {
  if (!isUuid(id)) return null;
  const { rows } = await select(parts, sql`d.user_id = ${userId} and d.id = ${id}::uuid`);
  return rows[0] === undefined ? null : deliveryOf(rows[0]);
}

/** The attempts of a delivery, the first one first. */
export async function listAttempts({ db }: WebhookParts, deliveryId: string): Promise<readonly Attempt[]> {
  const rows = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();
  return rows.map((row) => ({
    number: row.number,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    status: row.status,
    reason: row.reason,
    detail: row.detail,
    address: row.address,
    timings: { dnsMs: row.dns_ms, connectMs: row.connect_ms, tlsMs: row.tls_ms, firstByteMs: row.first_byte_ms },
    excerpt: row.excerpt,
    nextAttemptAt: row.next_attempt_at,
  }));
}

/** The body of an event as it is sent, or null once it was deleted. */
export async function readPayload({ db }: WebhookParts, eventId: string): Promise<string | null> {
  const row = await db.selectFrom('webhook_events').select('body').where('id', '=', eventId).executeTakeFirst();
  return row?.body ?? null;
}

/**
 * Sends a delivery again from the beginning of its schedule, to the webhook the user has now, in place of an attempt that
 * was planned. Throws `Problem('webhook_not_found')` without a webhook, `delivery_not_found`, and `delivery_sending`.
 */
export async function redeliver(parts: WebhookParts, userId: string, id: string): Promise<void> {
  const changed = isUuid(id) ? await renew(parts, userId, sql`d.id = ${id}::uuid`) : 0;
  if (changed > 0) return;
  const delivery = await findDelivery(parts, userId, id);
  if (delivery === null) throw new Problem('delivery_not_found', 'You have no delivery with this id.');
  if (delivery.sending)
    throw new Problem('delivery_sending', 'This delivery is being sent at this moment; read its outcome first.');
  throw new Problem('webhook_not_found', 'You have no webhook to send it to; POST /webhooks/register makes one.');
}

/** The same for what failed, the oldest events first; returns how many of at most {@link MAX_REDELIVERIES}. */
export function redeliverFailed(parts: WebhookParts, userId: string, since: Date): Promise<number> {
  return renew(
    parts,
    userId,
    sql`d.id in (select id from webhook_deliveries
      where user_id = ${userId} and state = 'failed' and created_at >= ${since}
      order by created_at, id limit ${sql.lit(MAX_REDELIVERIES)})`,
  );
}

/**
 * The webhook's row is share-locked, as in `recordEvent`: a removal at the same moment comes before, and there is nothing to send to,
 * or after, and cancels what is sent again.
 */
async function renew(
  { db, now, retryDelaysS }: WebhookParts,
  userId: string,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql`
    with hook as (select id, user_id, url from webhooks where user_id = ${userId} for key share)
    update webhook_deliveries d
    set state = 'pending', webhook_id = w.id, url = w.url, retries_left = ${sql.lit(retryDelaysS.length)}, claims = 0,
      next_attempt_at = ${now()}, lease_owner = null, lease_until = null, finished_at = null
    from hook w, webhook_events e
    where ${which} and d.user_id = ${userId} and w.user_id = d.user_id and e.id = d.event_id and e.body is not null
      and (d.lease_until is null or d.lease_until <= ${now()})
    returning d.id`.execute(db);
  return rows.length;
}

function select({ db, now }: WebhookParts, which: RawBuilder<unknown>) {
  return sql<DeliveryRow>`
    select d.id, d.event_id, e.type, d.url, d.state, d.attempts,
      d.lease_until is not null and d.lease_until > ${now()} as sending,
      case when d.lease_until is null and d.next_attempt_at < 'infinity' then d.next_attempt_at end as next_attempt_at,
      d.created_at, d.finished_at
    from webhook_deliveries d join webhook_events e on e.id = d.event_id
    where ${which}`.execute(db);
}

function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    sending: row.sending,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
