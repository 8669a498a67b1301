import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { inChunks } from './in-chunks.ts';
import { isUuid } from './sql-values.ts';

/** Bytes of any length kept in the database, in chunks, so that every process that shares it can read them. */
export interface BlobStore {
  /** Stores the bytes as they come; a source that fails leaves nothing. */
  put(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly id: string; readonly size: number }>;
  /** The same, but nobody sees the blob before `sealBlob`, and one that is never sealed is deleted after a day. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly id: string; readonly size: number }>;
  /** The bytes chunk by chunk, or null when there is no such blob. Reading one that is deleted meanwhile throws. */
  get(id: string): Promise<{ readonly size: number; readonly bytes: AsyncIterable<Uint8Array> } | null>;
  /** False when there is no such blob. */
  delete(id: string): Promise<boolean>;
}

export function createBlobStore(db: Kysely<Database>): BlobStore {
  return {
    async put(bytes) {
      const blob = await receive(db, bytes);
      await sealBlob(db, blob);
      return blob;
    },
    receive: (bytes) => receive(db, bytes),
    async get(id) {
      if (!isUuid(id)) return null;
      const row = await db
        .selectFrom('blobs')
        .select('size')
        .where('id', '=', id)
        .where('size', 'is not', null)
        .executeTakeFirst();
      return row?.size == null ? null : { size: row.size, bytes: read(db, id, row.size) };
    },
    async delete(id) {
      if (!isUuid(id)) return false;
      const rows = await db.deleteFrom('blobs').where('id', '=', id).returning('id').execute();
      return rows.length > 0;
    },
  };
}

/** Makes a received blob readable: in the transaction that writes who owns it. */
export async function sealBlob(
  db: Kysely<Database>,
  { id, size }: { readonly id: string; readonly size: number },
): Promise<void> {
  await db.updateTable('blobs').set({ size }).where('id', '=', id).execute();
}

async function receive(db: Kysely<Database>, bytes: AsyncIterable<Uint8Array>): Promise<{ id: string; size: number }> {
  // No transaction around it: the source may be a client's upload, and the embedded database has a single session.
  const { id } = await db.insertInto('blobs').values({ size: null }).returning('id').executeTakeFirstOrThrow();
  let size = 0;
  let seq = 0;
  try {
    for await (const chunk of inChunks(bytes)) {
      await db.insertInto('blob_chunks').values({ blob_id: id, seq: seq++, bytes: chunk }).execute();
      size += chunk.length;
    }
  } catch (error) {
    await db.deleteFrom('blobs').where('id', '=', id).execute();
    throw error;
  }
  await deleteAbandoned(db);
  return { id, size };
}

async function* read(db: Kysely<Database>, id: string, size: number): AsyncIterable<Uint8Array> {
  let sent = 0;
  for (let seq = 0; sent < size; seq++) {
    const row = await db
      .selectFrom('blob_chunks')
      .select('bytes')
      .where('blob_id', '=', id)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (row === undefined) throw new Error(`the blob ${id} was deleted while it was read`);
    sent += row.bytes.length;
    yield row.bytes;
  }
}

/** Hides blobs from readers in the caller's transaction; `dropBlob` deletes them afterwards, at the latest after a day. */
export async function hideBlobs(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await db.updateTable('blobs').set({ size: null }).where('id', 'in', ids).execute();
}

/** Chunks one statement deletes: the embedded database does nothing else meanwhile. */
const DROP_CHUNKS = 32;

/** Deletes a blob step by step, so that a large one holds up nobody. */
export async function dropBlob(db: Kysely<Database>, id: string): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      delete from blob_chunks where blob_id = ${id} and seq in (
        select seq from blob_chunks where blob_id = ${id} limit ${sql.lit(DROP_CHUNKS)})
      returning seq`.execute(db);
    if (rows.length < DROP_CHUNKS) break;
  }
  await db.deleteFrom('blobs').where('id', '=', id).execute();
}

/** What a process that died left half stored or half deleted. */
async function deleteAbandoned(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from blobs where size is null and created_at < now() - interval '1 day' limit 10`.execute(db);
  for (const { id } of rows) await dropBlob(db, id);
}
