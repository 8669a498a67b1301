import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Problem } from '../../errors.ts';
import type { ClaimedDelivery } from '../../webhooks/delivery-queue.ts';
import type { WebhookEvent } from '../../webhooks/webhook-event.ts';
import { secretsInTurn } from './claim-deliveries.ts';
import { LEASE_S, type WebhookParts } from './webhook-parts.ts';

/** Tests one user may send in a minute. */
export const TESTS_PER_MINUTE = 10;

/**
 * Writes an event and its delivery, already claimed by this process and without retries, for a test the caller sends at
 * once. Throws `Problem('webhook_not_found')`, and `rate_limited` after {@link TESTS_PER_MINUTE}.
 */
export async function createTestDelivery(
  { db, now, owner }: WebhookParts,
  userId: string,
  event: WebhookEvent,
): Promise<ClaimedDelivery> {
  return db.transaction().execute(async (trx) => {
    const hook = await trx
      .selectFrom('webhooks')
      .select(['id', 'url', 'host', 'secret', 'previous_first', 'failures', 'paused_at'])
      .select(sql<string | null>`case when previous_until > ${now()} then previous_secret end`.as('previous_secret'))
      .where('user_id', '=', userId)
      // Tests of one user take turns, so that the limit holds.
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (hook === undefined)
      throw new Problem('webhook_not_found', 'You have no webhook; POST /webhooks/register makes one.');
    const { rows: recent } = await sql<{ count: number }>`
      select count(*)::int as count from webhook_deliveries d join webhook_events e on e.id = d.event_id
      where d.user_id = ${userId} and d.created_at > ${now()} - interval '1 minute' and e.type = 'test_event'`.execute(
      trx,
    );
    if ((recent[0]?.count ?? 0) >= TESTS_PER_MINUTE)
      throw new Problem('rate_limited', `Wanted at most ${TESTS_PER_MINUTE} tests a minute.`, { retryAfterS: 60 });
    const id = randomUUID();
    await trx
      .insertInto('webhook_events')
      .values({ id: event.id, user_id: userId, type: event.type, body: event.body, created_at: event.createdAt })
      .execute();
    const lease = sql`${now()} + ${sql.lit(LEASE_S)} * interval '1 second'`;
    const { rows } = await sql<{ claimed_at: Date }>`
      insert into webhook_deliveries (id, event_id, user_id, webhook_id, url, retries_left, next_attempt_at, created_at,
        token, claims, lease_owner, lease_until)
      values (${id}, ${event.id}, ${userId}, ${hook.id}, ${hook.url}, 0, ${lease}, ${event.createdAt},
        1, 1, ${owner}::uuid, ${lease})
      returning ${now()} as claimed_at`.execute(trx);
    return {
      id,
      token: 1,
      attempt: 1,
      userId,
      webhookId: hook.id,
      url: hook.url,
      host: hook.host,
      eventId: event.id,
      type: event.type,
      body: event.body,
      secrets: secretsInTurn(hook),
      lostBefore: 0,
      troubled: hook.failures > 0 || hook.paused_at !== null,
      claimedAt: rows[0]?.claimed_at as Date,
    };
  });
}

/**
 * Claims a test that has failed once more, so that its next attempt is signed with the other of two secrets. Null when its
 * webhook is gone or its delivery was sent again meanwhile.
 */
export async function claimTestAgain(
  { db, now, owner }: WebhookParts,
  test: ClaimedDelivery,
): Promise<ClaimedDelivery | null> {
  const lease = sql`${now()} + ${sql.lit(LEASE_S)} * interval '1 second'`;
  const { rows } = await sql<{ token: number; attempts: number; claimed_at: Date }>`
    with hook as (select id from webhooks where id = ${test.webhookId}::uuid for key share)
    update webhook_deliveries d set state = 'pending', token = token + 1, claims = 1, finished_at = null,
      lease_owner = ${owner}::uuid, lease_until = ${lease}, next_attempt_at = ${lease}
    from hook w
    where d.id = ${test.id}::uuid and d.token = ${test.token} and d.state = 'failed' and w.id = d.webhook_id
    returning d.token, d.attempts, ${now()} as claimed_at`.execute(db);
  const row = rows[0];
  return row === undefined ? null : { ...test, token: row.token, attempt: row.attempts + 1, claimedAt: row.claimed_at };
}
