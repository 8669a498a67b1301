import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { MANIFEST_FILE } from '../../readers/packs/manifest.ts';
import { headPaths } from '../models/installed-models.ts';
import { fileVersion } from './file-version.ts';
import { packNames, packsFolder } from '../datasets/pack-folder.ts';
import { registryIds, registryPath } from '../datasets/registries.ts';

/** What is installed and listed, each part as a text that changes whenever something of it is put in its place or removed. */
export interface InstalledState {
  /** Regional packs and producer registries. */
  readonly packs: string;
  readonly models: string;
  /** The operator's file; not the files that it names. */
  readonly catalogue: string;
}

export async function seeInstalled(config: Pick<Config, 'dataDir' | 'catalogue'>): Promise<InstalledState> {
  const packs = (await packNames(config)).map((name) => join(packsFolder(config), name, MANIFEST_FILE));
  const registries = (await registryIds(config)).map((id) => registryPath(config, id));
  return {
    packs: await versionsOf([...packs, ...registries]),
    models: await versionsOf(await headPaths(config)),
    catalogue: await versionsOf(config.catalogue === null ? [] : [config.catalogue]),
  };
}

export function isSameState(one: InstalledState, other: InstalledState): boolean {
  return one.packs === other.packs && one.models === other.models && one.catalogue === other.catalogue;
}

async function versionsOf(paths: readonly string[]): Promise<string> {
  const versions = await Promise.all(paths.map(async (path) => `${path} ${await fileVersion(path)}`));
  return versions.join('\n');
}
