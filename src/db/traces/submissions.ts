import { sql, type Selectable } from 'kysely';
import type { NewAct } from '../../auth/audit-log.ts';
import { Problem } from '../../errors.ts';
import type { Submission, SubmissionChange, SubmissionSummary } from '../../traces/filing/submission.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import { withAct } from '../audit-log.ts';
import { sealBlob } from '../blobs.ts';
import type { Database } from '../database.ts';
import { NO_LEASE } from '../lease.ts';
import type { Store } from '../open-store.ts';
import { pageIsGone } from '../page-is-gone.ts';
import { isUniqueViolation, isUuid } from '../sql-values.ts';

/** A statement as it is stored: JSON, compressed. */
export interface FilingContent {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly summary: SubmissionSummary;
}

export type NewSubmission = Pick<
  Submission,
  'userId' | 'collectionId' | 'statementNumber' | 'kind' | 'environment' | 'internalReference'
> & {
  readonly content: FilingContent;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
};

export interface SubmissionPage {
  readonly limit: number;
  /** Id of the last submission of the page before. */
  readonly before?: string;
  readonly collectionId?: string;
  readonly environment?: TracesEnvironment;
}

/** Submissions of users. Another user's is unknown. */
interface SubmissionStore {
  /** Recorded before anything is sent. Throws `Problem('conflict')` while another filing of the same draft is in force. */
  add(submission: NewSubmission, act?: NewAct): Promise<Submission>;
  get(userId: string, id: string): Promise<Submission | null>;
  /** Newest first. @throws Problem when `before` is gone. */
  list(userId: string, page: SubmissionPage): Promise<readonly Submission[]>;
  /** Unfinished ones of the user. */
  countOpen(userId: string): Promise<number>;
  /** False where it was not waiting, or is being sent. */
  cancel(userId: string, id: string, act?: NewAct): Promise<boolean>;
  /** Plans a change of what is filed; false where one is under way or the state has moved on. */
  plan(
    submission: Pick<Submission, 'userId' | 'id' | 'state'>,
    change: SubmissionChange,
    content: FilingContent | null,
    act?: NewAct,
  ): Promise<boolean>;
  /** Makes a query due now. */
  refresh(userId: string, id: string): Promise<void>;
}

type SubmissionParts = Pick<Store, 'db' | 'blobs'>;

