import { resolve } from 'node:path';
import { storeFolders, storesFolder } from '../../service/labels/label-store.ts';
import { UsageError, type CommandContext } from '../command.ts';

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
