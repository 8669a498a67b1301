import { sql, type Kysely } from 'kysely';

/**
 * Webhooks, their events, deliveries and attempts. Users are compared byte by byte (`collate "C"`), because the sender
 * walks through them in that order. Deliveries keep no reference to webhooks, which are deleted while their log stays;
 * events and attempts are written and deleted together with their delivery, and a foreign key would cost each of them a
 * look at it.
 */
export async function webhooks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhooks (
      id uuid primary key,
      user_id text collate "C" not null constraint webhooks_one_a_user unique,
      url text not null,
      host text not null,
      secret text not null,
      previous_secret text,
      previous_until timestamptz,
      previous_first boolean not null default false,
      failures integer not null default 0,
      paused_at timestamptz,
      probe_at timestamptz,
      created_at timestamptz not null default now()
    )`.execute(db);
  await sql`create index webhooks_probe on webhooks (probe_at) where paused_at is not null`.execute(db);
  await sql`
    create table webhook_events (
      id text primary key,
      user_id text collate "C" not null,
      type text not null,
      unique_key text constraint webhook_events_once unique,
      body text,
      created_at timestamptz not null
    )`.execute(db);
  await sql`
    create table webhook_deliveries (
      id uuid primary key,
      event_id text not null,
      user_id text collate "C" not null,
      webhook_id uuid not null,
      url text not null,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
      attempts integer not null default 0,
      retries_left integer not null,
      next_attempt_at timestamptz,
      token integer not null default 0,
      claims integer not null default 0,
      lease_owner uuid,
      lease_until timestamptz,
      created_at timestamptz not null,
      finished_at timestamptz,
      check ((state = 'pending') = (next_attempt_at is not null))
    )`.execute(db);
  await sql`create index webhook_deliveries_waiting on webhook_deliveries (user_id, next_attempt_at)
    where state = 'pending'`.execute(db);
  // By its condition for the question when anything is due alone: with the statistics of a quiet hour the planner would
  // take it for the deliveries of one user too, and read those of everybody.
  await sql`create index webhook_deliveries_due on webhook_deliveries (next_attempt_at)
    where state = 'pending' and next_attempt_at < 'infinity'`.execute(db);
  await sql`create index webhook_deliveries_held on webhook_deliveries (webhook_id, created_at)
    where state = 'pending' and next_attempt_at = 'infinity'`.execute(db);
  await sql`create index webhook_deliveries_of_user on webhook_deliveries (user_id, created_at desc, id desc)`.execute(
    db,
  );
  await sql`create index webhook_deliveries_finished on webhook_deliveries (finished_at)
    where finished_at is not null`.execute(db);
  await sql`
    create table webhook_attempts (
      delivery_id uuid not null,
      number integer not null,
      started_at timestamptz not null,
      duration_ms integer not null,
      status integer,
      reason text,
      detail text,
      address text,
      dns_ms integer,
      connect_ms integer,
      tls_ms integer,
      first_byte_ms integer,
      excerpt text,
      next_attempt_at timestamptz,
      primary key (delivery_id, number)
    )`.execute(db);
  // Rows are rewritten twice on their way; a vacuum that waits for a fifth of the table comes too late.
  await sql`alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02)`.execute(db);
}
