/**
 * Run as a short-lived process of its own: `node initialise.ts FOLDER` makes a fresh database cluster in FOLDER, which
 * must not exist, has it on the disk when it ends with code 0, and ends when its parent does. initdb needs half a
 * gigabyte that a WebAssembly memory never gives back, so the service must not run it inside itself.
 */
import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MemoryFS, PGlite } from '@electric-sql/pglite';

const INITDB_OPTIONS = ['-c', 'shared_buffers=4MB', '--wal-segsize=4'];
/** Files written and flushed at the same time; flushes that overlap share one commit of the file system's journal. */
const WRITERS = 16;

interface EmscriptenNode {
  readonly contents: Uint8Array | null;
  readonly usedBytes: number;
}

interface EmscriptenFiles {
  readdir(path: string): string[];
  stat(path: string): { mode: number };
  isDir(mode: number): boolean;
  lookupPath(path: string): { node: EmscriptenNode };
}

interface PlannedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Memory where initdb works; the cluster is written out the moment it is complete, before any server starts on it. */
class ClusterInMemory extends MemoryFS {
  readonly #target: string;

  constructor(target: string) {
    super();
    this.#target = target;
  }

  override async syncToFs(): Promise<void> {
    const files = (this.pg as { Module: { FS: EmscriptenFiles } }).Module.FS;
    await writeCluster(files, PGlite.paths.PGDATA, this.#target);
    process.exit(0);
  }
}

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('wanted the folder to make as the only argument, got none');
new Worker(new URL('./end-with-parent.ts', import.meta.url)).unref();
await PGlite.create({ fs: new ClusterInMemory(target), initDbStartParams: INITDB_OPTIONS });

async function writeCluster(files: EmscriptenFiles, from: string, to: string): Promise<void> {
  const folders: string[] = [];
  const planned: PlannedFile[] = [];
  plan(files, from, to, folders, planned);
  for (const folder of folders) mkdirSync(folder, { mode: 0o700 });
  let next = 0;
  const write = async (): Promise<void> => {
    for (let file = planned[next++]; file !== undefined; file = planned[next++]) {
      await writeFlushed(file);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await Promise.all(folders.map(flushFolder));
}

function plan(files: EmscriptenFiles, from: string, to: string, folders: string[], planned: PlannedFile[]): void {
  folders.push(to);
  for (const name of files.readdir(from)) {
    if (name === '.' || name === '..') continue;
    const path = `${from}/${name}`;
    if (files.isDir(files.stat(path).mode)) {
      plan(files, path, join(to, name), folders, planned);
      continue;
    }
    const { contents, usedBytes } = files.lookupPath(path).node;
    planned.push({ path: join(to, name), bytes: contents?.subarray(0, usedBytes) ?? new Uint8Array(0) });
  }
}

async function writeFlushed(file: PlannedFile): Promise<void> {
  const handle = await open(file.path, 'wx', 0o600);
  try {
    await handle.writeFile(file.bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
