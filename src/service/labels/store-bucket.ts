import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openS3 } from '../../db/object-store/open-s3.ts';
import type { PlannedTile } from './plan.ts';
import { STORE_DOCUMENT } from './store-task.ts';

/**
 * A label store whose files are objects of a bucket, built in a folder of this process alone. An object is there as a whole or not
 * at all. The record of a tile is stored after its shards, and the document of the store after the arrays that it names: what is
 * said to be there is there, whenever a process is killed.
 */
export interface StoreBucket extends AsyncDisposable {
  /** Where it is, for people. */
  readonly place: string;
  /** Brings the folder to what the bucket says: the documents and the records of tiles, without labels. */
  pull(): Promise<void>;
  /** Brings the shards of tiles that were built in part into the folder: what else they hold is kept. */
  pullShards(tiles: readonly PlannedTile[]): Promise<void>;
  /** Stores the documents of arrays that the bucket lacks. */
  pushArrays(): Promise<void>;
  /** Stores the shards of a tile, then its record, and removes the shards from the folder. */
  pushTile(tile: PlannedTile): Promise<void>;
  /**
   * Brings the document of the store up to `write`, which writes it into the folder by what was pulled. Looks again after it was
   * stored, until both agree: of several processes that end at the same time the last has seen all.
   */
  pushDocument(write: () => Promise<void>): Promise<void>;
}

/** Objects that are fetched at the same time. */
const AT_ONCE = 16;
const ARRAYS = ['labels', 'status'] as const;
const RECORD = /\/built\/\d+\.\d+\.json$/;
/** Keys of a store; others below the same prefix are no files of it, and may be none that a folder can have. */
const PLAIN = /^\w[\w.-]*(\/\w[\w.-]*)*$/;
const SHARD = /\/(labels|status)\/c\//;

/** `place` begins at the store: its document has the key `zarr.json`. The folder is removed at the end. */
export function openStoreBucket(place: Parameters<typeof openS3>[0], folder: string, signal: AbortSignal): StoreBucket {
  const objects = openS3(place);
  /** What of the bucket lies in the folder, by its key. */
  const pulled = new Map<string, string>();
  const placeOf = (key: string): string => join(folder, ...key.split('/'));

  /** False when there is no such object. */
  async function fetchInto(key: string): Promise<boolean> {
    const found = await objects.get(key, undefined, signal);
    if (found === null) return false;
    await mkdir(dirname(placeOf(key)), { recursive: true });
    await pipeline(Readable.from(found.bytes, { objectMode: false }), createWriteStream(placeOf(key)));
    return true;
  }

  async function pull(): Promise<void> {
    // First: the arrays that it names are there by then.
    if (!(await fetchInto(STORE_DOCUMENT))) await rm(placeOf(STORE_DOCUMENT), { force: true });
    const wanted: { readonly key: string; readonly etag: string }[] = [];
    for await (const { key, etag } of objects.list('', signal)) {
      const isDocument = PLAIN.test(key) && (key.endsWith('/zarr.json') || RECORD.test(key));
      if (isDocument && pulled.get(key) !== etag) wanted.push({ key, etag });
    }
    const rest = wanted.values();
    const fetchAll = async (): Promise<void> => {
      for (const { key, etag } of rest) if (await fetchInto(key)) pulled.set(key, etag);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, fetchAll));
  }

  async function push(key: string, ifAbsent = false): Promise<void> {
    await objects.put(key, createReadStream(placeOf(key)), { ifAbsent, signal });
  }

  return {
    place: objects.place,
    pull,
    async pullShards(tiles) {
      for (const tile of tiles)
        if (pulled.has(recordKey(tile))) for (const key of shardKeys(tile)) await fetchInto(key);
    },
    async pushArrays() {
      const keys = (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) =>
          join(parentPath, name)
            .slice(folder.length + 1)
            .replaceAll('\\', '/'),
        );
      const isOfArrays = (key: string): boolean =>
        key !== STORE_DOCUMENT && !key.endsWith('.tmp') && !RECORD.test(key) && !SHARD.test(key) && !pulled.has(key);
      for (const key of keys.filter(isOfArrays)) await push(key, true);
    },
    async pushTile(tile) {
      for (const key of shardKeys(tile)) {
        // A shard that holds nothing has no file.
        await (existsSync(placeOf(key)) ? push(key) : objects.delete(key));
      }
      await push(recordKey(tile));
      for (const key of shardKeys(tile)) await rm(placeOf(key), { force: true });
    },
    async pushDocument(write) {
      for (;;) {
        await pull();
        const there = await readFile(placeOf(STORE_DOCUMENT)).catch(() => null);
        await write();
        const now = await readFile(placeOf(STORE_DOCUMENT));
        if (there !== null && now.equals(there)) return;
        await push(STORE_DOCUMENT);
      }
    },
    async [Symbol.asyncDispose]() {
      await objects.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function shardKeys({ entry, tile }: PlannedTile): readonly string[] {
  return ARRAYS.map((name) => `${entry.path}/${name}/c/${tile.row}/${tile.column}`);
}

function recordKey({ entry, tile }: PlannedTile): string {
  return `${entry.path}/built/${tile.row}.${tile.column}.json`;
}
