import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PackError, readManifest, type InstalledPack } from './manifest.ts';

/** The packs in a folder, by id, and what is wrong with those that cannot be used. A folder that is not there holds none. */
export async function installedPacks(
  packsFolder: string,
): Promise<{ readonly packs: readonly InstalledPack[]; readonly faults: readonly PackError[] }> {
  const packs: InstalledPack[] = [];
  const faults: PackError[] = [];
  for (const name of await installedPackNames(packsFolder)) {
    const folder = join(packsFolder, name);
    try {
      const manifest = await readManifest(folder);
      if (manifest.id !== name) throw new PackError(folder, `wanted a pack named "${name}", got "${manifest.id}"`);
      packs.push({ folder, manifest });
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
      faults.push(error);
    }
  }
  return { packs, faults };
}

/** Names of the packs in a folder, in order, those that cannot be used among them. */
export async function installedPackNames(packsFolder: string): Promise<readonly string[]> {
  const names = await readdir(packsFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => !name.startsWith('.')).sort();
}

/** Removes a pack; false when there is none of that name. */
export async function removePack(packsFolder: string, id: string): Promise<boolean> {
  const aside = join(packsFolder, `.making-${process.pid}-removed-${id}`);
  const found = await rename(join(packsFolder, id), aside).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (found) await rm(aside, { recursive: true, force: true });
  return found;
}
