/**
 * Run as a short-lived process of its own: `node initialise.ts FOLDER` makes a fresh database cluster in FOLDER, which
 * must not exist, has it on the disk when it ends with code 0, and ends when its parent does. initdb needs half a
 * gigabyte that a WebAssembly memory never gives back, so the service must not run it inside itself.
 */
import { Worker } from 'node:worker_threads';
import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { type ClusterFiles, writeCluster } from './prepared-cluster.ts';

const INITDB_OPTIONS = ['-c', 'shared_buffers=4MB', '--wal-segsize=4'];

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

/** Memory where initdb works; the cluster is written out the moment it is complete, before any server starts on it. */
class ClusterInMemory extends MemoryFS {
  readonly #target: string;

  constructor(target: string) {
    super();
    this.#target = target;
  }

  override async syncToFs(): Promise<void> {
    const files = (this.pg as { Module: { FS: EmscriptenFiles } }).Module.FS;
    await writeCluster(clusterFiles(files, PGlite.paths.PGDATA), this.#target);
    process.exit(0);
  }
}

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('wanted the folder to make as the only argument, got none');
new Worker(new URL('./end-with-parent.ts', import.meta.url), {
  resourceLimits: { maxYoungGenerationSizeMb: 3 },
}).unref();
await PGlite.create({ fs: new ClusterInMemory(target), initDbStartParams: INITDB_OPTIONS });

function clusterFiles(files: EmscriptenFiles, from: string): ClusterFiles {
  const folders: string[] = [];
  const planned: { path: string; bytes: Uint8Array }[] = [];
  const visit = (inside: string): void => {
    for (const name of files.readdir(`${from}/${inside}`)) {
      if (name === '.' || name === '..') continue;
      const path = inside === '' ? name : `${inside}/${name}`;
      if (files.isDir(files.stat(`${from}/${path}`).mode)) {
        folders.push(path);
        visit(path);
        continue;
      }
      const { contents, usedBytes } = files.lookupPath(`${from}/${path}`).node;
      planned.push({ path, bytes: contents?.subarray(0, usedBytes) ?? new Uint8Array(0) });
    }
  };
  visit('');
  return { folders, files: planned };
}
