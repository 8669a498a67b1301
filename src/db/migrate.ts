import { sql, type Kysely, type Transaction } from 'kysely';
import { type Migration, MIGRATIONS } from './migrations/migrations.ts';

/** Any fixed number: every process that migrates takes the same advisory lock. */
const MIGRATION_LOCK = 7_239_411_802;

/**
 * Brings the tables to the version of this code in one transaction and returns the names of the steps it ran. Any number
 * of processes may start together: one migrates, the others wait and find nothing to do. Throws when the database was
 * made by newer code, because older code would write rows that the newer tables do not allow.
 */
export async function migrate<T>(db: Kysely<T>, steps: readonly Migration[] = MIGRATIONS): Promise<readonly string[]> {
  const newest = steps.at(-1)?.version ?? 0;
  if ((await versionWithoutLock(db)) === newest) return [];
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx);
    await sql`
      create table if not exists migrations (
        version integer primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`.execute(trx);
    return applyMissing(trx as Transaction<unknown>, steps, newest);
  });
}

async function applyMissing(trx: Transaction<unknown>, steps: readonly Migration[], newest: number): Promise<string[]> {
  const current = await readVersion(trx);
  if (current > newest) {
    throw new Error(
      `the database is at version ${current} and this firstmile knows versions up to ${newest}: ` +
        'start the release that made the database, or a later one',
    );
  }
  const missing = steps.filter((step) => step.version > current);
  for (const step of missing) {
    await step.up(trx);
    await sql`insert into migrations (version, name) values (${step.version}, ${step.name})`.execute(trx);
  }
  return missing.map((step) => step.name);
}

/** The version, 0 when the database is empty. */
async function versionWithoutLock<T>(db: Kysely<T>): Promise<number> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('migrations') is not null as there`.execute(db);
  return rows[0]?.there === true ? readVersion(db) : 0;
}

async function readVersion<T>(db: Kysely<T>): Promise<number> {
  const { rows } = await sql<{ version: number }>`select coalesce(max(version), 0) as version from migrations`.execute(
    db,
  );
  return rows[0]?.version ?? 0;
}
