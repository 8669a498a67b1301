import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { DetectionHead } from '../../geo/detection/head.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { checkedOf, HEAD_LAYOUT, headOfPack, packHead, type HeadMeta } from '../../readers/models/head-pack.ts';
import { PUBLISHED_MODELS, type PublishedHead, type PublishedModel } from '../../readers/models/published-models.ts';
import { readModelArchive } from '../../readers/models/read-head.ts';
import { readPack, readPackHeader, writePack, type Pack } from '../../readers/packs/pack-file.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { readWhole } from '../outside/read-whole.ts';

export type DataFolder = Pick<Config, 'dataDir'>;

const SUFFIX = '.head';
/** Largest archive that is downloaded; the published ones have 4 MB. */
const MOST_BYTES = 50_000_000;
/** Credit due for the embeddings every head is read over. */
export const EMBEDDINGS_CREDIT =
  'The AlphaEarth Foundations Satellite Embedding dataset is produced by Google and Google DeepMind.';

/** Where the installed heads of a data folder are. */
export function modelsFolder({ dataDir }: DataFolder): string {
  return join(dataDir, 'models');
}

/** A published model by its id; throws a sentence that lists those there are. */
export function publishedModel(id: string): PublishedModel {
  const model = PUBLISHED_MODELS.find((published) => published.id === id);
  if (model !== undefined) return model;
  throw new Error(
    `there is no model "${id}"; there are: ${PUBLISHED_MODELS.map((published) => published.id).join(', ')}`,
  );
}

/** A head that was put in its place. */
interface InstalledArchive {
  /** Bytes of its archive, and of what is kept of it. */
  readonly archiveBytes: number;
  readonly bytes: number;
  readonly about: HeadMeta;
}

/**
 * Installs every head of a model from its public address, or from a folder or address that holds the same archives. A head
 * that fails leaves those before it installed, and what was there before.
 */
export async function installModel(
  config: DataFolder,
  model: PublishedModel,
  from: string | null,
  onHead: (head: InstalledArchive) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const published of model.heads)
    onHead(await installHead(config, model, published, placeOf(model, published, from), signal));
}

/**
 * Installs one head of a model from a file or address. The SHA-256 of the archive must be the published one, and where none is
 * known that of the head that is installed already. Nothing is left of one that fails.
 */
export async function installHead(
  config: DataFolder,
  model: PublishedModel,
  published: PublishedHead,
  place: string,
  signal: AbortSignal,
): Promise<InstalledArchive> {
  prepareDataFolder(config);
  const { id, version, licence, attribution, latitude } = model;
  const { commodity, threshold, thresholdSource } = published;
  const name = `${id}-${commodity}`;
  const archive = await readAt(config, place, signal);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  const before = published.sha256 ?? (await installedHeads(config)).find((head) => head.id === name)?.about.sha256;
  if (sha256 !== (before ?? sha256)) {
    const known = published.sha256 === null ? 'archive that is installed' : 'published archive';
    throw new Error(`${place}: wanted the ${known} (SHA-256 ${before}), got another (${sha256})`);
  }
  const head = await unpack(archive);
  signal.throwIfAborted();
  const about: HeadMeta = {
    model: id,
    version,
    commodity,
    licence,
    attribution,
    threshold,
    thresholdSource,
    latitude,
    sha256,
    from: publicPlace(model, published),
  };
  return { archiveBytes: archive.length, bytes: await writeHead(config, name, head, about), about };
}

/** Stores a head in place of one of the same id, and gives its size in bytes. */
export async function writeHead(config: DataFolder, id: string, head: DetectionHead, about: HeadMeta): Promise<number> {
  prepareDataFolder(config);
  const pack = packHead(id, head, about);
  await writePack(headPath(config, id), pack);
  return pack.buffer.byteLength;
}

/** Where a head of a data folder is, or would be. */
export function headPath(config: DataFolder, id: string): string {
  return join(modelsFolder(config), `${id}${SUFFIX}`);
}

/** Removes a head, or every head of a model, and gives their ids; throws a sentence that lists those there are. */
export async function removeHeads(config: DataFolder, name: string): Promise<readonly string[]> {
  const heads = await installedHeads(config);
  const named = heads.filter(({ id, about }) => id === name || about.model === name);
  if (named.length === 0)
    throw new Error(
      `there is no head or model "${name}"; there are: ${heads.map(({ id }) => id).join(', ') || 'none'}`,
    );
  for (const { path } of named) await rm(path);
  return named.map(({ id }) => id);
}

