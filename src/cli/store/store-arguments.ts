import { resolve } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { embeddingDatasets } from '../../service/labels/embeddings.ts';
import { type CommandContext, UsageError } from '../command.ts';
import { storeFolders, storesFolder } from '../../service/labels/label-store.ts';

type Dataset = Awaited<ReturnType<typeof embeddingDatasets>>[number];

/** The embeddings that `--dataset` names; throws a `UsageError` that lists those there are. */
export async function embeddingsNamed(id: unknown, config: Config): Promise<Dataset> {
  const datasets = await embeddingDatasets(config);
  const found = datasets.find((dataset) => dataset.id === id);
  if (found !== undefined) return found;
  const names = datasets.map((dataset) => dataset.id).join(', ');
  throw new UsageError(
    `--dataset: wanted embeddings of the catalogue (${names || 'it has none'}), got ${id === undefined ? 'nothing' : `"${String(id)}"`}`,
  );
}

/** The store a command is about: the folder or the name it was given, or the only one in the data folder. */
export async function storeFolder({ args, config }: Pick<CommandContext, 'args' | 'config'>): Promise<string> {
  const folders = await storeFolders(config.dataDir);
  if (args[0] !== undefined) return folders.find(({ name }) => name === args[0])?.path ?? resolve(args[0]);
  if (folders.length === 1) return folders[0].path;
  const place = storesFolder(config);
  if (folders.length === 0)
    throw new UsageError(`FOLDER: there is no store in ${place}; firstmile store build makes one`);
  const names = folders.map(({ name }) => name).join(', ');
  throw new UsageError(`FOLDER: wanted one of the stores in ${place}: ${names}`);
}
