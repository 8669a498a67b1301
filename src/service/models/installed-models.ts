import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { DetectionHead } from '../../geo/detection/head.ts';
import { createHostGates } from '../../readers/io/concurrency.ts';
import { remoteSource } from '../../readers/io/remote.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { checkedOf, HEAD_LAYOUT, headOfPack, packHead, type HeadMeta } from '../../readers/models/head-pack.ts';
import { PUBLISHED_MODELS, type PublishedHead, type PublishedModel } from '../../readers/models/published-models.ts';
import { readModelArchive } from '../../readers/models/read-archive.ts';
import { readPack, readPackHeader, writePack, type Pack } from '../../readers/packs/pack-file.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';

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

/**
 * Installs every head of a model from its public address, or from a folder or address that holds the same archives. Their
 * SHA-256 must be the published one. A head that fails leaves those before it installed, and what was there before.
 */
export async function installModel(
  config: DataFolder,
  model: PublishedModel,
  from: string | null,
  onHead: (head: PublishedHead, bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  prepareDataFolder(config);
  for (const published of model.heads) {
    const place = placeOf(model, published, from);
    const archive = await readAt(place, signal);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    if (sha256 !== published.sha256)
      throw new Error(`${place}: wanted the published archive (SHA-256 ${published.sha256}), got another (${sha256})`);
    const head = await unpack(archive);
    signal.throwIfAborted();
    const { id, version, licence, attribution, latitude } = model;
    const { commodity, threshold, thresholdSource } = published;
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
      from: model.url.replace('{commodity}', commodity).replace('{file}', published.file),
    };
    onHead(published, await writeHead(config, `${id}-${commodity}`, head, about));
  }
}

/** Stores a head in place of one of the same id, and gives its size in bytes. */
export async function writeHead(config: DataFolder, id: string, head: DetectionHead, about: HeadMeta): Promise<number> {
  prepareDataFolder(config);
  const pack = packHead(id, head, about);
  await writePack(join(modelsFolder(config), `${id}${SUFFIX}`), pack);
  return pack.buffer.byteLength;
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

function placeOf(model: PublishedModel, { commodity, file }: PublishedHead, from: string | null): string {
  if (from === null) return model.url.replace('{commodity}', commodity).replace('{file}', file);
  return isAddress(from) ? `${from.replace(/\/+$/, '')}/${file}` : join(from, file);
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text);
}

async function readAt(place: string, signal: AbortSignal): Promise<Uint8Array> {
  if (!isAddress(place)) return readFile(place, { signal });
  const source = remoteSource(place, { gateOf: createHostGates(1), cache: null });
  const info = await source.stat({ signal });
  if (info === null) throw new Error(`${place}: wanted an archive, got nothing at this address`);
  if (info.size > MOST_BYTES) throw new Error(`${place}: wanted at most ${MOST_BYTES} bytes, got ${info.size}`);
  const bytes = await source.fetch(0, info.size, { signal });
  if (bytes === null) throw new Error(`${place}: wanted an archive, got nothing at this address`);
  return bytes;
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
    options: {},
  };
}
