import { randomUUID } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Actor } from '../../auth/audit-log.ts';
import type { ReviewEntry, ReviewState, ReviewSubject, RowReview } from '../../collections/review.ts';
import { Problem } from '../../errors.ts';
import { writeAct } from '../audit-log.ts';
import type { Database } from '../database.ts';
import { isUuid } from '../sql-values.ts';
import { readReviews } from './read-reviews.ts';

interface NewReview {
  /** Different ones, each the place of a row from 0. */
  readonly numbers: readonly number[];
  readonly state: ReviewState;
  readonly note: string;
  readonly actor: Actor;
  /** Entries that a row may have. */
  readonly most: number;
}

/** The reviews of users. Another user's collection or task is unknown. */
export interface ReviewStore {
  /** Null where the user has neither a collection nor a task with this id. */
  subject(userId: string, id: string): Promise<ReviewSubject | null>;
  /**
   * Adds an entry, and the act to the audit log in the same transaction. Throws `Problem('conflict')` where a row has as many
   * entries as there may be; null where the subject is gone.
   */
  add(
    userId: string,
    subject: ReviewSubject,
    review: NewReview,
  ): Promise<{ readonly at: Date; readonly by: string } | null>;
  /** The newest review of each row there is that has one, by number; `after` is the last number of the page before. */
  list(
    subject: ReviewSubject,
    page: { readonly state?: ReviewState; readonly limit: number; readonly after: number | null },
  ): Promise<readonly RowReview[]>;
  /** Rows there are by the state of their newest review; those without one are in none of them. */
  counts(subject: ReviewSubject): Promise<Readonly<Partial<Record<ReviewState, number>>>>;
  /** The newest first. */
  history(subject: ReviewSubject, number: number): Promise<readonly ReviewEntry[]>;
}

export function createReviewStore({ db }: { readonly db: Kysely<Database> }): ReviewStore {
  return {
    subject: (userId, id) => findSubject(db, userId, id),
    add: (userId, subject, review) => db.transaction().execute((trx) => add(trx, userId, subject, review)),
    list: ({ id, rows }, { state, limit, after }) =>
      readReviews(db, id, {
        from: after === null ? 0 : after + 1,
        to: rows,
        upTo: null,
        limit,
        ...(state !== undefined && { state }),
      }),
    async counts({ id, rows: rowCount }) {
      const { rows } = await sql<{ state: ReviewState; count: number }>`
        select state, count(*)::int as count from (
          select distinct on (r.number) v.state from review_rows r join reviews v on v.id = r.review_id
          where r.subject = ${id}::uuid and r.number < ${rowCount}::int order by r.number, r.seq desc) n
        group by state`.execute(db);
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    async history({ id }, number) {
      const rows = await db
        .selectFrom('review_rows as r')
        .innerJoin('reviews as v', 'v.id', 'r.review_id')
        .select(['v.state', 'v.note', 'v.made_by', 'v.at', 'v.credential'])
        .where('r.subject', '=', id)
        .where('r.number', '=', number)
        .orderBy('r.seq', 'desc')
        .execute();
      return rows.map(({ state, note, made_by: by, at, credential }) => ({
        state,
        note,
        by,
        at: at.toISOString(),
        credential,
      }));
    },
  };
}

async function findSubject(db: Kysely<Database>, userId: string, id: string): Promise<ReviewSubject | null> {
  if (!isUuid(id)) return null;
  const { rows } = await sql<{
    kind: ReviewSubject['kind'];
    task_kind: string | null;
    completed_at: Date | null;
    rows: number | null;
  }>`
    select 'collection' as kind, null as task_kind, c.completed_at,
      (select max(p.first_number + p.count)::int from collection_parts p where p.collection_id = c.id
        and p.run = coalesce(c.run, case when c.status = 'staged' and c.confidence is not null then c.task_id end)) as rows
    from collections c where c.id = ${id}::uuid and c.user_id = ${userId}
    union all
    select 'task', t.kind, null, case when t.status = 'completed' then t.progress_done end
    from tasks t where t.id = ${id}::uuid and t.user_id = ${userId} and t.parent is null
      and t.status <> 'receiving'`.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  return { id, kind: row.kind, taskKind: row.task_kind, completedAt: row.completed_at, rows: row.rows };
}

async function add(
  trx: Transaction<Database>,
  userId: string,
  { id, kind }: ReviewSubject,
  { numbers, state, note, actor, most }: NewReview,
): Promise<{ readonly at: Date; readonly by: string } | null> {
  // Counting locks the row of the subject: its entries are numbered one after the other.
  const table = sql.table(kind === 'collection' ? 'collections' : 'tasks');
  const counted = await sql<{ reviews: number }>`
    update ${table} set reviews = reviews + 1 where id = ${id}::uuid and user_id = ${userId} returning reviews`.execute(
    trx,
  );
  const seq = counted.rows[0]?.reviews;
  if (seq === undefined) return null;
  await refuseFullRows(trx, id, numbers, most);
  const user = await trx
    .selectFrom('users')
    .select('email')
    .where((where) => where(where.cast('id', 'text'), '=', userId))
    .executeTakeFirst();
  const by = actor.credential === 'command' ? actor.actor : (user?.email ?? userId);
  const reviewId = randomUUID();
  const { at } = await trx
    .insertInto('reviews')
    .values({
      id: reviewId,
      collection_id: kind === 'collection' ? id : null,
      task_id: kind === 'task' ? id : null,
      seq,
      state,
      note,
      user_id: userId,
      made_by: by,
      credential: actor.credential,
    })
    .returning('at')
    .executeTakeFirstOrThrow();
  await sql`insert into review_rows (subject, number, seq, review_id)
    select ${id}::uuid, number, ${seq}::int, ${reviewId}::uuid
    from json_array_elements_text(${JSON.stringify(numbers)}::json) as given(text), lateral (select text::int as number) n`.execute(
    trx,
  );
  await writeAct(trx, { ...actor, act: 'review_recorded', target: id, detail: { state, rows: numbers.length } });
  return { at, by };
}

async function refuseFullRows(
  trx: Transaction<Database>,
  id: string,
  numbers: readonly number[],
  most: number,
): Promise<void> {
  const { rows } = await sql<{ number: number }>`
    select number from review_rows
    where subject = ${id}::uuid
      and number in (select text::int from json_array_elements_text(${JSON.stringify(numbers)}::json) as given(text))
    group by number having count(*) >= ${most}::int order by number limit 1`.execute(trx);
  const [full] = rows;
  if (full !== undefined)
    throw new Problem(
      'conflict',
      `The row ${full.number} has ${most} reviews already; wanted at most that many for one row.`,
    );
}
