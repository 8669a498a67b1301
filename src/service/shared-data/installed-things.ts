import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { MANIFEST_FILE } from '../../readers/packs/manifest.ts';
import { hashFile } from '../../readers/packs/write-pack.ts';
import { PUBLIC_REGISTERS } from '../../readers/producers/public-registers.ts';
import { packNames, packsFolder } from '../datasets/pack-folder.ts';
import { registryIds, registryPath } from '../datasets/registries.ts';
import { storeFolders, storesFolder } from '../labels/label-store.ts';
import { headPath, installedHeads } from '../models/installed-models.ts';
import { fileVersion } from '../world/file-version.ts';

export type DataFolder = Pick<Config, 'dataDir'>;

/** A pack, a producer registry, a detection head or a label store in a data folder: what is shared as a whole. */
export interface Thing {
  /** Kind and name, such as `packs/uganda`. */
  readonly id: string;
  /** Its folder, or its only file. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Changes whenever it is replaced; empty where it is not there. */
  readonly version: string;
  /** Every process fetches it by itself from where it is published, should it be needed. */
  readonly isFetched: boolean;
}

export interface ThingFile {
  /** Within the folder; the name of the file for a thing of one file. */
  readonly path: string;
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Everything of a data folder that is shared, by id. */
export async function thingsOf(config: DataFolder): Promise<ReadonlyMap<string, Thing>> {
  const [packs, registries, heads, stores] = await Promise.all([
    packNames(config),
    registryIds(config),
    installedHeads(config),
    storeFolders(config.dataDir),
  ]);
  const fetched = new Set([
    ...PUBLIC_REGISTERS.map(({ id }) => `registries/${id}`),
    ...heads.filter(({ about }) => about.training === undefined).map(({ id }) => `models/${id}`),
  ]);
  const ids = [
    ...packs.map((name) => `packs/${name}`),
    ...registries.map((name) => `registries/${name}`),
    ...heads.map(({ id }) => `models/${id}`),
    ...stores.map(({ name }) => `stores/${name}`),
  ];
  const things = await Promise.all(
    ids.map(async (id): Promise<Thing> => {
      const place = placeOf(config, id);
      return { ...place, id, version: await fileVersion(place.main), isFetched: fetched.has(id) };
    }),
  );
  // A folder without its document is being built still.
  return new Map(things.filter(({ version }) => version !== '').map((thing) => [thing.id, thing]));
}

/** Where a thing is in a data folder, whether it is there or not. `main` is the file that is put in its place last. */
export function placeOf(config: DataFolder, id: string): { path: string; isFolder: boolean; main: string } {
  const [kind, name] = kindAndName(id);
  switch (kind) {
    case 'packs': {
      const path = join(packsFolder(config), name);
      return { path, isFolder: true, main: join(path, MANIFEST_FILE) };
    }
    case 'stores': {
      const path = join(storesFolder(config), name);
      return { path, isFolder: true, main: join(path, 'zarr.json') };
    }
    case 'registries': {
      const path = registryPath(config, name);
      return { path, isFolder: false, main: path };
    }
    case 'models': {
      const path = headPath(config, name);
      return { path, isFolder: false, main: path };
    }
  }
}

const KINDS = ['packs', 'registries', 'models', 'stores'] as const;
type Kind = (typeof KINDS)[number];

function kindAndName(id: string): readonly [Kind, string] {
  const [kind, name, ...rest] = id.split('/');
  if (KINDS.includes(kind as Kind) && isName(name) && rest.length === 0) return [kind as Kind, name];
  throw new Error(`wanted the name of a pack, registry, model or store such as packs/uganda, got "${id}"`);
}

/** Whether a name of a file, or of a folder, may come from elsewhere: it leads nowhere else and can be a key. */
export function isName(name: string | undefined): name is string {
  return name !== undefined && /^[\w.-]+$/.test(name) && !name.startsWith('.');
}

/** The files of a thing with their checksums, in the order of their paths. */
export async function filesOf({ path, isFolder }: Pick<Thing, 'path' | 'isFolder'>): Promise<readonly ThingFile[]> {
  const entries = isFolder ? await readdir(path, { recursive: true, withFileTypes: true }) : null;
  const paths =
    entries === null
      ? [path]
      : entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files: ThingFile[] = [];
  for (const file of paths.toSorted()) {
    const relative = isFolder
      ? file.slice(path.length + 1).replaceAll('\\', '/')
      : file.slice(file.lastIndexOf('/') + 1);
    files.push({ path: relative, size: (await stat(file)).size, sha256: await hashFile(file) });
  }
  return files;
}
