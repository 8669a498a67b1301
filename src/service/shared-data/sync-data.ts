import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bucketPlace } from '../../config/bucket-place.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { ConfigError, type Config } from '../../config/settings.ts';
import type { ObjectStore } from '../../db/object-store/object-store.ts';
import { openS3 } from '../../db/object-store/open-s3.ts';
import { DAY_MS } from '../../durations.ts';
import { filesOf, placeOf, thingsOf, type DataFolder, type Thing, type ThingFile } from './installed-things.ts';
import { draftsFolder, listShared, pullThing, pushThing, readShared, withdrawThing } from './shared-things.ts';

export type SharedDataConfig = Pick<
  Config,
  | 'dataDir'
  | 'objectStoreUrl'
  | 'objectStoreStyle'
  | 'objectStoreRegion'
  | 'objectStoreKeyId'
  | 'objectStoreSecret'
  | 'objectStoreSession'
>;

/** What became of the things of a data folder. */
interface SyncReport {
  readonly pulled: readonly string[];
  readonly removed: readonly string[];
  /** In this data folder alone, or other than what is shared. */
  readonly unshared: readonly string[];
}

interface PullOptions {
  /** Take what is shared in place of what the data folder has under the same name. Default false. */
  readonly force?: boolean;
}

/** The packs, registries, models and label stores that all processes of an installation share. */
export interface SharedData extends AsyncDisposable {
  readonly place: string;
  /** Brings the data folder to what is shared; things that are in it alone stay. */
  pull(signal: AbortSignal, options?: PullOptions): Promise<SyncReport>;
  /** Shares things of the data folder, in place of what is shared under their ids. */
  push(things: readonly Thing[], onFile: (bytes: number) => void, signal: AbortSignal): Promise<void>;
  /** Shares things no more; processes remove them from their data folders. */
  withdraw(ids: readonly string[]): Promise<void>;
  readonly objects: ObjectStore;
  close(): Promise<void>;
}

/** What a data folder knows of a thing that came from the bucket, or went there. */
interface Mark {
  readonly etag: string;
  /** Of the thing in the data folder when it was the same as the shared one. */
  readonly version: string;
  readonly files: readonly ThingFile[];
}

/** Null without a bucket. */
export function openSharedData(config: SharedDataConfig): SharedData | null {
  const place = bucketPlace(config);
  if (place === null) return null;
  const objects = openS3(place);
  return {
    place: objects.place,
    objects,
    pull: (signal, { force = false } = {}) => pullAll(objects, config, signal, force),
    async push(things, onFile, signal) {
      for (const thing of things) {
        const { etag, files } = (await pushThing(objects, thing, onFile, signal))!;
        await writeMark(config, thing.id, { etag, version: thing.version, files });
      }
    },
    async withdraw(ids) {
      for (const id of ids) {
        await withdrawThing(objects, id);
        await rm(markPath(config, id), { force: true });
      }
    },
    close: () => objects.close(),
    [Symbol.asyncDispose]: () => objects.close(),
  };
}

async function pullAll(
  objects: ObjectStore,
  config: DataFolder,
  signal: AbortSignal,
  force: boolean,
): Promise<SyncReport> {
  prepareDataFolder(config);
  await removeOldDrafts(config);
  const [shared, local, marked] = [await listShared(objects, signal), await thingsOf(config), await markedIds(config)];
  const pulled: string[] = [];
  const removed: string[] = [];
  const unshared: string[] = [];
  for (const { id, etag } of shared) {
    const outcome = await pullOne(objects, config, { id, etag }, { thing: local.get(id), force }, signal);
    if (outcome === 'pulled') pulled.push(id);
    if (outcome === 'unshared') unshared.push(id);
  }
  const ids = new Set(shared.map(({ id }) => id));
  for (const id of marked.filter((one) => !ids.has(one))) {
    const mark = await readMark(config, id);
    if (local.get(id)?.version === mark?.version) {
      await rm(placeOf(config, id).path, { recursive: true, force: true });
      removed.push(id);
    }
    await rm(markPath(config, id), { force: true });
  }
  for (const thing of local.values()) {
    if (ids.has(thing.id) || removed.includes(thing.id)) continue;
    // Where another host was first, the next look takes what that one has fetched.
    if (thing.isFetched) await shareFetched(objects, config, thing, signal);
    else unshared.push(thing.id);
  }
  return { pulled, removed, unshared };
}

