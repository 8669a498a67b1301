import { sql } from 'kysely';
import type { WebhookParts } from './webhook-parts.ts';

const BATCH = 1_000;

/**
 * Deletes finished deliveries older than `days` with their attempts, and the content of their events, in batches that
 * hold nothing up; returns how many deliveries. The event's row stays where it has a unique key, which must hold for ever.
 */
export async function deleteExpired(parts: WebhookParts, days: number): Promise<number> {
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
