import { createHash, randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Database } from './database.ts';
import { inChunks } from './in-chunks.ts';
import { objectStoreProblem, wantObjects, type ObjectStore } from './object-store/object-store.ts';
import { isUuid } from './sql-values.ts';

/** Bytes of any length that every process on the database can read: in its bucket, or else in chunks in the database itself. */
export interface BlobStore {
  /** Stores the bytes as they come; a source that fails leaves nothing. */
  put(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly id: string; readonly size: number }>;
  /** The same, but nobody sees the blob before `sealBlob`, and one that is never sealed is deleted after a day: `deleteAbandonedBlobs`. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<{ readonly id: string; readonly size: number }>;
  /** The bytes chunk by chunk, or null when there is no such blob. Reading one that is deleted meanwhile throws. */
  get(id: string): Promise<{ readonly size: number; readonly bytes: AsyncIterable<Uint8Array> } | null>;
  /** False when there is no such blob. */
  delete(id: string): Promise<boolean>;
}

export function createBlobStore(db: Kysely<Database>, objects: ObjectStore | null = null): BlobStore {
  const receive = (bytes: AsyncIterable<Uint8Array>): Promise<{ id: string; size: number }> =>
    objects === null ? receiveChunks(db, bytes) : receiveObject(db, objects, bytes);
  return {
    async put(bytes) {
      const blob = await receive(bytes);
      await sealBlob(db, blob);
      return blob;
    },
    receive,
    async get(id) {
      if (!isUuid(id)) return null;
      const row = await blobRow(db, id);
      if (row?.size == null) return null;
      return { size: row.size, bytes: row.object_key === null ? readChunks() : readObject(objects, row, 0) };

      async function* readChunks(): AsyncGenerator<Uint8Array, void> {
        let sent = 0;
        for (let seq = 0; sent < row!.size!; seq++) {
          const chunk = await chunkOf(db, id, seq);
          if (chunk === null) {
            // It may have been moved into the bucket meanwhile.
            const moved = await blobRow(db, id);
            if (moved?.object_key == null) throw new Error(`the blob ${id} was deleted while it was read`);
            yield* readObject(objects, moved, sent);
            return;
          }
          sent += chunk.length;
          yield chunk;
        }
      }
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

/** The row goes first: should the process end before the object is owned, it is swept with the row. */
async function receiveObject(
  db: Kysely<Database>,
  objects: ObjectStore,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ id: string; size: number }> {
  const id = randomUUID();
  const key = `blobs/${id}`;
  await db.insertInto('blobs').values({ id, size: null, object_key: key }).execute();
  try {
    const { size, sha256 } = (await objects.put(key, bytes))!;
    await db.updateTable('blobs').set({ sha256 }).where('id', '=', id).execute();
    return { id, size };
  } catch (error) {
    await db.deleteFrom('blobs').where('id', '=', id).execute();
    throw error;
  }
}

async function receiveChunks(
  db: Kysely<Database>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ id: string; size: number }> {
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
  return { id, size };
}

async function chunkOf(db: Kysely<Database>, id: string, seq: number): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom('blob_chunks')
    .select('bytes')
    .where('blob_id', '=', id)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

function blobRow(db: Kysely<Database>, id: string) {
  return db
    .selectFrom('blobs')
    .select(['size', 'object_key', 'sha256'])
    .where('id', '=', id)
    .where('size', 'is not', null)
    .executeTakeFirst();
}

interface ObjectOfRow {
  readonly object_key: string | null;
  readonly size: number | null;
  readonly sha256: string | null;
}

/** The bytes of a row in the bucket from `offset` on; a whole object is compared with its checksum, where one is known. */
export async function* readObject(
  objects: ObjectStore | null,
  { object_key: key, size, sha256 }: ObjectOfRow,
  offset: number,
): AsyncGenerator<Uint8Array, void> {
  const store = wantObjects(objects);
  const found = await store.get(key!, offset === 0 ? undefined : { offset });
  if (found === null || found.size !== size)
    throw objectStoreProblem(`${key} in ${store.place} has ${found?.size ?? 'no'} bytes; wanted ${size}.`);
  const hash = createHash('sha256');
  for await (const piece of found.bytes) {
    if (offset === 0) hash.update(piece);
    yield piece;
  }
  if (offset === 0 && sha256 !== null && hash.digest('hex') !== sha256)
    throw objectStoreProblem(`${key} in ${store.place} is damaged: its SHA-256 is not the one it was stored with.`);
}

/** Hides blobs from readers in the caller's transaction; `dropBlob` deletes them afterwards, at the latest after a day. */
export async function hideBlobs(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await sql`update blobs set size = null where id = any(${ids}::uuid[])`.execute(db);
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

/** Deletes what a process that died left half stored or half deleted, a day after it was begun; returns how many. */
export async function deleteAbandonedBlobs(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from blobs where size is null and created_at < now() - interval '1 day'`.execute(db);
  for (const { id } of rows) await dropBlob(db, id);
  return rows.length;
}
