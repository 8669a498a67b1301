import { sql, type Kysely } from 'kysely';

/** Who changed what: rows are added and, once their retention is over, deleted; nothing changes them. */
export async function auditLog(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_log (
      id uuid primary key default gen_random_uuid(),
      at timestamptz not null default clock_timestamp(),
      actor text not null,
      credential text not null,
      source text not null,
      act text not null,
      target text not null,
      detail json not null
    )`.execute(db);
  await sql`create index audit_log_newest on audit_log (at desc, id desc)`.execute(db);
}
