import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { zipEntries, type ZipEntry } from '../../collections/due-diligence/zip-entries.ts';
import { bucketPlace, type BucketConfig, type BucketPlace } from '../../config/bucket-place.ts';
import type { Config } from '../../config/settings.ts';
import type { ObjectStore } from '../../db/object-store/object-store.ts';
import { openS3 } from '../../db/object-store/open-s3.ts';
import { openZipArchive } from '../../readers/formats/tables/zip-archive.ts';
import { MANIFEST_FILE, readManifest } from '../../readers/packs/manifest.ts';
import { draftFolder, hashFile, putInPlace } from '../../readers/packs/write-pack.ts';
import { isName } from '../shared-data/installed-things.ts';
import { autoFolder, packOfCell } from './auto-packs.ts';
import type { Cell } from './cells.ts';

/** A pack of one cell is one object, so that one request decides whose pack all hosts have. */
const FOLDER = 'cells/';
/** Which object a cell of the data folder came from, or went to. */
const MARKS = '.shared';

/** The packs of cells that the hosts of an installation share in their bucket. */
interface SharedCells {
  /** Whether the bucket has another pack of a cell than the data folder has, or none. */
  isOther(cell: Cell, signal: AbortSignal): Promise<boolean>;
  /** Puts the shared pack of a cell into the data folder: its release. Null: none is shared, or it is there already. */
  take(cell: Cell, signal: AbortSignal): Promise<string | null>;
  /**
   * Shares the pack of a cell that was just fetched, in place of one that the data folder had from the bucket. Where another host was first, its pack
   * takes the place of this one. The release of the one that holds.
   */
  give(cell: Cell, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** Nothing is requested before the first call. */
export function openSharedCells(config: Pick<Config, 'dataDir'>, place: BucketPlace): SharedCells {
  const objects = openS3(place);
  const markOf = ({ name }: Cell): string => join(autoFolder(config), MARKS, name);
  const known = (cell: Cell): Promise<string | null> => readFile(markOf(cell), 'utf8').catch(() => null);

  async function mark(cell: Cell, etag: string): Promise<void> {
    await mkdir(join(autoFolder(config), MARKS), { recursive: true });
    await writeFile(markOf(cell), etag);
  }

  async function take(cell: Cell, signal: AbortSignal): Promise<string | null> {
    const etag = await etagOf(objects, cell, signal);
    if (etag === null) return null;
    if (etag === (await known(cell)) && (await packOfCell(config, cell)) !== null) return null;
    const release = await unpackInPlace(objects, config, cell, signal);
    // Where it was replaced meanwhile the mark is that of the one before, and the next look takes it.
    if (release !== null) await mark(cell, etag);
    return release;
  }

  return {
    async isOther(cell, signal) {
      const etag = await etagOf(objects, cell, signal);
      return etag === null || etag !== (await known(cell));
    },
    take,
    async give(cell, signal) {
      const folder = join(autoFolder(config), cell.name);
      const { version, date } = await readManifest(folder);
      const replaces = (await known(cell)) !== null;
      const bytes = zipEntries(filesIn(folder), new Date(date));
      const put = await objects.put(keyOf(cell), bytes, { ifAbsent: !replaces, signal });
      if (put === null) {
        await rm(markOf(cell), { force: true });
        return (await take(cell, signal)) ?? version;
      }
      // Not the one that a listing gives now: another host may have replaced it since, and its pack is then taken at the next look.
      await mark(cell, put.etag);
      return version;
    },
    close: () => objects.close(),
  };
}

/** Takes all cells out of the bucket, if there is one. Other hosts keep those that they have, and share them when they are used. */
export async function withdrawSharedCells(config: BucketConfig): Promise<void> {
  const place = bucketPlace(config);
  if (place === null) return;
  const objects = openS3(place);
  try {
    for await (const { key } of objects.list(FOLDER)) await objects.delete(key);
  } finally {
    await objects.close();
  }
}

function keyOf({ name }: Cell): string {
  return `${FOLDER}${name}.zip`;
}

async function etagOf(objects: ObjectStore, cell: Cell, signal: AbortSignal): Promise<string | null> {
  const key = keyOf(cell);
  for await (const found of objects.list(key, signal)) if (found.key === key) return found.etag;
  return null;
}

async function* filesIn(folder: string): AsyncGenerator<ZipEntry, void> {
  for (const name of (await readdir(folder)).toSorted())
    yield { name, bytes: [await readFile(join(folder, name))], compress: true };
}

/** Null where it was removed meanwhile. Throws for a pack that is damaged or of another cell: nothing is seen of it. */
async function unpackInPlace(
  objects: ObjectStore,
  config: Pick<Config, 'dataDir'>,
  cell: Cell,
  signal: AbortSignal,
): Promise<string | null> {
  const found = await objects.get(keyOf(cell), undefined, signal);
  if (found === null) return null;
  const draft = draftFolder(autoFolder(config));
  const [archivePath, folder] = [join(draft, 'pack.zip'), join(draft, cell.name)];
  try {
    await mkdir(folder, { recursive: true });
    await pipeline(found.bytes, createWriteStream(archivePath), { signal });
    await using archive = await openZipArchive(archivePath, (await stat(archivePath)).size);
    for (const entry of archive.entries) {
      const { path } = entry;
      if (!isName(path)) throw new Error(`it holds the file ${JSON.stringify(String(path).slice(0, 100))}`);
      await pipeline(Readable.from(archive.read(entry)), createWriteStream(join(folder, path), { flush: true }));
    }
    const release = await checkPack(folder, cell);
    await putInPlace(folder, join(autoFolder(config), cell.name));
    return release;
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${keyOf(cell)} in ${objects.place} cannot be used; remove it, and it is fetched again`, {
      cause: error,
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function checkPack(folder: string, cell: Cell): Promise<string> {
  const { id, options, themes, version } = await readManifest(folder);
  if (id !== cell.name || JSON.stringify(options?.['cells']) !== JSON.stringify([cell.name]))
    throw new Error(`the ${MANIFEST_FILE} is that of ${id}`);
  for (const { file, sha256 } of themes)
    if (!isName(file) || (await hashFile(join(folder, file))) !== sha256) throw new Error(`${file} is damaged`);
  return version;
}
