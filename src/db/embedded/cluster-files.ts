import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a cluster by their paths inside it, and its folders, each after the one it is in. */
export interface ClusterFiles {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
}

/** Files written and flushed at the same time; flushes that overlap share one commit of the file system's journal. */
const WRITERS = 16;

/** Writes a cluster into a folder that must not exist; it is on the disk when the promise resolves. */
export async function writeCluster({ folders, files }: ClusterFiles, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  for (const folder of folders) await mkdir(join(target, folder), { mode: 0o700 });
  let next = 0;
  const write = async (): Promise<void> => {
    for (let file = files[next++]; file !== undefined; file = files[next++])
      await writeFlushed(join(target, file.path), file.bytes);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await Promise.all(['', ...folders].map((folder) => flushFolder(join(target, folder))));
}

async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Puts the names in a folder on the disk. Windows does so by itself, and refuses to open a folder. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
