import { sql } from 'kysely';
import type { WebhookParts } from './webhook-parts.ts';

/** Deliveries, each kind counted up to {@link COUNTED}. */
export interface DeliveryCounts {
  /** To be sent, now or later, those of paused webhooks included. */
  readonly pending: number;
  readonly deliveredLastHour: number;
  readonly failedLastHour: number;
  readonly pausedWebhooks: number;
}

/** Counting stops here: more is more than anybody needs to know exactly. */
const COUNTED = 100_000;

export async function countDeliveries({ db, now }: WebhookParts): Promise<DeliveryCounts> {
  const lastHour = (state: 'delivered' | 'failed') => sql`(select count(*)::int from (select from webhook_deliveries
    where state = ${sql.lit(state)} and finished_at > ${now()} - interval '1 hour' limit ${sql.lit(COUNTED)}) c)`;
  const { rows } = await sql<DeliveryCounts>`
    select ${lastHour('delivered')} as "deliveredLastHour", ${lastHour('failed')} as "failedLastHour",
      (select count(*)::int from (select from webhook_deliveries where state = 'pending'
        limit ${sql.lit(COUNTED)}) p) as pending,
      (select count(*)::int from webhooks where paused_at is not null) as "pausedWebhooks"`.execute(db);
  return rows[0] as DeliveryCounts;
}
