import { rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BatchOptions, Collection } from '../collections/collection.ts';
import type { Config } from '../config/settings.ts';
import { Problem } from '../errors.ts';
import type { CollectionReading } from '../service/collections/collection-task.ts';
import type { CollectionService, CollectionWork } from '../service/collections/collections.ts';
import { type ExportDeps, writeCollections } from '../service/collections/export-collections.ts';
import { type FilingWords, readFiling } from '../service/collections/read-filing.ts';
import { findCompleted } from '../service/collections/fetch-collections.ts';
import { CUT_OFF } from '../monitoring-days.ts';

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

interface ExportRequest {
  readonly userId: string;
  /** Ids of completed collections. */
  readonly ids: readonly string[];
  /** `YYYY-MM-DD`; null: the cut-off of the regulation, and the latest end of the batches. */
  readonly monitoringStart: string | null;
  readonly monitoringEnd: string | null;
  /** Words of `EXCLUDABLE`. */
  readonly exclude: readonly string[];
  /** What is said of the filing, as it was written. */
  readonly filing: FilingWords;
  /** Absolute; a file that is there is replaced when the export is complete. */
  readonly path: string;
}

/** What the command line does with exports. */
export interface ExportAdmin {
  /** Writes the due diligence export to a file of this machine. Throws `Problem` as `GET /export_eudr_dds` does. */
  exportEudrDds(request: ExportRequest): Promise<{ readonly bytes: number; readonly sha256: string }>;
}

export function createExportAdmin(deps: ExportDeps): ExportAdmin {
  return {
    async exportEudrDds({ userId, ids, monitoringStart, monitoringEnd, exclude, filing: words, path }) {
      const filing = readFiling(words, new Date().toISOString().slice(0, 10));
      const collections = await findCompleted(deps, userId, ids, false);
      const ends = collections.map(({ options }) => options!.monitoringEnd).toSorted();
      const period = { start: monitoringStart ?? CUT_OFF, end: monitoringEnd ?? ends.at(-1)!, exclude, filing };
      const archive = await writeCollections(deps, collections, period, new AbortController().signal);
      const hash = createHash('sha256');
      let bytes = 0;
      async function* counted(): AsyncGenerator<Uint8Array, void> {
        for await (const chunk of archive) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      }
      const unfinished = `${path}.part`;
      try {
        await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(unfinished));
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      return { bytes, sha256: hash.digest('hex') };
    },
  };
}
