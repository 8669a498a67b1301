import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { parseDataset } from '../../readers/catalogue/entry.ts';

export type AgreedConfig = Pick<
  Config,
  | 'catalogue'
  | 'secretsKey'
  | 'sampleDistrict'
  | 'publicData'
  | 'publicRasters'
  | 'autoData'
  | 'overtureUrl'
  | 'models'
  | 'dataDir'
  | 'dataDirShared'
  | 'objectStoreUrl'
>;

/** What a process says of the settings that all processes on a database need to have in common; secrets as digests. */
export interface AgreedSettings {
  /** What answers depend on, by the name of the setting. */
  readonly values: Readonly<Record<string, string>>;
  /** Digests of the sealing keys: the one that seals, and all that open. Null: there is none. */
  readonly sealing: { readonly first: string; readonly all: readonly string[] } | null;
  /** The data folder where what is fetched by itself stays in it; null where nothing is fetched or all processes see it. */
  readonly ownFolder: string | null;
}

/** Bytes at each end of a file that the catalogue names by which two hosts are compared, next to its size. */
const END_BYTES = 65_536;
const FOLDER_ID = 'folder.id';

export async function describeSettings(config: AgreedConfig): Promise<AgreedSettings> {
  const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off');
  const keys = config.secretsKey?.map(({ id, key }) => digest([id, ':', key])) ?? [];
  const isFetchedAlone = config.autoData && config.objectStoreUrl === null && !config.dataDirShared;
  return {
    values: {
      CATALOGUE: await describeCatalogue(config.catalogue),
      SAMPLE_DISTRICT: onOff(config.sampleDistrict),
      PUBLIC_DATA: onOff(config.publicData),
      PUBLIC_RASTERS: onOff(config.publicRasters),
      AUTO_DATA: onOff(config.autoData),
      ...(config.autoData ? { OVERTURE_URL: digest([config.overtureUrl]), MODELS: config.models } : {}),
    },
    sealing: keys.length === 0 ? null : { first: keys[0], all: keys },
    ownFolder: isFetchedAlone ? await folderId(config.dataDir) : null,
  };
}

/** In which of them two processes differ, as sentences that begin with the setting; none: they answer alike. */
export function disagreements(own: AgreedSettings, other: AgreedSettings, name: string): readonly string[] {
  const faults = Object.keys(own.values)
    // A release that knows more settings says nothing about those of one that does not.
    .filter((setting) => other.values[setting] !== undefined && other.values[setting] !== own.values[setting])
    .map((setting) => `${setting}: not the same as that of ${name}, so the two would answer differently`);
  if ((own.sealing === null) !== (other.sealing === null)) {
    const has = own.sealing === null ? `${name} has keys and this process has none` : `${name} has no key`;
    faults.push(`SECRETS_KEY: ${has}`);
  }
  if (own.sealing !== null && other.sealing !== null) {
    if (!other.sealing.all.includes(own.sealing.first))
      faults.push(`SECRETS_KEY: ${name} does not have the first key, so it could not read what this process seals`);
    if (!own.sealing.all.includes(other.sealing.first))
      faults.push(`SECRETS_KEY: the first key of ${name} is wanted too, because that process seals with it`);
  }
  if (own.ownFolder !== null && other.ownFolder !== null && own.ownFolder !== other.ownFolder)
    faults.push(
      `AUTO_DATA: what is fetched stays in the data folder of this process, and ${name} has another one; set OBJECT_STORE_URL so that all share one bucket, DATA_DIR_SHARED=on where it is one folder, or AUTO_DATA=off`,
    );
  return faults;
}

/** The text of the catalogue, and size and ends of the files that it names. */
async function describeCatalogue(path: string | null): Promise<string> {
  if (path === null) return 'none';
  const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  const document = JSON.parse(text) as readonly unknown[] | { readonly datasets?: unknown };
  const entries = Array.isArray(document) ? document : (document as { readonly datasets?: unknown }).datasets;
  const files: (string | Uint8Array)[] = [];
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { dataset } = parseDataset(entry, dirname(path));
    if (dataset?.path !== undefined) files.push(...(await describeFile(dataset.path)));
  }
  return digest([text, ...files]);
}

/** Of a folder only that it is there: its files are read by their own checksums. */
async function describeFile(path: string): Promise<readonly (string | Uint8Array)[]> {
  const found = await stat(path).catch(() => null);
  if (found === null) return ['missing'];
  if (!found.isFile()) return ['folder'];
  const file = await open(path);
  try {
    const ends = [Buffer.alloc(END_BYTES), Buffer.alloc(END_BYTES)];
    await file.read(ends[0], 0, END_BYTES, 0);
    await file.read(ends[1], 0, END_BYTES, Math.max(0, found.size - END_BYTES));
    return [String(found.size), ...ends];
  } finally {
    await file.close();
  }
}

/** Names a data folder; processes that have the same one read the same. */
async function folderId(dataDir: string): Promise<string> {
  const path = join(dataDir, FOLDER_ID);
  await writeFile(path, randomUUID(), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return await readFile(path, 'utf8');
}

function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}
