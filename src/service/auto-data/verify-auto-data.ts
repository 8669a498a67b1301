import { access } from 'node:fs/promises';
import type { Config } from '../../config/settings.ts';
import { installedPacks, type InstalledPack, type PackError } from '../../readers/packs/manifest.ts';
import { verifyPack } from '../../readers/packs/verify-pack.ts';
import { autoFolder } from './auto-packs.ts';

/** The packs that were fetched by themselves, and what is wrong with those that cannot be used. */
export function listAutoPacks(
  config: Pick<Config, 'dataDir'>,
): Promise<{ readonly packs: readonly InstalledPack[]; readonly faults: readonly PackError[] }> {
  return installedPacks(autoFolder(config));
}

/** What is wrong with the files of a pack that was fetched by itself; empty when nothing is, and for one that a running service has joined with others meanwhile. */
export async function verifyAutoPack(
  pack: InstalledPack,
  onTheme: (theme: string, features: number) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const faults = await verifyPack(pack, onTheme, signal);
  const isThere = await access(pack.folder).then(
    () => true,
    () => false,
  );
  return isThere ? faults : [];
}