/** Where the archive of a head is published. */
export function publicPlace({ url }: PublishedModel, { commodity, file }: PublishedHead): string {
  return url.replace('{commodity}', commodity).replace('{file}', file);
}

function placeOf(model: PublishedModel, published: PublishedHead, from: string | null): string {
  if (from === null) return publicPlace(model, published);
  return isAddress(from) ? `${from.replace(/\/+$/, '')}/${published.file}` : join(from, published.file);
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text);
}

async function readAt(config: DataFolder, place: string, signal: AbortSignal): Promise<Uint8Array> {
  return isAddress(place) ? readWhole(config, place, MOST_BYTES, signal) : readFile(place, { signal });
}

async function unpack(archive: Uint8Array): Promise<DetectionHead> {
  const folder = await temporaryFolder('model');
  try {
    const path = join(folder, 'model.zip');
    await writeFile(path, archive);
    return await readModelArchive(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** An installed head, ready to be opened. */
export interface InstalledHead {
  readonly id: string;
  readonly path: string;
  readonly about: HeadMeta;
}

/** Files of the heads of a data folder, those that cannot be used among them. */
export async function headPaths(config: DataFolder): Promise<readonly string[]> {
  const names = await readdir(modelsFolder(config)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const heads = names.filter((name) => name.endsWith(SUFFIX)).toSorted();
  return heads.map((name) => join(modelsFolder(config), name));
}

/** The heads of a data folder by id; those of another layout, which have to be installed again, are left out. */
export async function installedHeads(config: DataFolder): Promise<readonly InstalledHead[]> {
  const heads: InstalledHead[] = [];
  for (const path of await headPaths(config)) {
    const header = await readPackHeader(path);
    if (header?.key !== HEAD_LAYOUT) continue;
    heads.push({ id: basename(path, SUFFIX), path, about: (header.meta as { readonly about: HeadMeta }).about });
  }
  return heads;
}

/** Reads a head; throws a sentence when its file is damaged. */
export async function openHead(head: InstalledHead): Promise<DetectionHead> {
  return headOfPack(await openPack(head)).head;
}

/** A head with what it gave of the first made-up pixels when it was stored; empty when nothing was kept of that. */
export async function openCheckedHead(
  head: InstalledHead,
): Promise<{ readonly head: DetectionHead; readonly kept: Float64Array }> {
  const pack = await openPack(head);
  return { head: headOfPack(pack).head, kept: checkedOf(pack) };
}

async function openPack({ id, path }: InstalledHead): Promise<Pack> {
  const reading = await readPack(path, id, HEAD_LAYOUT);
  if (reading.pack === null) throw new Error(`${path}: ${reading.reason}; install the model again`);
  return reading.pack;
}

/**
 * The installed heads as the catalogue lists them: each published one for its commodity, and all of a model together as a
 * plantation mask; one that was trained here for what it was made for.
 */
export async function modelDatasets(config: DataFolder): Promise<readonly Dataset[]> {
  const heads = await installedHeads(config);
  const published = heads.filter(({ about }) => about.training === undefined);
  const models = [...new Set(published.map(({ about }) => about.model))];
  return [
    ...heads.flatMap(({ id, path, about }) => {
      const role = about.commodity === null ? null : (ROLES[about.commodity] ?? 'commodity-model');
      return role === null ? [] : [datasetOf(id, role, path, about)];
    }),
    ...models.map((model) => {
      const first = published.find(({ about }) => about.model === model)!;
      return datasetOf(model, 'plantation-mask', modelsFolder(config), first.about);
    }),
  ];
}

/** What heads are used for that find no commodity. */
const ROLES: Readonly<Record<string, Dataset['role']>> = { plantation: 'plantation-mask', 'built-up': 'built-up' };

function datasetOf(id: string, role: Dataset['role'], path: string, about: HeadMeta): Dataset {
  const { version, licence, attribution, latitude, bbox, training, synthetic = false } = about;
  return {
    id,
    role,
    kind: 'model',
    path,
    coverage: { bbox: bbox ?? [-180, -latitude, 180, latitude] },
    version,
    date: training === undefined ? null : training.trained_at.slice(0, 10),
    licence,
    attribution: `${attribution}. ${EMBEDDINGS_CREDIT}`,
    synthetic,
    options: role === 'commodity-model' ? { commodity: about.commodity } : {},
  };
}
