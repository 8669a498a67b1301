import { sql, type RawBuilder } from 'kysely';

/** When a lease of so many seconds runs out that this statement takes or renews; `now` is the database's clock unless a test's. */
export function leaseEnd(seconds: number, now: RawBuilder<Date> = sql<Date>`now()`): RawBuilder<Date> {
  return sql<Date>`(${now} + ${sql.lit(seconds)} * interval '1 second')`;
}

/** The columns of a row that is nobody's. */
export const NO_LEASE = { lease_owner: null, lease_until: null } as const;

/**
 * Whether a row belongs to another process than `owner`. The lock of the embedded database proves that no other process lives,
 * so that at its start such a lease is over.
 */
export function ofOtherOwner(owner: string): RawBuilder<boolean> {
  return sql<boolean>`lease_owner <> ${owner}::uuid`;
}
