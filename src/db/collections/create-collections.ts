import { timingSafeEqual } from 'node:crypto';
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import type { PlotRecord } from '../../collections/plot-record.ts';
import type { TableMapping } from '../../collections/table-mapping.ts';
import type { ReportEmail } from '../../collections/report-email.ts';
import { Problem } from '../../errors.ts';
import { dropBlob, sealBlob } from '../blobs.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';
import { isUniqueViolation, isUuid } from '../sql-values.ts';
import { roomFor } from '../stored-bytes.ts';
import { deleteCollections } from './delete-collections.ts';
import { collectionFromRow, createCollectionReader, recordsOfRun } from './read-collections.ts';
import type { EmailState } from '../../email/email.ts';

const STATES = {
  pending: 'queued',
  sending: 'queued',
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
} as const satisfies Record<EmailState, ReportEmail['state']>;

interface NewCollection {
  readonly id: string;
  readonly userId: string;
  /** Its user proved to be a local one when the request began, and may have been removed while the file arrived. Default no. */
  readonly isLocalUser?: boolean;
  readonly name: string;
  readonly description: string;
  readonly file: Collection['file'];
  /** How the file is read; given back as it is. */
  readonly reading: unknown;
  readonly mapping: readonly TableMapping[];
  /** The client's `Idempotency-Key` and a SHA-256 fingerprint of everything that makes the request what it is. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Uint8Array } | null;
}

/** The collections of users. Methods given a `userId` treat another user's collection as unknown. */
export interface CollectionStore extends CollectionReader {
  /**
   * Keeps the file and the collection. The same idempotency key with the same fingerprint returns the first collection;
   * with another fingerprint throws `Problem('idempotency_mismatch')`, without room for the file `Problem('storage_full')`, and
   * for a local user who was removed meanwhile `Problem('invalid_token')`: nobody would ever delete what is kept for them.
   */
  add(collection: NewCollection, bytes: () => AsyncIterable<Uint8Array>): Promise<Collection>;
  /** What `NewCollection.reading` was, and where the file is; null when unknown. */
  source(userId: string, id: string): Promise<{ readonly blobId: string; readonly reading: unknown } | null>;
  /** The bytes of its file; null when the collection is unknown. */
  file(userId: string, id: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** The locations as one of its `runs` found them, in the order of the file. @throws Problem when that run is kept no more. */
  recordsOfRun(collection: Pick<Collection, 'id'>, run: string): AsyncIterable<PlotRecord>;
  /** The collection that a task worked on, if it is still there. */
  byTask(userId: string, taskId: string): Promise<Collection | null>;
  /** The email with its due diligence report; null where none was requested, or the batch is not completed. */
  reportEmail(collection: Pick<Collection, 'id'>): Promise<ReportEmail | null>;
  /** Gives a collection another name or description. */
  describe(userId: string, id: string, texts: { readonly name?: string; readonly description?: string }): Promise<void>;
  /** Deletes the collection with everything of it. `busy` while a task works on it. */
  delete(userId: string, id: string): Promise<'deleted' | 'busy' | 'unknown'>;
  count(): Promise<Readonly<Partial<Record<Collection['status'], number>>>>;
}

export function createCollectionStore(
  { db, blobs }: Pick<Store, 'db' | 'blobs'>,
  { maxStoredBytes = Infinity }: { /** Bytes one user may store. */ readonly maxStoredBytes?: number } = {},
): CollectionStore {
  const reader = createCollectionReader(db);
  return {
    ...reader,

    async add(collection, bytes) {
      const earlier = await findEarlier(db, collection);
      if (earlier !== null) return earlier;
      await roomFor(db, collection.userId, maxStoredBytes, collection.file.size);
      const blob = await blobs.receive(bytes());
      try {
        return await insert(db, collection, blob);
      } catch (error) {
        await blobs.delete(blob.id);
        const first = isUniqueViolation(error) ? await findEarlier(db, collection) : null;
        if (first !== null) return first;
        throw error;
      }
    },

    async source(userId, id) {
      if (!isUuid(id)) return null;
      const row = await db
        .selectFrom('collections')
        .select(['file_blob', 'reading'])
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row === undefined ? null : { blobId: row.file_blob, reading: row.reading };
    },

    async file(userId, id) {
      const source = await this.source(userId, id);
      return source === null ? null : ((await blobs.get(source.blobId))?.bytes ?? null);
    },

    async byTask(userId, taskId) {
      if (!isUuid(taskId)) return null;
      const row = await db
        .selectFrom('tasks')
        .innerJoin('collections', (join) =>
          join.on(sql<boolean>`collections.id::text = tasks.params ->> 'collectionId'`),
        )
        .selectAll('collections')
        .where('tasks.id', '=', taskId)
        .where('collections.user_id', '=', userId)
        .executeTakeFirst();
      return row === undefined ? null : collectionFromRow(row);
    },

    recordsOfRun: (collection, run) => recordsOfRun(db, collection, run),

    reportEmail: ({ id }) => findReportEmail(db, id),

    async describe(userId, id, { name, description }) {
      if (name === undefined && description === undefined) return;
      await db
        .updateTable('collections')
        .set({ ...(name !== undefined && { name }), ...(description !== undefined && { description }) })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .execute();
    },

    delete: (userId, id) => remove(db, userId, id),

    async count() {
      const rows = await db
        .selectFrom('collections')
        .select(['status', sql<number>`count(*)::int`.as('count')])
        .groupBy('status')
        .execute();
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
  };
}

async function findEarlier(db: Kysely<Database>, { userId, idempotency }: NewCollection): Promise<Collection | null> {
  if (idempotency === null) return null;
  const row = await db
    .selectFrom('collections')
    .selectAll()
    .where('user_id', '=', userId)
    .where('idempotency_key', '=', idempotency.key)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { fingerprint } = row;
  if (fingerprint === null || !isSame(fingerprint, idempotency.fingerprint))
    throw new Problem(
      'idempotency_mismatch',
      'This Idempotency-Key was used before with another request; wanted the same request again or a new key.',
    );
  return collectionFromRow(row);
}

function insert(
  db: Kysely<Database>,
  collection: NewCollection,
  blob: { readonly id: string; readonly size: number },
): Promise<Collection> {
  return db.transaction().execute(async (trx) => {
    if (collection.isLocalUser === true) await refuseRemoved(trx, collection.userId);
    await sealBlob(trx, blob);
    const row = await trx
      .insertInto('collections')
      .values({
        id: collection.id,
        user_id: collection.userId,
        name: collection.name,
        description: collection.description,
        status: 'staged',
        file_name: collection.file.name,
        file_size: collection.file.size,
        file_sha256: collection.file.sha256,
        file_blob: blob.id,
        reading: JSON.stringify(collection.reading),
        mapping: JSON.stringify(collection.mapping),
        idempotency_key: collection.idempotency?.key ?? null,
        fingerprint: collection.idempotency?.fingerprint ?? null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return collectionFromRow(row);
  });
}

/** Share-locks the user, so that a removal at the same moment comes before, and is seen here, or after, and sees what is kept. */
async function refuseRemoved(trx: Transaction<Database>, userId: string): Promise<void> {
  const user = await trx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare().executeTakeFirst();
  if (user === undefined) throw new Problem('invalid_token', 'The user was removed while the file arrived.');
}

async function remove(db: Kysely<Database>, userId: string, id: string): Promise<'deleted' | 'busy' | 'unknown'> {
  if (!isUuid(id)) return 'unknown';
  const { deleted, busy, blobs } = await db.transaction().execute((trx) => deleteCollections(trx, { userId, id }));
  for (const blob of blobs) await dropBlob(db, blob);
  return busy.length > 0 ? 'busy' : deleted > 0 ? 'deleted' : 'unknown';
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The email with the report of the batch that a collection shows. Null where no batch was completed yet, or none that was to
 * send a report.
 */
async function findReportEmail(db: Kysely<Database>, collectionId: string): Promise<ReportEmail | null> {
  const collection = await db
    .selectFrom('collections')
    .select(['run', 'user_id', 'options'])
    .where('id', '=', collectionId)
    .executeTakeFirst();
  const run = collection?.run ?? null;
  if (collection === undefined || run === null) return null;
  const email = await db
    .selectFrom('emails')
    .select(['state', 'detail', 'recipient', 'next_attempt_at', 'finished_at'])
    .where('key', '=', `report/${run}`)
    .executeTakeFirst();
  if (email !== undefined)
    return {
      state: STATES[email.state],
      reason: email.detail,
      to: email.recipient,
      nextAttemptAt: email.next_attempt_at,
      finishedAt: email.finished_at,
    };
  if (collection.options?.eudrDds !== true) return null;
  const user = await db
    .selectFrom('users')
    .select('email')
    .where((where) => where(where.cast('id', 'text'), '=', collection.user_id))
    .executeTakeFirst();
  const reason =
    user === undefined
      ? 'No email address of yours was known, or the email is no longer kept; the export has the same content.'
      : 'The email is no longer kept; the export has the same content.';
  return { state: 'none', reason, to: null, nextAttemptAt: null, finishedAt: null };
}