/** What is published may change at its address, so that all hosts take what the first of them has fetched. */
async function shareFetched(
  objects: ObjectStore,
  config: DataFolder,
  thing: Thing,
  signal: AbortSignal,
): Promise<void> {
  const pushed = await pushThing(objects, thing, () => {}, signal, { ifAbsent: true });
  if (pushed !== null) await writeMark(config, thing.id, { version: thing.version, ...pushed });
}

async function pullOne(
  objects: ObjectStore,
  config: DataFolder,
  { id, etag }: { readonly id: string; readonly etag: string },
  { thing, force }: { readonly thing: Thing | undefined; readonly force: boolean },
  signal: AbortSignal,
): Promise<'same' | 'pulled' | 'unshared'> {
  const mark = await readMark(config, id);
  const isUntouched = thing !== undefined && thing.version === mark?.version;
  if (isUntouched && mark?.etag === etag) return 'same';
  const files = await readShared(objects, id);
  if (files === null) return 'same';
  if (thing !== undefined && !isUntouched) {
    const isEqual = JSON.stringify(await filesOf(thing)) === JSON.stringify(files);
    if (isEqual) {
      await writeMark(config, id, { etag, version: thing.version, files });
      return 'same';
    }
    if (!thing.isFetched && !force) return 'unshared';
  }
  await pullThing(objects, config, id, files, mark?.files ?? [], signal);
  const now = (await thingsOf(config)).get(id);
  await writeMark(config, id, { etag, version: now?.version ?? '', files });
  return 'pulled';
}

/**
 * Stops a start that would answer from data that other processes do not have. Throws one sentence that says what to set.
 */
export async function checkShared(
  config: SharedDataConfig & Pick<Config, 'databaseUrl' | 'dataDirShared'>,
  shared: Pick<SharedData, 'pull'> | null,
  signal: AbortSignal,
): Promise<void> {
  if (config.databaseUrl === null) {
    if (shared !== null)
      throw new ConfigError(
        'OBJECT_STORE_URL: wanted together with DATABASE_URL, because the embedded database has one process',
      );
    return;
  }
  if (shared !== null) {
    const { unshared } = await shared.pull(signal);
    if (unshared.length > 0)
      throw new ConfigError(
        `DATA_DIR: ${unshared.join(', ')} in the data folder of this host, and not in the bucket; firstmile data push shares them, firstmile data pull --force takes what is shared under their names`,
      );
    return;
  }
  if (config.dataDirShared) return;
  const own = [...(await thingsOf(config)).values()].filter(({ isFetched }) => !isFetched).map(({ id }) => id);
  if (own.length > 0)
    throw new ConfigError(
      `DATA_DIR: processes on other hosts do not see ${own.join(', ')}; set OBJECT_STORE_URL so that all of them share one bucket, or DATA_DIR_SHARED=on where all of them have this folder`,
    );
}

function markPath({ dataDir }: DataFolder, id: string): string {
  return join(dataDir, 'shared', `${id}.json`);
}

async function readMark(config: DataFolder, id: string): Promise<Mark | null> {
  const text = await readFile(markPath(config, id), 'utf8').catch(() => null);
  try {
    return text === null ? null : (JSON.parse(text) as Mark);
  } catch {
    return null;
  }
}

async function writeMark(config: DataFolder, id: string, mark: Mark): Promise<void> {
  const path = markPath(config, id);
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, JSON.stringify(mark));
  await rename(unfinished, path);
}

/** The ids of things that the data folder has a mark of. */
async function markedIds({ dataDir }: DataFolder): Promise<readonly string[]> {
  const found = await readdir(join(dataDir, 'shared'), { recursive: true }).catch(() => []);
  return found
    .filter((path) => /^\w+[/\\][^/\\]+\.json$/.test(path))
    .map((path) => path.replaceAll('\\', '/').slice(0, -5));
}

/** What processes that ended in the middle of a fetch left. */
async function removeOldDrafts(config: DataFolder): Promise<void> {
  const folder = draftsFolder(config);
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > DAY_MS)
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
