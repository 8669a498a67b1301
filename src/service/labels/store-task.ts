import { readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../errors.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { readStoreDocument } from '../../readers/label-store/write-label-store.ts';
import type { TaskHandler } from '../../jobs/task.ts';
import { buildTile } from './tile.ts';
import type { PlannedTile } from './plan.ts';

/** The kind of task that labels one tile of a store. */
export const LABEL_TASK = 'label_tile';

export interface LabelTaskParams {
  /** Folder of the store, as every worker finds it. */
  readonly folder: string;
  /** Name of a file in it that proves the folder to be the one meant. */
  readonly token: string;
  /** The dataset of embeddings by its id in the catalogue, and its version. */
  readonly dataset: string;
  readonly version: string;
  /** Path of the arrays in the store. */
  readonly path: string;
  /** Column and row of the shard. */
  readonly column: number;
  readonly row: number;
  /** A digit for each chunk of the shard: 1 where it is to be labelled. */
  readonly chunks: string;
  readonly force: boolean;
}

export function labelTaskParams(
  { entry, tile }: PlannedTile,
  build: Pick<LabelTaskParams, 'folder' | 'token' | 'dataset' | 'version' | 'force'>,
): LabelTaskParams {
  const { folder, token, dataset, version, force } = build;
  const { column, row, chunks } = tile;
  return { folder, token, dataset, version, force, path: entry.path, column, row, chunks: chunks.join('') };
}

/** A file that every store has: enough of a proof where the folder is not shared with other machines. */
export const STORE_DOCUMENT = 'zarr.json';

/** Marks a folder for the time of a build; returns the name of the mark. */
export async function markFolder(folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), 'A build of this store is under way; the file goes when it ends.\n');
  return name;
}

export async function unmarkFolder(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true });
}

/** Labels a tile. Its result is the record of the tile as JSON, or `null` when there was nothing to do. */
export function labelTask(open: (dataset: string) => Promise<EmbeddingSource>): TaskHandler {
  return async ({ params, signal, write, progress }) => {
    const order = params as LabelTaskParams;
    try {
      const built = await label(order, await open(order.dataset), signal, progress);
      await write(Buffer.from(JSON.stringify(built && { ...built, chunks: built.chunks.join('') })));
    } catch (error) {
      if (signal.aborted || error instanceof Problem) throw error;
      // What went wrong with a dataset or a disk is what whoever started the build has to know.
      throw new Problem('task_failed', (error as Error).message, { cause: error });
    }
    return { resultType: 'application/json' };
  };
}

async function label(
  order: LabelTaskParams,
  source: EmbeddingSource,
  signal: AbortSignal,
  progress: (done: number, total: number) => void,
) {
  const { folder, token, path, column, row, force } = order;
  if ((await readFile(join(folder, token)).catch(() => null)) === null)
    throw new Error(`the folder ${folder} of the build is not the one this worker has: all workers must share it`);
  if (source.dataset.version !== order.version)
    throw new Error(`wanted version ${order.version} of ${order.dataset}, this worker has ${source.dataset.version}`);
  const document = await readStoreDocument(folder, signal);
  const entry = document?.entries.find((other) => other.path === path);
  if (entry === undefined) throw new Error(`wanted the arrays ${path} in ${folder}, got none`);
  const rasters = await source.rasters([-180, -90, 180, 90], entry.year, signal);
  const raster = rasters.find(({ id }) => id === entry.raster);
  if (raster === undefined) throw new Error(`${order.dataset} has no raster ${entry.raster} of ${entry.year}`);
  const tile = { column, row, chunks: Uint8Array.from(order.chunks, Number) };
  return buildTile({ folder, entry, raster, tile, force }, signal, progress);
}
