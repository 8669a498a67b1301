import { stat } from 'node:fs/promises';

/** Tells a file from another that came into its place; empty where none is. */
export async function fileVersion(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  return stats === null ? '' : `${stats.ino}-${stats.mtimeNs}-${stats.size}`;
}
