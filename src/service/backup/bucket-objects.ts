import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { NamedObject } from '../../db/backup/backup-tables.ts';
import type { Database } from '../../db/database.ts';
import { BUCKET_MARKER } from '../../db/object-store/claim-bucket.ts';
import { putBackObject } from '../../db/object-store/keep-objects.ts';
import type { ObjectStore } from '../../db/object-store/object-store.ts';
import type { OpenedArchive, Part } from './archive.ts';

const PREFIX = 'objects/';
const KEY = /^(blobs|results)\/[\w-]+$/;

/**
 * The objects that rows name as parts of a backup, in order of their keys. Those that the bucket does not have, or has with another
 * length, are no parts: their keys are in `missing`, to which one that is damaged is added when it is read.
 */
export async function objectParts(
  objects: ObjectStore,
  named: readonly NamedObject[],
): Promise<{ readonly parts: readonly Part[]; readonly missing: string[] }> {
  const sizes = new Map<string, number>();
  for (const prefix of ['blobs/', 'results/'])
    for await (const { key, size } of objects.list(prefix)) sizes.set(key, size);
  const ordered = named.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const isThere = ({ key, size }: NamedObject): boolean => sizes.get(key) === size;
  const missing = ordered.filter((one) => !isThere(one)).map(({ key }) => key);
  const parts = ordered.filter(isThere).map(({ key, sha256 }) => ({
    name: `${PREFIX}${key}`,
    async *read() {
      const found = await objects.get(key);
      if (found === null) throw new Error(`${key} was removed from ${objects.place} while the backup was made`);
      const hash = createHash('sha256');
      for await (const piece of found.bytes) {
        hash.update(piece);
        yield piece;
      }
      if (sha256 !== null && hash.digest('hex') !== sha256) missing.push(key);
    },
  }));
  return { parts, missing };
}

/** The key of an object that is a part of a backup; null for another part, and for a key that no row has. */
export function keyOfPart(name: string): string | null {
  const key = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
  return KEY.test(key) ? key : null;
}

/**
 * Puts the objects of a backup into a bucket that belongs to nobody; returns how many.
 * @throws Error where the bucket has other files.
 */
export async function restoreObjects({ manifest, read }: OpenedArchive, objects: ObjectStore): Promise<number> {
  await wantFree(
    objects,
    manifest.parts.map(({ name }) => keyOfPart(name)).filter((key) => key !== null),
  );
  let count = 0;
  for (const { name } of manifest.parts) {
    const key = keyOfPart(name);
    if (key === null) continue;
    await objects.put(key, read(name));
    count++;
  }
  return count;
}

/** What is left of an earlier restore of the same backup, which was broken off, is in nobody's way. */
async function wantFree(objects: ObjectStore, restored: readonly string[]): Promise<void> {
  const own = new Set(restored);
  for await (const { key } of objects.list(''))
    if (!own.has(key))
      throw new Error(
        `the bucket ${objects.place} is in use: it has ${key === BUCKET_MARKER ? 'the files of an installation' : key}; wanted an empty bucket, or an empty prefix in one. ` +
          'Where the database alone was lost and its bucket is whole, restore with --without-objects',
      );
}

/**
 * Puts the objects of a backup into the database that its rows were restored into, where there is no bucket; returns how many.
 * Inside a transaction.
 */
export async function restoreIntoRows({ manifest, read }: OpenedArchive, trx: Transaction<Database>): Promise<number> {
  let count = 0;
  for (const { name } of manifest.parts) {
    const key = keyOfPart(name);
    if (key === null) continue;
    await putBackObject(trx, key, read(name));
    count++;
  }
  await trx.updateTable('installation').set({ files_at: null }).execute();
  return count;
}
