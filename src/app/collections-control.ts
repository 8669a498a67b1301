import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { BatchOptions, Collection } from '../collections/collection.ts';
import type { Config } from '../config/settings.ts';
import { Problem } from '../errors.ts';
import type { CollectionReading } from '../service/collections/collection-task.ts';
import type { CollectionService, CollectionWork } from '../service/collections/collections.ts';

/** A file of this machine to process as a new collection. */
interface FileBatch {
  readonly userId: string;
  /** Absolute. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly reading: CollectionReading;
  readonly options: BatchOptions;
}

/** What the command line does with collections. Methods throw `Problem('collection_not_found')`. */
export interface CollectionAdmin {
  listCollections(request: { readonly userId: string; readonly limit: number }): Promise<readonly Collection[]>;
  showCollection(request: { readonly userId: string; readonly id: string }): Promise<CollectionWork>;
  deleteCollection(request: { readonly userId: string; readonly id: string }): Promise<boolean>;
  /** Keeps the file and queues its batch, which the task runner of a service or worker works on. */
  processFile(batch: FileBatch): Promise<CollectionWork>;
}

export function createCollectionAdmin(
  collections: CollectionService,
  { maxCollectionMb }: Pick<Config, 'maxCollectionMb'>,
): CollectionAdmin {
  return {
    listCollections: ({ userId, limit }) => collections.list(userId, { limit }),
    async showCollection({ userId, id }) {
      const collection = await collections.find(userId, id);
      return { collection, task: await collections.lastTask(collection) };
    },
    async deleteCollection({ userId, id }) {
      await collections.delete(userId, id);
      return true;
    },
    async processFile({ userId, path, name, description, reading, options }) {
      const { size } = await stat(path);
      if (size > maxCollectionMb * 1e6)
        throw new Problem(
          'too_large',
          `The file is too large; wanted at most ${maxCollectionMb} MB, got ${size} bytes.`,
        );
      const file = { path, size, name: basename(path) };
      const request = { userId, name, description, file, reading, validate: false, repeat: null };
      const { collection } = await collections.stage(request);
      return collections.process(userId, collection.id, { options, reading: null, email: null, repeat: null });
    },
  };
}
