import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import type { FeatureRows } from '../../gis/feature-rows.ts';
import type { FileWork } from '../files/file-work.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { openRows } from './row-file.ts';
import { framed, LOCATION_SETS, type LocationSet, rowsPath } from './write-collection-rows.ts';

/** The locations of collections as rows, written once for each state of a collection and kept a while in a temporary folder. */
export interface CollectionRows {
  open(collection: Collection, set: LocationSet): Promise<FeatureRows>;
  /** Removes what is kept of a collection that was deleted. */
  forget(id: string): Promise<void>;
  close(): Promise<void>;
}

interface CollectionRowsDeps {
  readonly collections: Pick<CollectionReader, 'parts'>;
  readonly files: Pick<FileWork, 'run'>;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
}

/** Collections that are kept as rows, and how long after they were last looked at. */
const KEPT_ROWS = { collections: 32, minutes: 60 } as const;

interface Kept {
  readonly id: string;
  readonly folder: Promise<string>;
  readonly rows: Promise<Readonly<Record<LocationSet, FeatureRows>>>;
  usedAt: number;
}

/** Changes whenever the locations that are shown of a collection do. */
export function collectionVersion({ id, status, taskId, completedAt }: Collection): string {
  const state = completedAt === null ? `${status} ${taskId}` : completedAt.toISOString();
  return createHash('sha256').update(`${id} ${state}`).digest('base64url').slice(0, 16);
}

export function keepCollectionRows({ collections, files, clock = Date.now }: CollectionRowsDeps): CollectionRows {
  const kept = new Map<string, Kept>();

  async function drop(version: string): Promise<void> {
    const gone = kept.get(version);
    kept.delete(version);
    const folder = await gone?.folder.catch(() => undefined);
    // Whoever writes into it now is about to find out that nobody wants it.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async function sweep(now: number): Promise<void> {
    const oldest = [...kept].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    const surplus = kept.size - KEPT_ROWS.collections;
    await Promise.all(
      oldest
        .filter(([, { usedAt }], i) => i < surplus || now - usedAt > KEPT_ROWS.minutes * 60_000)
        .map(([version]) => drop(version)),
    );
  }

  /** Nobody's leaving stops it: the next request wants it too. */
  async function write(collection: Collection, folder: string): Promise<Readonly<Record<LocationSet, FeatureRows>>> {
    const path = join(folder, 'parts');
    const { signal } = new AbortController();
    await pipeline(frames(collections.parts(collection)), createWriteStream(path));
    const { completedAt: _, ...mapping } = collection;
    const params = { path, folder, mapping: { ...mapping, createdAt: collection.createdAt.toISOString() } };
    const { size } = await stat(path);
    await files.run({ kind: 'map_collection', params }, { userId: collection.userId, size, signal });
    await rm(path);
    const opened = await Promise.all(LOCATION_SETS.map((set) => openRows(rowsPath(folder, set))));
    return { plots: opened[0], facilities: opened[1] };
  }

  return {
    async open(collection, set) {
      const now = clock();
      const version = collectionVersion(collection);
      let entry = kept.get(version);
      if (entry === undefined) {
        const folder = temporaryFolder('map');
        entry = { id: collection.id, folder, rows: folder.then((path) => write(collection, path)), usedAt: now };
        kept.set(version, entry);
        entry.rows.catch(() => drop(version));
        // What was kept of the collection before it changed is of no more use.
        for (const [other, { id }] of kept) if (id === collection.id && other !== version) void drop(other);
      }
      entry.usedAt = now;
      await sweep(now);
      return (await entry.rows)[set];
    },
    async forget(id) {
      await Promise.all([...kept].filter(([, entry]) => entry.id === id).map(([version]) => drop(version)));
    },
    async close() {
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}

async function* frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const part of parts) yield framed(part);
}
