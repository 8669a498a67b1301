import { sql, type Transaction } from 'kysely';
import type { Database } from '../database.ts';
import { PAUSE_AFTER_FAILURES, PROBE_EVERY_S, type WebhookParts, type WrittenOutcome } from './webhook-parts.ts';

type Finished = Pick<WrittenOutcome, 'id' | 'user_id' | 'webhook_id' | 'event_id' | 'url' | 'reason'>;

/** A delivery that arrived ends a row of failures, and a pause: everything that was held back goes out. */
export async function noteSuccesses(
  { now }: WebhookParts,
  trx: Transaction<Database>,
  delivered: readonly Finished[],
): Promise<void> {
  if (delivered.length === 0) return;
  const ids = [...new Set(delivered.map((row) => row.webhook_id))];
  await sql`update webhooks set failures = 0, paused_at = null, probe_at = null
    where id = any(${ids}::uuid[]) and (failures > 0 or paused_at is not null)`.execute(trx);
  await sql`update webhook_deliveries set next_attempt_at = ${now()}
    where webhook_id = any(${ids}::uuid[]) and user_id = any(${delivered.map((row) => row.user_id)}::text[])
      and state = 'pending' and next_attempt_at = 'infinity'`.execute(trx);
}

/** A notice for each event that failed for good, and a pause when there were too many in a row. Tests of a webhook count for nothing. */
export async function noteFailures(
  parts: WebhookParts,
  trx: Transaction<Database>,
  failed: readonly Finished[],
): Promise<void> {
  if (failed.length === 0) return;
  const events = await trx
    .selectFrom('webhook_events')
    .select(['id', 'type'])
    .where(
      'id',
      'in',
      failed.map((row) => row.event_id),
    )
    .where('type', '<>', 'test_event')
    .execute();
  const types = new Map(events.map(({ id, type }) => [id, type]));
  const perWebhook = new Map<string, number>();
  for (const row of failed) {
    const type = types.get(row.event_id);
    if (type === undefined || row.reason === null) continue;
    perWebhook.set(row.webhook_id, (perWebhook.get(row.webhook_id) ?? 0) + 1);
    await parts.onNotice(trx, {
      kind: 'delivery_failed',
      userId: row.user_id,
      url: row.url,
      deliveryId: row.id,
      eventId: row.event_id,
      eventType: type,
      reason: row.reason,
      failedAt: new Date(),
    });
  }
  for (const [id, count] of perWebhook) await countFailures(parts, trx, id, count);
}

async function countFailures(
  { now, onNotice }: WebhookParts,
  trx: Transaction<Database>,
  id: string,
  count: number,
): Promise<void> {
  const { rows } = await sql<{ user_id: string; url: string; failures: number; pauses: boolean }>`
    update webhooks set failures = failures + ${count}::int,
      paused_at = case when failures + ${count}::int >= ${sql.lit(PAUSE_AFTER_FAILURES)} then coalesce(paused_at, ${now()}) end,
      probe_at = case when paused_at is not null then probe_at
        when failures + ${count}::int >= ${sql.lit(PAUSE_AFTER_FAILURES)}
        then ${now()} + ${sql.lit(PROBE_EVERY_S)} * interval '1 second' end
    where id = ${id}
    returning user_id, url, failures,
      failures >= ${sql.lit(PAUSE_AFTER_FAILURES)} and failures - ${count}::int < ${sql.lit(PAUSE_AFTER_FAILURES)} as pauses`.execute(
    trx,
  );
  const row = rows[0];
  if (row?.pauses !== true) return;
  // What is being sent, or was tried already, goes on; the rest waits for a receiver that answers.
  await sql`update webhook_deliveries set next_attempt_at = 'infinity'
    where user_id = ${row.user_id} and webhook_id = ${id} and state = 'pending' and lease_until is null
      and attempts = 0`.execute(trx);
  await onNotice(trx, { kind: 'webhook_paused', userId: row.user_id, url: row.url, failures: row.failures });
}

/** See `DeliveryQueue.releaseProbes`; frees, too, what was held back while its webhook was just being resumed. */
export async function releaseProbes({ db, now }: WebhookParts): Promise<number> {
  const due = await db
    .selectFrom('webhooks')
    .select('id')
    .where('paused_at', 'is not', null)
    .where('probe_at', '<=', now())
    .limit(100)
    .execute();
  for (const { id } of due) {
    await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ user_id: string }>`
        update webhooks set probe_at = ${now()} + ${sql.lit(PROBE_EVERY_S)} * interval '1 second'
        where id = ${id} and paused_at is not null and probe_at <= ${now()} returning user_id`.execute(trx);
      if (rows[0] === undefined) return;
      await sql`update webhook_deliveries set next_attempt_at = ${now()} where id = (
        select id from webhook_deliveries
        where user_id = ${rows[0].user_id} and webhook_id = ${id} and state = 'pending' and next_attempt_at = 'infinity'
        order by created_at, id limit 1)`.execute(trx);
    });
  }
  await sql`update webhook_deliveries d set next_attempt_at = ${now()}
    from webhooks w where w.id = d.webhook_id and w.paused_at is null
      and d.state = 'pending' and d.next_attempt_at = 'infinity'`.execute(db);
  return due.length;
}
