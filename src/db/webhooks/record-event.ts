import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { WebhookEvent } from '../../webhooks/webhook-event.ts';
import type { Database } from '../database.ts';

export interface EventToRecord {
  readonly userId: string;
  readonly event: WebhookEvent;
  /** Names what happened, such as `batch <id>`: with the same key only the first call records an event. */
  readonly uniqueKey: string;
}

/** `delivery` is null for a user without a webhook. */
export type RecordedEvent = { readonly isNew: false } | { readonly isNew: true; readonly delivery: string | null };

/**
 * Writes an event and its delivery inside the caller's transaction, so that they exist exactly when the work they report
 * is done. The webhook's row is share-locked: a removal at the same moment comes before, and there is no delivery, or
 * after, and cancels it. Without a webhook that gets events of its type the content is not kept: nothing can ever send it,
 * and nothing would delete it.
 */
export async function recordEvent(
  trx: Transaction<Database>,
  { userId, event, uniqueKey }: EventToRecord,
  now: RawBuilder<Date>,
  retries: number,
): Promise<RecordedEvent> {
  const { rows } = await sql<{ is_new: boolean; delivery: string | null }>`
    with hook as (
      select id, url, paused_at from webhooks where user_id = ${userId} and ${event.type} = any(events) for key share
    ), event as (
      insert into webhook_events (id, user_id, type, unique_key, body, created_at)
      values (${event.id}, ${userId}, ${event.type}, ${uniqueKey},
        case when exists (select from hook) then ${event.body} end, ${event.createdAt})
      on conflict (unique_key) do nothing
      returning id, created_at
    ), delivery as (
      insert into webhook_deliveries
        (id, event_id, user_id, webhook_id, url, retries_left, next_attempt_at, created_at)
      select ${randomUUID()}::uuid, event.id, ${userId}, hook.id, hook.url, ${retries}::int,
        case when hook.paused_at is null then ${now} else 'infinity' end, event.created_at
      from event cross join hook
      returning id
    )
    select exists (select from event) as is_new, (select id from delivery) as delivery`.execute(trx);
  const row = rows[0];
  return row?.is_new === true ? { isNew: true, delivery: row.delivery } : { isNew: false };
}
