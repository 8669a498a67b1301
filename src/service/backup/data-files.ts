import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { PACKS_FOLDER } from '../../readers/packs/manifest.ts';
import { fileVersion } from '../world/file-version.ts';
import type { Part } from './archive.ts';

/** Folders of the data folder that hold what was imported, trained or built here. What can be fetched again is in none of them. */
export const DATA_FOLDERS = [PACKS_FOLDER, 'registries', 'models', 'stores'] as const;
/** Built-in data, which releases before 2026-11-27 kept in place of regional packs; a start makes it again. */
const FORMER_FOLDER = 'packs';
/** Single files of the data folder; acts that wait for a database to be recorded in. */
export const DATA_FILES = ['audit-pending.jsonl'] as const;
export const KEY_FILE = 'secrets.key';
const PREFIX = 'files/';

/**
 * The files of a data folder as parts of a backup, in order of their names; drafts that a process is writing are left out. Reading one
 * throws where it is not the file any more that it was when it was listed: half a pack and half of the next would be neither.
 */
export async function dataFiles(
  dataDir: string,
  { withKey, withData }: { readonly withKey: boolean; readonly withData: boolean },
): Promise<readonly Part[]> {
  const names = [...(withData ? DATA_FILES : []), ...(withKey ? [KEY_FILE] : [])];
  const paths: string[] = [];
  for (const name of names) if ((await lstat(join(dataDir, name)).catch(() => null))?.isFile()) paths.push(name);
  for (const folder of withData ? DATA_FOLDERS : [])
    for (const entry of await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isFile() && !isDraft(entry.name)) paths.push(relative(dataDir, join(entry.parentPath, entry.name)));
  return Promise.all(
    paths.toSorted().map(async (path) => {
      const version = await fileVersion(join(dataDir, path));
      return {
        name: `${PREFIX}${path.split(sep).join('/')}`,
        read: () => readSame(join(dataDir, path), version),
      };
    }),
  );
}

async function* readSame(path: string, version: string): AsyncGenerator<Uint8Array, void> {
  const isSame = async (): Promise<boolean> => (await fileVersion(path)) === version;
  if (await isSame()) yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  if (!(await isSame())) throw new Error(`${path} was replaced or removed while the backup was made: make it again`);
}

/** Where a part of a backup belongs in a data folder; null for one that is no file, and for one that none would have written. */
export function placeOfPart(name: string): string | null {
  if (!name.startsWith(PREFIX)) return null;
  const names = name.slice(PREFIX.length).split('/');
  const isHarmless = names.every((one) => one !== '' && one !== '.' && one !== '..' && !/[\\\0:]/.test(one));
  const [first] = names;
  const isKnown =
    names.length > 1
      ? [...DATA_FOLDERS, FORMER_FOLDER].includes(first)
      : ([...DATA_FILES, KEY_FILE] as readonly string[]).includes(first);
  return isHarmless && isKnown ? join(...names) : null;
}

function isDraft(name: string): boolean {
  return name.startsWith('.') || /\.(tmp|draft|unfinished|new)$/.test(name);
}
