import { sql, type RawBuilder, type Selectable, type Transaction } from 'kysely';
import type { EmailAttachment, EmailState } from '../../email/email.ts';
import type { ClaimedEmail, EmailOutcome, EmailQueue, EmailRun } from '../../email/email-queue.ts';
import type { BlobStore } from '../blobs.ts';
import type { Database } from '../database.ts';
import { leaseEnd, NO_LEASE, ofOtherOwner } from '../lease.ts';
import type { Store } from '../open-store.ts';

type Db = Store['db'];

/** Seconds without renewal after which a sender counts as lost. */
const LEASE_S = 30;
/** Days an email is kept after it ended, whichever way. */
const EMAIL_RETENTION_DAYS = 90;
const BATCH = 100;
const LEASE_END = leaseEnd(LEASE_S);

/** The outbox for senders; `owner` names this process in leases. */
export async function openEmailQueue(store: Store, owner: string): Promise<EmailQueue> {
  const { db, blobs } = store;
  if (store.engine === 'embedded') {
    while ((await endLeases(db, ofOtherOwner(owner))) > 0);
  }
  return {
    claim: (count, domain) => claim(db, owner, count, domain),
    renew: (runs) => renew(db, owner, runs),
    markHandedOver: (run) => mark(db, owner, run),
    record: (run, outcome) => db.transaction().execute((trx) => record(trx, owner, run, outcome)),
    giveBack: (run) => giveBack(db, owner, run),
    reapExpired: () => endLeases(db, sql<boolean>`lease_until < now()`),
    readBlob: (id) => readBlob(blobs, id),
    deleteExpired: () => deleteExpired(db),
  };
}

async function claim(db: Db, owner: string, count: number, domain: string): Promise<readonly ClaimedEmail[]> {
  const due = db
    .selectFrom('emails')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_attempt_at', '<=', sql<Date>`now()`)
    .orderBy('next_attempt_at')
    .limit(count)
    .forUpdate()
    .skipLocked();
  const rows = await db
    .updateTable('emails')
    .set({
      state: 'sending',
      attempt: sql<number>`attempt + 1`,
      tries: sql<number>`tries + 1`,
      lease_owner: owner,
      lease_until: LEASE_END,
      claimed_at: sql<Date>`clock_timestamp()`,
      handed_over_at: null,
      next_attempt_at: null,
      message_id: sql<string>`coalesce(message_id, '<' || id || '@' || ${domain}::text || '>')`,
    })
    .where('id', 'in', due)
    .returningAll()
    .execute();
  if (rows.length === 0) return [];
  const files = await db
    .selectFrom('email_attachments')
    .selectAll()
    .where(
      'email_id',
      'in',
      rows.map((row) => row.id),
    )
    .orderBy('seq')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    attempt: row.attempt,
    tries: row.tries,
    messageId: row.message_id ?? '',
    to: row.recipient,
    subject: row.subject,
    text: row.body,
    attachments: files.filter((file) => file.email_id === row.id).map(attachment),
    textWithoutAttachments: row.body_without_attachments,
    createdAt: row.created_at,
  }));
}

function attachment(row: Selectable<Database['email_attachments']>): EmailAttachment {
  const { filename, content_type: contentType, size, sha256, blob_id: blobId } = row;
  return { filename, contentType, size, sha256, blobId };
}

async function renew(db: Db, owner: string, runs: readonly EmailRun[]): Promise<void> {
  await db
    .updateTable('emails')
    .set({ lease_until: LEASE_END })
    .where('state', '=', 'sending')
    .where('lease_owner', '=', owner)
    .where(
      'id',
      'in',
      runs.map((run) => run.id),
    )
    .execute();
}

/** The row of a run that is still its own. */
function held(db: Db | Transaction<Database>, owner: string, run: EmailRun) {
  return db
    .updateTable('emails')
    .where('id', '=', run.id)
    .where('attempt', '=', run.attempt)
    .where('lease_owner', '=', owner)
    .where('state', '=', 'sending');
}

