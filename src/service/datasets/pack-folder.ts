import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import {
  type InstalledPack,
  installedPackNames,
  installedPacks,
  packDatasets,
  type PackError,
  PACKS_FOLDER,
  removePack,
} from '../../readers/packs/manifest.ts';
import { verifyPack } from '../../readers/packs/verify-pack.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { AUTO_ID, removeAutoData } from '../auto-data/auto-packs.ts';
import { isPackId } from './pack-id.ts';
import { registryDatasets, removeRegistry } from './registries.ts';

/** Where the regional packs of a data folder are. */
export function packsFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, PACKS_FOLDER);
}

/** Names of the packs that are installed, those that cannot be used among them. */
export function packNames(config: Pick<Config, 'dataDir'>): Promise<readonly string[]> {
  return installedPackNames(packsFolder(config));
}

/** The packs that are installed, and what is wrong with those that cannot be used. */
export function listPacks(
  config: Pick<Config, 'dataDir'>,
): Promise<{ readonly packs: readonly InstalledPack[]; readonly faults: readonly PackError[] }> {
  return installedPacks(packsFolder(config));
}

/** The datasets of every pack, as they stand in the catalogue: by name of the pack. */
export async function installedDatasets(
  config: Pick<Config, 'dataDir'>,
): Promise<{ readonly datasets: readonly Dataset[]; readonly faults: readonly PackError[] }> {
  const { packs, faults } = await listPacks(config);
  return { datasets: packs.flatMap(packDatasets), faults };
}

/** Removes a pack, a producer registry, or all that was fetched by itself; throws a sentence that lists the others when there is none of that name. */
export async function removeInstalledPack(config: Pick<Config, 'dataDir'>, id: string): Promise<void> {
  if (id === AUTO_ID && (await removeAutoData(config))) return;
  if (isPackId(id) && ((await removePack(packsFolder(config), id)) || (await removeRegistry(config, id)))) return;
  const [{ packs }, registries] = [await listPacks(config), await registryDatasets(config)];
  const others = [...packs.map(({ manifest }) => manifest.id), ...registries.map((registry) => registry.id)];
  throw new Error(`there is no pack or registry "${id}"; installed: ${others.join(', ') || 'none'}`);
}

/** What is wrong with an installed pack's files; empty when nothing is. */
export function verifyInstalledPack(
  pack: InstalledPack,
  onTheme: (theme: string, features: number) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return verifyPack(pack, onTheme, signal);
}
