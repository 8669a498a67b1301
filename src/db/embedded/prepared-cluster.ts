import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

const ROOT = resolve(import.meta.dirname, '../../..');
/** A database nobody has used yet, with all of its tables. `npm ci` makes it, so that a first start need not. */
export const PREPARED_CLUSTER: string = join(ROOT, 'dist/first-database.zst');
const MOST_BYTES = 256_000_000;

interface Header {
  readonly key: string;
  readonly folders: readonly string[];
  readonly files: readonly (readonly [path: string, bytes: number])[];
}

/** What {@link clusterKey} was when the package was built, which has no sources. */
const BUILT_KEY = join(ROOT, 'lib/db/embedded/cluster-key.txt');

/** What decides what is in an unused database: the engine and our own tables. A cluster with another key is not used. */
export function clusterKey(): string {
  if (import.meta.filename.endsWith('.js')) return readFileSync(BUILT_KEY, 'utf8');
  const hash = createHash('sha256');
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  hash.update(`@electric-sql/pglite ${dependencies['@electric-sql/pglite']}\n`);
  const files = globSync(['src/db/embedded/*.ts', 'src/db/migrations/*.ts'], { cwd: ROOT });
  for (const file of files.toSorted()) if (!file.endsWith('.test.ts')) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

/** Packs a cluster that no engine has open into one file: 32 MB become 3.4. */
export async function packCluster(cluster: string, path: string): Promise<void> {
  const entries = await readdir(cluster, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: relative(cluster, join(entry.parentPath, entry.name)) }));
  const folders = paths.filter(({ entry }) => entry.isDirectory()).map((folder) => folder.path);
  const files = await Promise.all(
    paths
      .filter(({ entry }) => entry.isFile())
      .map(async (file) => ({ path: file.path, bytes: await readFile(join(cluster, file.path)) })),
  );
  const header: Header = {
    key: clusterKey(),
    // A folder after the one it is in.
    folders: folders.toSorted(),
    files: files.map((file) => [file.path, file.bytes.length]),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const params = { [constants.ZSTD_c_compressionLevel]: 9, [constants.ZSTD_c_checksumFlag]: 1 };
  const whole = Buffer.concat([length, text, ...files.map(({ bytes }) => bytes)]);
  await writeFile(`${path}.draft`, await promisify(zstdCompress)(whole, { params }));
  await rename(`${path}.draft`, path);
}

/**
 * Puts the prepared cluster into a folder that must not exist, flushed to the disk. False, and nothing is written, when there
 * is none, when it was made by another version, and when it is damaged (zstd keeps a checksum).
 */
export async function placePreparedCluster(path: string, target: string): Promise<boolean> {
  const cluster = await readPrepared(path).catch(() => null);
  if (cluster === null) return false;
  await writeCluster(cluster, target);
  return true;
}

/** Whether a prepared cluster of this version is there and whole. */
export async function isPrepared(path: string): Promise<boolean> {
  return (await readPrepared(path).catch(() => null)) !== null;
}

async function readPrepared(path: string): Promise<ClusterFiles | null> {
  const whole = await promisify(zstdDecompress)(await readFile(path), { maxOutputLength: MOST_BYTES });
  let at = 4 + whole.readUInt32LE(0);
  const { key, folders, files } = JSON.parse(whole.toString('utf8', 4, at)) as Header;
  if (key !== clusterKey()) return null;
  return { folders, files: files.map(([name, bytes]) => ({ path: name, bytes: whole.subarray(at, (at += bytes)) })) };
}

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
