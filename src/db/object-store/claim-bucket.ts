import type { Kysely } from 'kysely';
import { Problem } from '../../errors.ts';
import type { Database } from '../database.ts';
import { putText, readText, type ObjectStore } from './object-store.ts';

/** Names the database whose files a bucket holds. */
export const BUCKET_MARKER = 'installation.json';

/**
 * Makes sure that the database and the bucket belong together, and that no process of an installation goes without the bucket
 * that others use. Throws a sentence for the operator.
 */
export async function claimBucket(db: Kysely<Database>, objects: ObjectStore | null): Promise<void> {
  const { id, files_at: filesAt } = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  if (objects === null) {
    if (filesAt === null) return;
    throw new Error(
      `the files of this database lie in the bucket ${filesAt}: set OBJECT_STORE_URL and the keys of AWS_ACCESS_KEY_ID to it, as for its other processes`,
    );
  }
  const owner = await markerOf(objects, filesAt === null ? id : null).catch((error: unknown) => {
    throw error instanceof Problem && error.cause instanceof Error ? error.cause : error;
  });
  if (owner === null)
    throw new Error(
      `OBJECT_STORE_URL: the files of this database lie in the bucket ${filesAt}, and ${objects.place} has none of them`,
    );
  if (owner !== id)
    throw new Error(
      `OBJECT_STORE_URL: ${objects.place} holds the files of another database; wanted a bucket, or a prefix in it, of its own`,
    );
  if (filesAt !== objects.place)
    await db.updateTable('installation').set({ files_at: objects.place }).where('id', '=', id).execute();
}

/** Makes a bucket that nobody has the one of a database whose files were put into it. */
export async function giveBucket(db: Kysely<Database>, objects: ObjectStore): Promise<void> {
  const { id } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow();
  await db.updateTable('installation').set({ files_at: objects.place }).execute();
  await putText(objects, BUCKET_MARKER, JSON.stringify({ installation: id }));
}

/** Whose the bucket is; one that is nobody's becomes `claimant`'s, if there is one. The first of several that start together has it. */
async function markerOf(objects: ObjectStore, claimant: string | null): Promise<string | null> {
  const text = await readText(objects, BUCKET_MARKER);
  if (text === null && claimant !== null) {
    await putText(objects, BUCKET_MARKER, JSON.stringify({ installation: claimant }), { ifAbsent: true });
    return markerOf(objects, null);
  }
  return text === null ? null : (JSON.parse(text) as { readonly installation: string }).installation;
}
