import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Collection, CollectionReader } from '../../collections/collection.ts';
import type { FeatureRows } from '../../gis/feature-rows.ts';
import type { FileWork } from '../files/file-work.ts';
import { keepRows } from './kept-rows.ts';
import { openRows } from './row-file.ts';
import { framed, LOCATION_SETS, type LocationSet, rowsPath } from './write-collection-rows.ts';

/** The locations of collections as rows, written once for each state of a collection. */
export interface CollectionRows {
  open(collection: Collection, set: LocationSet): Promise<FeatureRows>;
  /** Removes what is kept of a collection that was deleted, at once. */
  forget(id: string): Promise<void>;
  close(): Promise<void>;
}

interface CollectionRowsDeps {
  readonly collections: Pick<CollectionReader, 'get' | 'parts'>;
  readonly files: Pick<FileWork, 'run'>;
}

/** Changes whenever the locations that are shown of a collection do. */
export function collectionVersion({ id, status, taskId, completedAt }: Collection): string {
  const state = completedAt === null ? `${status} ${taskId}` : completedAt.toISOString();
  return createHash('sha256').update(`${id} ${state}`).digest('base64url').slice(0, 16);
}

export function keepCollectionRows({ collections, files }: CollectionRowsDeps): CollectionRows {
  const kept = keepRows<Readonly<Record<LocationSet, FeatureRows>>>();

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
      const { id, userId } = collection;
      const isThere = async (): Promise<boolean> => (await collections.get(userId, id)) !== null;
      const state = { owner: id, version: collectionVersion(collection), isThere };
      return (await kept.open(state, (folder) => write(collection, folder)))[set];
    },
    forget: (id) => kept.forget(id),
    close: () => kept.close(),
  };
}

async function* frames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const part of parts) yield framed(part);
}
