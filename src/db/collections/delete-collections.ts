import { sql, type Transaction } from 'kysely';
import { hideBlobs } from '../blobs.ts';
import type { Database } from '../database.ts';

interface DeletedCollections {
  readonly deleted: number;
  /** Ids of those that tasks work on. If there are any, nothing was deleted. */
  readonly busy: readonly string[];
  /** Hidden already; for `dropBlob` once the transaction is committed. */
  readonly blobs: readonly string[];
}

/** Deletes one collection of a user, or all, with everything of them, in the caller's transaction. */
export async function deleteCollections(
  trx: Transaction<Database>,
  { userId, id }: { readonly userId: string; readonly id?: string },
): Promise<DeletedCollections> {
  const rows = await trx
    .selectFrom('collections')
    .select(['id', 'status', 'file_blob', 'report_blob'])
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .orderBy('id')
    .forUpdate()
    .execute();
  const busy = rows.filter(({ status }) => status === 'processing').map((row) => row.id);
  if (busy.length > 0 || rows.length === 0) return { deleted: 0, busy, blobs: [] };
  const ids = rows.map((row) => row.id);
  const blobs = rows.flatMap((row) => [row.file_blob, ...(row.report_blob === null ? [] : [row.report_blob])]);
  await sql`delete from collections where id = any(${ids}::uuid[])`.execute(trx);
  await hideBlobs(trx, blobs);
  // The results of their tasks describe their plots, exports of several collections included.
  await sql`delete from tasks where user_id = ${userId} and (params ->> 'collectionId' = any(${ids}::text[])
    or case when json_typeof(params -> 'collections') = 'array' then exists (
      select from json_array_elements(params -> 'collections') c where c ->> 'id' = any(${ids}::text[])) else false end)`.execute(
    trx,
  );
  return { deleted: rows.length, busy, blobs };
}