export function createSubmissionStore(store: SubmissionParts): SubmissionStore {
  const { db } = store;
  return {
    get: (userId, id) => get(db, userId, id),
    add: (submission, act) => add(store, submission, act),
    list: (userId, page) => list(store, userId, page),
    async countOpen(userId) {
      const { count } = await db
        .selectFrom('traces_submissions')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('user_id', '=', userId)
        .where('state', 'in', ['waiting', 'sending', 'unconfirmed'])
        .executeTakeFirstOrThrow();
      return count;
    },
    async cancel(userId, id, act) {
      if (!isUuid(id)) return false;
      const row = await withAct(db, act, async (trx) => {
        const stopped = await trx
          .updateTable('traces_submissions')
          // The lease of whoever has claimed it meanwhile is gone with its attempt.
          .set({ state: 'cancelled', next_at: null, attempt: sql<number>`attempt + 1` })
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .where('state', '=', 'waiting')
          .returning('id')
          .executeTakeFirst();
        return stopped ?? null;
      });
      return row !== null;
    },
    plan: (submission, change, content, act) => plan(store, submission, change, content, act),
    async refresh(userId, id) {
      if (!isUuid(id)) return;
      await db
        .updateTable('traces_submissions')
        .set({ next_at: sql<Date>`now()` })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
  };
}

async function get(db: Store['db'], userId: string, id: string): Promise<Submission | null> {
  if (!isUuid(id)) return null;
  const row = await db
    .selectFrom('traces_submissions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : submissionOf(row);
}

async function add(
  store: SubmissionParts,
  { content, idempotency, ...submission }: NewSubmission,
  act?: NewAct,
): Promise<Submission> {
  const { db, blobs } = store;
  if (idempotency !== null) {
    const earlier = await byKey(store, submission.userId, idempotency);
    if (earlier !== null) return earlier;
  }
  const blob = await blobs.receive(once(content.bytes));
  try {
    const row = await withAct(db, act, async (trx) => {
      await sealBlob(trx, blob);
      return trx
        .insertInto('traces_submissions')
        .values({
          user_id: submission.userId,
          collection_id: submission.collectionId,
          statement_number: submission.statementNumber,
          kind: submission.kind,
          environment: submission.environment,
          internal_reference: submission.internalReference,
          state: 'waiting',
          summary: JSON.stringify(content.summary),
          content_blob: blob.id,
          content_sha256: content.sha256,
          idempotency_key: idempotency?.key ?? null,
          fingerprint: idempotency?.fingerprint ?? null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return submissionOf(row!);
  } catch (error) {
    await blobs.delete(blob.id);
    if (!isUniqueViolation(error)) throw error;
    const earlier = idempotency === null ? null : await byKey(store, submission.userId, idempotency);
    if (earlier !== null) return earlier;
    throw new Problem(
      'conflict',
      'A submission of this statement is under way or in force in this environment; read it with GET /traces/submissions, amend it or retract it.',
      { cause: error },
    );
  }
}

async function list(
  { db }: SubmissionParts,
  userId: string,
  { limit, before, collectionId, environment }: SubmissionPage,
): Promise<readonly Submission[]> {
  if (before !== undefined && (await get(db, userId, before)) === null) throw pageIsGone('submission', before);
  const rows = await db
    .selectFrom('traces_submissions')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(collectionId !== undefined, (query) => query.where('collection_id', '=', collectionId as string))
    .$if(environment !== undefined, (query) => query.where('environment', '=', environment!))
    .$if(before !== undefined, (query) =>
      query.where(
        sql<boolean>`(created_at, id) < (select created_at, id from traces_submissions where id = ${before as string}::uuid)`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(submissionOf);
}

async function plan(
  { db, blobs }: SubmissionParts,
  { userId, id, state }: Pick<Submission, 'userId' | 'id' | 'state'>,
  change: SubmissionChange,
  content: FilingContent | null,
  act?: NewAct,
): Promise<boolean> {
  const blob = content === null ? null : await blobs.receive(once(content.bytes));
  const row = await withAct(db, act, async (trx) => {
    if (blob !== null) await sealBlob(trx, blob);
    const planned = await trx
      .updateTable('traces_submissions')
      .set({
        change,
        pending_blob: blob?.id ?? null,
        pending_sha256: content?.sha256 ?? null,
        pending_summary: content === null ? null : JSON.stringify(content.summary),
        failure: null,
        failures: 0,
        empty_answers: 0,
        awaits_answer: false,
        next_at: sql<Date>`now()`,
        // A query on its way must not plan the next step in place of the change.
        attempt: sql<number>`attempt + 1`,
        ...NO_LEASE,
      })
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .where('state', '=', state)
      .where('change', 'is', null)
      .where('awaits_answer', '=', false)
      .returning('id')
      .executeTakeFirst();
    return planned ?? null;
  });
  if (row === null && blob !== null) await blobs.delete(blob.id);
  return row !== null;
}

/** The submission that the same request made before. Throws for a key that another request had. */
async function byKey(
  { db }: Pick<Store, 'db'>,
  userId: string,
  { key, fingerprint }: { readonly key: string; readonly fingerprint: string },
): Promise<Submission | null> {
  const row = await db
    .selectFrom('traces_submissions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.fingerprint !== fingerprint)
    throw new Problem(
      'idempotency_mismatch',
      'Idempotency-Key: wanted a new key for a new request, got one that was used before.',
    );
  return submissionOf(row);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function submissionOf(row: Selectable<Database['traces_submissions']>): Submission {
  return {
    id: row.id,
    userId: row.user_id,
    collectionId: row.collection_id,
    statementNumber: row.statement_number,
    kind: row.kind,
    environment: row.environment,
    internalReference: row.internal_reference,
    state: row.state,
    change: row.change,
    summary: row.summary,
    contentSha256: row.content_sha256,
    uuid: row.uuid,
    referenceNumber: row.reference_number,
    verificationNumber: row.verification_number,
    rejectionReason: row.rejection_reason,
    communication: row.communication,
    failure: row.failure,
    sends: row.sends,
    createdAt: row.created_at,
    handedOverAt: row.handed_over_at,
    queriedAt: row.queried_at,
    nextAt: row.next_at,
    notYetAvailableAt: row.not_yet_available_at,
    availableAt: row.available_at,
  };
}
