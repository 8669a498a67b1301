import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hashFile } from '../../readers/packs/write-pack.ts';
import { putText, readText, type ObjectStore } from '../../db/object-store/object-store.ts';
import { filesOf, isName, placeOf, type DataFolder, type Thing, type ThingFile } from './installed-things.ts';

/** Documents that say which files a thing consists of, and the files by their SHA-256. */
const DOCUMENTS = 'data/';
const FILES = 'data-files/';

interface ThingDocument {
  readonly format: 'firstmile-data';
  readonly formatVersion: 1;
  readonly files: readonly ThingFile[];
}

/** A thing in the bucket. `etag` changes whenever another takes its place. */
interface SharedThing {
  readonly id: string;
  readonly etag: string;
}

export async function listShared(objects: ObjectStore, signal?: AbortSignal): Promise<readonly SharedThing[]> {
  const found: SharedThing[] = [];
  for await (const { key, etag } of objects.list(DOCUMENTS, signal))
    if (key.endsWith('.json')) found.push({ id: key.slice(DOCUMENTS.length, -'.json'.length), etag });
  return found;
}

/** The files of a shared thing; null when it is not shared any more. Throws for a document of another layout. */
export async function readShared(objects: ObjectStore, id: string): Promise<readonly ThingFile[] | null> {
  const text = await readText(objects, documentKey(id));
  if (text === null) return null;
  const document = JSON.parse(text) as ThingDocument;
  const isKnown = document.format === 'firstmile-data' && document.formatVersion === 1;
  // What comes from a bucket must not lead out of the data folder.
  const isSafe = isKnown && document.files.every(({ path }) => path.split('/').every(isName));
  if (!isSafe) throw new Error(`${objects.place} holds ${id} in a layout that this release does not know`);
  return document.files;
}

interface PushOptions {
  /** Shares nothing where a thing of this name is shared already. Default false. */
  readonly ifAbsent?: boolean;
}

/**
 * Shares a thing: its files, those that the bucket has not yet, then the document that names them. Whoever looks sees what was
 * there before, or all of it. Null: `ifAbsent`, and there is one.
 */
export async function pushThing(
  objects: ObjectStore,
  thing: Thing,
  onFile: (bytes: number) => void,
  signal: AbortSignal,
  { ifAbsent = false }: PushOptions = {},
): Promise<{ readonly etag: string; readonly files: readonly ThingFile[] } | null> {
  const files = await filesOf(thing);
  for (const { path, size, sha256 } of files) {
    signal.throwIfAborted();
    const key = `${FILES}${sha256}`;
    if (!(await isThere(objects, key, size))) {
      const place = thing.isFolder ? join(thing.path, path) : thing.path;
      const put = await objects.put(key, createReadStream(place), { signal });
      if (put?.sha256 !== sha256) throw new Error(`${place} changed while it was shared; share it again`);
    }
    onFile(size);
  }
  const document: ThingDocument = { format: 'firstmile-data', formatVersion: 1, files };
  const text = `${JSON.stringify(document, null, 1)}\n`;
  const put = await putText(objects, documentKey(thing.id), text, { ifAbsent, signal });
  return put === null ? null : { etag: put.etag, files };
}

/** Takes a thing out of the bucket. Its files stay until `pruneFiles`. */
export async function withdrawThing(objects: ObjectStore, id: string): Promise<void> {
  await objects.delete(documentKey(id));
}

/**
 * Puts a shared thing into the data folder, in place of what is there. Files that are there already, with the checksum that
 * `known` says, are not fetched again. Nothing is seen of one that fails.
 */
export async function pullThing(
  objects: ObjectStore,
  config: DataFolder,
  id: string,
  files: readonly ThingFile[],
  known: readonly ThingFile[],
  signal: AbortSignal,
): Promise<void> {
  const { path, isFolder } = placeOf(config, id);
  const drafts = draftsFolder(config);
  const draft = join(drafts, `${process.pid}-${randomUUID()}`);
  const before = new Map(known.map((file) => [file.path, file]));
  try {
    await mkdir(draft, { recursive: true });
    for (const file of files) {
      const target = join(draft, file.path);
      await mkdir(dirname(target), { recursive: true });
      const same = before.get(file.path)?.sha256 === file.sha256;
      if (same && (await reuse(isFolder ? join(path, file.path) : path, target, file))) continue;
      await fetchFile(objects, file, target, signal);
    }
    await mkdir(dirname(path), { recursive: true });
    if (!isFolder) return await rename(join(draft, files[0].path), path);
    const aside = `${draft}-before`;
    await rename(path, aside).catch(unlessMissing);
    await rename(draft, path);
    await rm(aside, { recursive: true, force: true });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** What is being fetched lies on the same disk as its place. */
export function draftsFolder({ dataDir }: DataFolder): string {
  return join(dataDir, 'shared', 'drafts');
}

async function reuse(from: string, to: string, { size, sha256 }: ThingFile): Promise<boolean> {
  const found = await stat(from).catch(() => null);
  if (found?.size !== size || (await hashFile(from)) !== sha256) return false;
  await link(from, to).catch(() => copyFile(from, to));
  return true;
}

async function fetchFile(
  objects: ObjectStore,
  { sha256, size }: ThingFile,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const key = `${FILES}${sha256}`;
  const found = await objects.get(key, undefined, signal);
  if (found === null) throw new Error(`${objects.place} does not hold ${key}; share the data again`);
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const piece of found.bytes) {
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(hashed(), createWriteStream(target), { signal });
  if (found.size !== size || hash.digest('hex') !== sha256)
    throw new Error(`${key} in ${objects.place} is damaged; share the data again`);
}

/** Removes the files that no document names; returns how many. Not while anything is being shared. */
export async function pruneFiles(objects: ObjectStore): Promise<number> {
  const named = new Set<string>();
  for (const { id } of await listShared(objects))
    for (const { sha256 } of (await readShared(objects, id)) ?? []) named.add(`${FILES}${sha256}`);
  let removed = 0;
  for await (const { key } of objects.list(FILES)) {
    if (named.has(key)) continue;
    await objects.delete(key);
    removed++;
  }
  return removed;
}

async function isThere(objects: ObjectStore, key: string, size: number): Promise<boolean> {
  for await (const found of objects.list(key)) if (found.key === key) return found.size === size;
  return false;
}

function documentKey(id: string): string {
  return `${DOCUMENTS}${id}.json`;
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
