import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { DetectionHead } from '../geo/detection/head.ts';
import { createHostGates } from '../readers/byte-concurrency.ts';
import { remoteSource } from '../readers/byte-remote.ts';
import type { Dataset } from '../readers/dataset.ts';
import { HEAD_LAYOUT, headOfPack, packHead, type HeadMeta } from '../readers/models/head-pack.ts';
import { PUBLISHED_MODELS, type PublishedHead, type PublishedModel } from '../readers/models/published-models.ts';
import { readModelArchive } from '../readers/models/read-archive.ts';
import { readPack, readPackHeader, writePack } from '../readers/pack-file.ts';
import { prepareDataFolder } from './data-folder.ts';

type DataFolder = Pick<Config, 'dataDir'>;

const SUFFIX = '.head';
/** Largest archive that is downloaded; the published ones have 4 MB. */
const MOST_BYTES = 50_000_000;
/** Credit due for the embeddings every head is read over. */
const EMBEDDINGS_CREDIT =
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
    const pack = packHead(`${id}-${commodity}`, head, about);
    await writePack(join(modelsFolder(config), `${id}-${commodity}${SUFFIX}`), pack);
    onHead(published, pack.buffer.byteLength);
  }
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
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-model-'));
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

/** The heads of a data folder by id; those of another layout, which have to be installed anew, are left out. */
export async function installedHeads(config: DataFolder): Promise<readonly InstalledHead[]> {
  const names = await readdir(modelsFolder(config)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const heads: InstalledHead[] = [];
  for (const name of names.filter((file) => file.endsWith(SUFFIX)).toSorted()) {
    const path = join(modelsFolder(config), name);
    const header = await readPackHeader(path);
    if (header?.key !== HEAD_LAYOUT) continue;
    heads.push({ id: name.slice(0, -SUFFIX.length), path, about: (header.meta as { readonly about: HeadMeta }).about });
  }
  return heads;
}

/** Reads a head; throws a sentence when its file is damaged. */
export async function openHead({ id, path }: InstalledHead): Promise<DetectionHead> {
  const reading = await readPack(path, id, HEAD_LAYOUT);
  if (reading.pack === null) throw new Error(`${path}: ${reading.reason}; install the model anew`);
  return headOfPack(reading.pack).head;
}

/** The installed heads as the catalogue lists them: each for its commodity, all of a model together as a plantation mask. */
export async function modelDatasets(config: DataFolder): Promise<readonly Dataset[]> {
  const heads = await installedHeads(config);
  const models = [...new Set(heads.map(({ about }) => about.model))];
  return [
    ...heads.map(({ id, path, about }) => datasetOf(id, 'commodity-model', path, about)),
    ...models.map((model) => {
      const first = heads.find(({ about }) => about.model === model)!;
      return datasetOf(model, 'plantation-mask', modelsFolder(config), first.about);
    }),
  ];
}

function datasetOf(id: string, role: Dataset['role'], path: string, about: HeadMeta): Dataset {
  const { version, licence, attribution, latitude } = about;
  return {
    id,
    role,
    kind: 'model',
    path,
    coverage: { bbox: [-180, -latitude, 180, latitude] },
    version,
    date: null,
    licence,
    attribution: `${attribution}. ${EMBEDDINGS_CREDIT}`,
    synthetic: false,
    options: {},
  };
}
