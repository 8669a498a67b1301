import { sql, type Kysely } from 'kysely';
import { Problem } from '../errors.ts';
import type { Database } from './database.ts';

/** What a user stores, in bytes: files and reports of collections, their parts, inputs and results of tasks. What parts of a task wait with is ours. */
async function storedBytes(db: Kysely<Database>, userId: string): Promise<number> {
  // The length of a value is known without reading it.
  const { rows } = await sql<{ bytes: number }>`
    select (
      coalesce((select sum(file_size) from collections where user_id = ${userId}), 0) +
      coalesce((select sum(size) from blobs join collections on report_blob = blobs.id where user_id = ${userId}), 0) +
      coalesce((select sum(octet_length(bytes)) from collection_parts
        join collections on collections.id = collection_id where user_id = ${userId}), 0) +
      coalesce((select sum(octet_length(bytes)) from task_chunks
        join tasks on tasks.id = task_id where user_id = ${userId} and parent is null), 0) +
      coalesce((select sum(result_size) from tasks where user_id = ${userId}), 0)
    )::double precision as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** How many bytes more a user may store. Throws `Problem('storage_full')` when there is no room for `wanted` of them. */
export async function roomFor(
  db: Kysely<Database>,
  userId: string,
  maxStoredBytes: number,
  wanted = 1,
): Promise<number> {
  if (maxStoredBytes === Infinity) return Infinity;
  const room = maxStoredBytes - (await storedBytes(db, userId));
  if (room < wanted) throw full(maxStoredBytes);
  return room;
}

/** The same bytes; throws `Problem('storage_full')` where they are more than `room`. */
export async function* bounded(
  source: AsyncIterable<Uint8Array>,
  room: number,
  maxStoredBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (size > room) throw full(maxStoredBytes);
    yield bytes;
  }
}

function full(maxStoredBytes: number): Problem {
  return new Problem(
    'storage_full',
    `With this file you would store more than ${Math.round(maxStoredBytes / 1e6)} MB, which is what one user may (stored_mb_per_user in /limits). Delete collections, or wait until tasks expire.`,
  );
}
