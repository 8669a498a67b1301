import { sql, type Kysely } from 'kysely';
import type { ReviewState, RowReview } from '../../collections/review.ts';
import type { Database } from '../database.ts';

interface ReviewRange {
  /** First number, inclusive. */
  readonly from: number;
  /** Last number, exclusive; null: all. */
  readonly to: number | null;
  /** Number of the newest entry that counts; null: all. */
  readonly upTo: number | null;
  readonly state?: ReviewState;
  readonly limit?: number;
}

/** The newest review of each row of a collection or task, by number. Rows without one are left out. */
export async function readReviews(
  db: Kysely<Database>,
  subject: string,
  { from, to, upTo, state, limit }: ReviewRange,
): Promise<readonly RowReview[]> {
  const newest = sql`
    select distinct on (r.number) r.number, v.state, v.note, v.made_by, v.at
    from review_rows r join reviews v on v.id = r.review_id
    where r.subject = ${subject}::uuid and r.number >= ${from}::int
      and (${to}::int is null or r.number < ${to}::int) and (${upTo}::int is null or r.seq <= ${upTo}::int)
    order by r.number, r.seq desc`;
  const { rows } = await sql<{ number: number; state: ReviewState; note: string; made_by: string; at: Date }>`
    select * from (${newest}) n where ${state ?? null}::text is null or n.state = ${state ?? null}::text
    order by n.number limit ${limit ?? null}::int`.execute(db);
  return rows.map(({ number, state: decided, note, made_by: by, at }) => ({
    number,
    state: decided,
    note,
    by,
    at: at.toISOString(),
  }));
}
