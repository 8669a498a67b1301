import { sql } from 'kysely';
import type { ClaimedDelivery, DeliveryQueue, DuePage, SealedSecret } from '../../webhooks/delivery-queue.ts';
import { leaseEnd, ofOtherOwner } from '../lease.ts';
import { LEASE_S, type WebhookParts } from './webhook-parts.ts';

/** Users one look walks through. */
const USERS_A_LOOK = 500;

/** See `DeliveryQueue.nextDueMs`. */
export async function nextDueMs({ db, now }: WebhookParts): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(next_attempt_at) - ${now()}) * 1000)::double precision as ms
    from webhook_deliveries where state = 'pending' and next_attempt_at < 'infinity'`.execute(db);
  return rows[0]?.ms ?? null;
}

/**
 * Walks from user to user through the index of waiting deliveries, so that ten thousand deliveries of one user cost no
 * more than one. See `DeliveryQueue.findDue`.
 */
export async function findDue({ db, now }: WebhookParts, after: string, perUser: number): Promise<DuePage> {
  const { rows } = await sql<{ user_id: string; host: string | null; url: string | null; due: number }>`
    with recursive waiting as (
      (select user_id, 1 as n from webhook_deliveries
        where state = 'pending' and user_id > ${after} order by user_id limit 1)
      union all
      select (select d.user_id from webhook_deliveries d
        where d.state = 'pending' and d.user_id > waiting.user_id order by d.user_id limit 1), n + 1
      from waiting where user_id is not null and n < ${sql.lit(USERS_A_LOOK)}
    )
    select waiting.user_id, webhooks.host, webhooks.url,
      (select count(*)::int from (
        select from webhook_deliveries d
        where d.user_id = waiting.user_id and d.state = 'pending' and d.next_attempt_at <= ${now()}
        order by d.next_attempt_at limit ${sql.lit(perUser)}) heads) as due
    from waiting left join webhooks using (user_id)
    where waiting.user_id is not null order by n`.execute(db);
  const users = rows
    .filter(({ host, due }) => host !== null && due > 0)
    .map(({ user_id: userId, host, url, due }) => ({ userId, host: host as string, url: url as string, due }));
  return { users, next: rows.length < USERS_A_LOOK ? null : (rows.at(-1)?.user_id ?? null) };
}

interface ClaimedRow {
  readonly id: string;
  readonly token: number;
  readonly attempts: number;
  readonly retries_left: number;
  readonly claims: number;
  readonly user_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly body: string;
  readonly webhook_id: string;
  readonly url: string;
  readonly host: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_first: boolean;
  readonly troubled: boolean;
  readonly claimed_at: Date;
}

/**
 * See `DeliveryQueue.claim`. The ids go through an array, because the planner expects so many rows of a join that it reads
 * the whole table. A lease is the time of the next attempt too, so the end of a dead sender needs no watchman.
 */
export async function claimDeliveries(
  { db, now, owner, retryDelaysS }: WebhookParts,
  wanted: Parameters<DeliveryQueue['claim']>[0],
): Promise<readonly ClaimedDelivery[]> {
  if (wanted.length === 0) return [];
  const list = JSON.stringify(wanted.map(({ userId, count }) => ({ user_id: userId, count })));
  const { rows } = await sql<ClaimedRow>`
    with picked as (
      select due.id from json_to_recordset(${list}::json) as wanted(user_id text, count int)
      cross join lateral (
        select d.id from webhook_deliveries d
        where d.user_id = wanted.user_id and d.state = 'pending' and d.next_attempt_at <= ${now()}
        order by d.next_attempt_at limit wanted.count
        for update skip locked
      ) due
    )
    update webhook_deliveries d
    set token = token + 1, claims = claims + 1, lease_owner = ${owner}::uuid,
      lease_until = ${leaseEnd(LEASE_S, now())}, next_attempt_at = ${leaseEnd(LEASE_S, now())}
    from webhooks w, webhook_events e
    where d.id = any(array(select id from picked)) and w.id = d.webhook_id and e.id = d.event_id
    returning ${CLAIMED_COLUMNS}, ${now()} as claimed_at,
      case when w.previous_until > ${now()} then w.previous_secret end as previous_secret`.execute(db);
  return rows.map((row) => claimedDelivery(row, retryDelaysS.length));
}

const CLAIMED_COLUMNS = sql`d.id, d.token, d.attempts, d.retries_left, d.claims, d.user_id, e.id as event_id, e.type, e.body,
  w.id as webhook_id, w.url, w.host, w.secret, w.previous_first,
  w.failures > 0 or w.paused_at is not null as troubled`;

function claimedDelivery(row: ClaimedRow, retries: number): ClaimedDelivery {
  return {
    id: row.id,
    token: row.token,
    // A redelivery begins its schedule again, and a test has none.
    attempt: Math.min(row.attempts, retries - row.retries_left) + 1,
    userId: row.user_id,
    webhookId: row.webhook_id,
    url: row.url,
    host: row.host,
    eventId: row.event_id,
    type: row.type,
    body: row.body,
    secrets: secretsInTurn(row),
    lostBefore: row.claims - 1,
    troubled: row.troubled,
    claimedAt: row.claimed_at,
  };
}

/** The secrets in force, the one that the receiver last accepted in front. */
export function secretsInTurn(
  row: Pick<ClaimedRow, 'secret' | 'previous_secret' | 'previous_first'>,
): readonly [SealedSecret, ...SealedSecret[]] {
  const current: SealedSecret = { sealed: row.secret, role: 'current' };
  if (row.previous_secret === null) return [current];
  const previous: SealedSecret = { sealed: row.previous_secret, role: 'previous' };
  return row.previous_first ? [previous, current] : [current, previous];
}

/** See `DeliveryQueue.giveBack`. */
export async function giveBack(
  { db, now, owner }: WebhookParts,
  deliveries: Parameters<DeliveryQueue['giveBack']>[0],
): Promise<void> {
  if (deliveries.length === 0) return;
  const list = JSON.stringify(deliveries.map(({ id, token }) => ({ id, token })));
  await sql`
    update webhook_deliveries d
    set lease_owner = null, lease_until = null, claims = claims - 1, next_attempt_at = ${now()}
    from json_to_recordset(${list}::json) as given(id uuid, token int)
    where d.id = given.id and d.token = given.token and d.lease_owner = ${owner}::uuid and d.state = 'pending'`.execute(
    db,
  );
}

/** Ends the leases of every other process: only for the embedded database, whose lock proves that none lives. */
export async function endOtherOwnersLeases({ db, now, owner }: WebhookParts): Promise<void> {
  await sql`
    update webhook_deliveries set lease_owner = null, lease_until = null, next_attempt_at = ${now()}
    where state = 'pending' and ${ofOtherOwner(owner)}`.execute(db);
}
