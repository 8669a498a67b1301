import { sql, type Kysely } from 'kysely';

/** Which events a webhook gets, and where notices about its deliveries go when its user is none of ours. */
export async function batchEvents(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhooks add column events text[] not null
    default '{batch_zonal_stats_complete,test_event}'`.execute(db);
  await sql`alter table webhooks add column notice_email text`.execute(db);
}
