import { sql, type Kysely, type Transaction } from 'kysely';
import type { NewAct } from '../auth/audit-log.ts';
import { counted } from '../counted.ts';
import { Problem } from '../errors.ts';
import { writeAct } from './audit-log.ts';
import { dropBlob } from './blobs.ts';
import { deleteCollections } from './collections/delete-collections.ts';
import type { Database } from './database.ts';
import { USER_REMOVED } from './email/create-email-queue.ts';
import { isUuid } from './sql-values.ts';

/** A local user with what belongs to it. */
export interface UserOverview {
  readonly id: string;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly createdAt: Date;
  /** In force. */
  readonly tokens: number;
  readonly collections: number;
  readonly webhook: boolean;
}

/** What changed hands or stayed. */
export interface OwnedThings {
  readonly collections: number;
  readonly tasks: number;
}

/** Local users, the oldest first. */
export async function listUsers(db: Kysely<Database>): Promise<readonly UserOverview[]> {
  const { rows } = await sql<{
    id: string;
    email: string;
    has_password: boolean;
    created_at: Date;
    tokens: number;
    collections: number;
    webhook: boolean;
  }>`
    select id, email, password_hash is not null as has_password, created_at,
      (select count(*)::int from tokens t where t.user_id = u.id and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > now())) as tokens,
      (select count(*)::int from collections c where c.user_id = u.id::text) as collections,
      exists (select from webhooks w where w.user_id = u.id::text) as webhook
    from users u order by created_at, id`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    hasPassword: row.has_password,
    createdAt: row.created_at,
    tokens: row.tokens,
    collections: row.collections,
    webhook: row.webhook,
  }));
}

/** What becomes of the collections of a user who is removed. */
export type Legacy =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'give'; readonly to: string };

/**
 * Removes a local user: its password and tokens at once, its webhook with what was still to be sent, its credentials for the
 * EU information system with submissions that were not sent, its emails that wait, and the watches of its collections. Collections and
 * the results of tasks stay under its id, go to an heir, or are deleted, as `legacy` says, in the same transaction. Throws
 * `Problem('conflict')`, and removes nothing, while a task of the user is unfinished.
 */
export async function removeUser(
  db: Kysely<Database>,
  userId: string,
  legacy: Legacy,
  act?: NewAct,
): Promise<OwnedThings> {
  const blobs: string[] = [];
  const owned = await db.transaction().execute(async (trx) => {
    // A file that is being kept for the user at this moment is kept first, or not at all.
    if (isUuid(userId)) await trx.selectFrom('users').select('id').where('id', '=', userId).forUpdate().execute();
    const owned = await ownedBy(trx, userId);
    if (legacy.kind === 'give') await give(trx, userId, legacy.to);
    if (legacy.kind === 'delete') blobs.push(...(await deleteAllCollections(trx, userId)));
    await sql`delete from collection_watches w using collections c
      where c.id = w.collection_id and c.user_id = ${userId}`.execute(trx);
    await trx.deleteFrom('webhooks').where('user_id', '=', userId).execute();
    await sql`update webhook_deliveries set state = 'cancelled', next_attempt_at = null, finished_at = now()
      where user_id = ${userId} and state = 'pending'`.execute(trx);
    await trx.deleteFrom('traces_credentials').where('user_id', '=', userId).execute();
    await sql`update traces_submissions set state = 'cancelled', next_at = null, attempt = attempt + 1
      where user_id = ${userId} and state = 'waiting'`.execute(trx);
    // One that is being sent ends with this attempt, whose outcome is still recorded.
    await sql`update emails set state = case when state = 'pending' then 'failed' else state end,
        detail = case when state = 'pending' then ${USER_REMOVED} else detail end,
        next_attempt_at = null, finished_at = now()
      where user_id = ${userId} and state in ('pending', 'sending')`.execute(trx);
    if (isUuid(userId)) await trx.deleteFrom('users').where('id', '=', userId).execute();
    if (act !== undefined) await writeAct(trx, act);
    return owned;
  });
  for (const blob of blobs) await dropBlob(db, blob);
  return owned;
}

/** The blobs to drop once the transaction is committed. */
async function deleteAllCollections(trx: Transaction<Database>, userId: string): Promise<readonly string[]> {
  const { busy, blobs } = await deleteCollections(trx, { userId });
  if (busy.length === 0) return blobs;
  throw new Problem(
    'conflict',
    `Tasks work on these collections of ${userId}: ${busy.join(', ')}. Nothing was removed; wait for their end or cancel them, and call again.`,
  );
}

/** Gives the collections and tasks of one owner to another. Throws `Problem('conflict')` while a task is unfinished. */
export async function giveOwned(db: Kysely<Database>, from: string, to: string, act?: NewAct): Promise<OwnedThings> {
  return db.transaction().execute(async (trx) => {
    const owned = await ownedBy(trx, from);
    await give(trx, from, to);
    if (act !== undefined && owned.collections + owned.tasks > 0) await writeAct(trx, act);
    return owned;
  });
}

async function ownedBy(trx: Transaction<Database>, userId: string): Promise<OwnedThings> {
  const { rows } = await sql<OwnedThings & { readonly unfinished: number }>`
    select (select count(*)::int from collections where user_id = ${userId}) as collections,
      (select count(*)::int from tasks where user_id = ${userId} and parent is null) as tasks,
      (select count(*)::int from tasks where user_id = ${userId} and parent is null
        and status in ('receiving', 'processing')) as unfinished`.execute(trx);
  const { collections, tasks, unfinished } = rows[0]!;
  if (unfinished > 0)
    throw new Problem(
      'conflict',
      `${counted(unfinished, 'task')} of ${userId} ${unfinished === 1 ? 'is' : 'are'} unfinished. Nothing was changed; wait for the end or cancel, and call again.`,
    );
  return { collections, tasks };
}

/**
 * Idempotency keys are the old owner's and could clash with those of the new one. The address that a watch reports to is the old
 * owner's too: what is found from now on is none of their business, and goes to the address of the new one.
 */
async function give(trx: Transaction<Database>, from: string, to: string): Promise<void> {
  await sql`update collection_watches w set email = null from collections c
    where c.id = w.collection_id and c.user_id = ${from}`.execute(trx);
  await sql`update collections set user_id = ${to}, idempotency_key = null, fingerprint = null
    where user_id = ${from}`.execute(trx);
  await sql`update traces_submissions set user_id = ${to}, idempotency_key = null, fingerprint = null
    where user_id = ${from}`.execute(trx);
  await sql`update tasks set user_id = ${to}, idempotency_key = null, fingerprint = null
    where user_id = ${from}`.execute(trx);
}
