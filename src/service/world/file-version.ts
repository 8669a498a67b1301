import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Distinguishes a file from another that replaced it; empty where none is. */
export async function fileVersion(path: string): Promise<string> {
  return versionOf(await stat(path, { bigint: true }).catch(() => undefined));
}

/** The same at once, for the few files that are opened together. */
export function fileVersionNow(path: string): string {
  return versionOf(statSync(path, { bigint: true, throwIfNoEntry: false }));
}

function versionOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? '' : `${stats.ino}-${stats.mtimeNs}-${stats.size}`;
}