async function mark(db: Db, owner: string, run: EmailRun): Promise<boolean> {
  // A lease about to end could be taken for dead while the message leaves.
  const { numUpdatedRows } = await held(db, owner, run)
    .set({ handed_over_at: sql<Date>`clock_timestamp()`, lease_until: LEASE_END })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function record(
  trx: Transaction<Database>,
  owner: string,
  run: EmailRun,
  { result, detail, againAfterS }: EmailOutcome & { readonly againAfterS: number | null },
): Promise<boolean> {
  const ended = { again: 'failed', refused: 'failed', sent: 'sent', unknown: 'unknown' } as const;
  const next = sql<Date>`now() + ${againAfterS}::double precision * interval '1 second'`;
  const row = await held(trx, owner, run)
    .set(
      result === 'again' && againAfterS !== null
        ? dueAgain(detail, next)
        : {
            state: ended[result],
            detail: result === 'again' ? `given up after the last attempt: ${detail}` : detail,
            finished_at: sql<Date>`now()`,
          },
    )
    .set(NO_LEASE)
    .returning(['claimed_at'])
    .executeTakeFirst();
  if (row === undefined) return false;
  await trx
    .insertInto('email_attempts')
    .values({ email_id: run.id, number: run.attempt, started_at: row.claimed_at ?? new Date(), result, detail })
    .execute();
  return true;
}

async function giveBack(db: Db, owner: string, run: EmailRun): Promise<boolean> {
  const { numUpdatedRows } = await held(db, owner, run)
    .set({
      ...dueAgain(null, sql<Date>`now()`),
      tries: sql<number>`tries - 1`,
      ...NO_LEASE,
    })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Why an email of a user who was removed failed. */
export const USER_REMOVED = 'The user was removed.';

/** An email whose attempt ended without it being sent: due at `next`, or failed where its user was removed meanwhile. `detail` null: as it is. */
function dueAgain(detail: string | null, next: RawBuilder<Date>) {
  return {
    state: sql<EmailState>`case when finished_at is null then 'pending' else 'failed' end`,
    detail: sql<string>`case when finished_at is null then coalesce(${detail}::text, detail) else ${USER_REMOVED} end`,
    next_attempt_at: sql<Date>`case when finished_at is null then ${next} end`,
  };
}

const LOST = 'the sender stopped before the message was handed over';
const UNKNOWN = 'the sender stopped after the message was handed over, before the answer was recorded';

/** Ends leases whose process is gone; returns how many there were. */
function endLeases(db: Db, isDead: RawBuilder<boolean>): Promise<number> {
  const lost = dueAgain(LOST, sql<Date>`now()`);
  return db.transaction().execute(async (trx) => {
    const dead = trx
      .selectFrom('emails')
      .select('id')
      .where('state', '=', 'sending')
      .where(isDead)
      .limit(BATCH)
      .forUpdate()
      .skipLocked();
    const rows = await trx
      .updateTable('emails')
      .set({
        state: sql`case when handed_over_at is not null then 'unknown' else ${lost.state} end`,
        detail: sql<string>`case when handed_over_at is not null then ${UNKNOWN} else ${lost.detail} end`,
        next_attempt_at: sql<Date>`case when handed_over_at is null then ${lost.next_attempt_at} end`,
        finished_at: sql<Date>`case when handed_over_at is not null then now() else finished_at end`,
        ...NO_LEASE,
      })
      .where('id', 'in', dead)
      .returning(['id', 'attempt', 'claimed_at', 'handed_over_at'])
      .execute();
    for (const row of rows) {
      const unknown = row.handed_over_at !== null;
      await trx
        .insertInto('email_attempts')
        .values({
          email_id: row.id,
          number: row.attempt,
          started_at: row.claimed_at ?? new Date(),
          result: unknown ? 'unknown' : 'again',
          detail: unknown ? UNKNOWN : LOST,
        })
        .execute();
    }
    return rows.length;
  });
}

async function readBlob(blobs: BlobStore, id: string): Promise<Uint8Array | null> {
  const blob = await blobs.get(id);
  return blob === null ? null : Buffer.concat(await Array.fromAsync(blob.bytes));
}

async function deleteExpired(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('emails')
    .where('finished_at', '<', sql<Date>`now() - ${sql.lit(EMAIL_RETENTION_DAYS)} * interval '1 day'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
