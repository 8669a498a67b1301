import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { classOf } from '../../facilities/checks/building.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';
import type { Log } from '../../log.ts';
import type { ByteSource } from '../../readers/io/byte-source.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { DiskCacheFolder } from '../../readers/io/disk-cache-folder.ts';
import { createPageMemory } from '../../readers/formats/flatgeobuf/page-memory.ts';
import { BLOCK_BYTES, datasetFile } from '../../readers/packs/block-checksums.ts';
import { MEMORY_SHARE, type LayerMemory } from '../../readers/packs/layer/layer-memory.ts';
import { LAYER_ROLES, type LayerRole } from '../../readers/packs/layer/layer-plan.ts';
import { createLayer, type PackLayer } from '../../readers/packs/layer/pack-layer.ts';
import {
  beyondSources,
  packSources,
  type BeyondSources,
  type PackRules,
  type PackSources,
} from '../../readers/packs/pack-sources.ts';
import { SAMPLE_PACK_IDS } from '../../readers/sample-district/sample-datasets.ts';
import type { openOutside } from '../outside/open-outside.ts';
import { fileVersionNow } from './file-version.ts';

/** The regional packs and the operator's FlatGeobuf files, open for questions. */
export interface PackData {
  readonly sources: PackSources;
  /** What they find for places beyond their ground. */
  readonly beyond: BeyondSources;
  readonly layers: readonly PackLayer[];
  /** Resolves when everything that fits has been loaded; never rejects. */
  readonly loaded: Promise<void>;
  /** What another thread needs to open the same over the same memory; waits for `loaded`. */
  share(): Promise<SharedPackData>;
  /** The same as of now: what is still being loaded is read from disk. */
  shareNow(): SharedPackData;
  /** What is loaded, by the file it came from and its state. */
  loadedFiles(): ReadonlyMap<string, LayerMemory>;
  close(): Promise<void>;
}

export interface SharedPackData {
  readonly config: PackConfig;
  /** What is loaded, by id of the dataset. */
  readonly memories: readonly (readonly [id: string, memory: LayerMemory])[];
}

export type PackConfig = Pick<Config, 'dataDir' | 'cacheMaxMb' | 'packMemoryMb'>;

/** Bytes of files kept between questions, for local files and for remote ones. Of local ones the system keeps what it has room for. */
const PAGE_BYTES = { local: BLOCK_BYTES, remote: 65_536 } as const;
const PAGES_BYTES = { local: 4_000_000, remote: 16_000_000 } as const;
/** Requests to one host at the same time. */
const PER_HOST = 16;
/** How long a layer at an address waits for what is known of its contract. */
const CONTRACT_MS = 10_000;
/** Part of the free memory that packs may take. */
const FREE_SHARE = 0.5;

/**
 * Opens the layers of a catalogue without reading them, and loads those that fit into memory meanwhile. What `before` has loaded of
 * files that have not changed is used again.
 */
export function openPackData(
  datasets: readonly Dataset[],
  config: PackConfig,
  log: Pick<Log, 'info' | 'warn'>,
  before: PackData | null = null,
): PackData {
  const known = before?.loadedFiles() ?? new Map<string, LayerMemory>();
  const opened = openLayers(datasets, config, (_, file) => known.get(file) ?? null);
  const closing = new AbortController();
  const loading = loadAll(opened.layers, config, log, closing.signal);
  const close = async (): Promise<void> => {
    closing.abort(new Error('The packs were closed'));
    await loading;
    await opened.close();
  };
  const shareNow = (): SharedPackData => {
    const memories = opened.layers.flatMap(({ ref, memory }) => (memory === null ? [] : [[ref.id, memory] as const]));
    return { config, memories };
  };
  return {
    sources: packSources(opened.layers, RULES),
    beyond: beyondSources(opened.layers),
    layers: opened.layers,
    loaded: loading,
    share: () => loading.then(shareNow),
    shareNow,
    loadedFiles: () =>
      new Map(opened.layers.flatMap(({ memory }, i) => (memory === null ? [] : [[opened.files[i], memory] as const]))),
    close,
  };
}

/** Opens in another thread what `share` gave. */
export function openSharedPackData(datasets: readonly Dataset[], shared: SharedPackData): PackData {
  const memories = new Map(shared.memories);
  const { layers, close } = openLayers(datasets, shared.config, (id) => memories.get(id) ?? null);
  return {
    sources: packSources(layers, RULES),
    beyond: beyondSources(layers),
    layers,
    loaded: Promise.resolve(),
    share: () => Promise.resolve(shared),
    shareNow: () => shared,
    loadedFiles: () => new Map(),
    close,
  };
}

const RULES: PackRules = {
  density: { radiusM: THRESHOLDS.denseRadiusM, share: THRESHOLDS.denseBuiltUpShare },
  isSizeable: (found) => classOf(found) !== 'none',
};

interface OpenedLayers {
  readonly layers: readonly PackLayer[];
  /** The file of each layer and its state, as one text. */
  readonly files: readonly string[];
  close(): Promise<void>;
}

function openLayers(
  datasets: readonly Dataset[],
  config: PackConfig,
  memoryOf: (id: string, file: string) => LayerMemory | null,
): OpenedLayers {
  const pages = createPageMemory(PAGE_BYTES.local, PAGES_BYTES.local);
  const remotePages = createPageMemory(PAGE_BYTES.remote, PAGES_BYTES.remote);
  const remote = remoteOpener(config, datasets);
  const toClose: AsyncDisposable[] = [];
  const { dataDir } = config;
  const open = (dataset: Dataset, path: string, file: string): PackLayer => {
    const source = datasetFile(dataset, path);
    toClose.push(source);
    const memory = memoryOf(dataset.id, file);
    return createLayer(dataset, dataset.role as LayerRole, () => opened(dataset, dataDir, source), pages, memory);
  };
  const read = datasets.filter(({ role, kind }) => kind === 'flatgeobuf' && isLayerRole(role));
  const files = read.map(({ path, url }) => (path === undefined ? (url ?? '') : `${path} ${fileVersionNow(path)}`));
  const layers = read.map((dataset, i) =>
    dataset.path === undefined
      ? createLayer(dataset, dataset.role as LayerRole, () => remote(dataset), remotePages)
      : open(dataset, dataset.path, files[i]),
  );
  return {
    layers,
    files,
    async close() {
      await Promise.allSettled(toClose.map((file) => file[Symbol.asyncDispose]()));
    },
  };
}

/** A file, once it is there: the sample district's are made when they are first used. */
async function opened<S>(dataset: Dataset, dataDir: string, file: S): Promise<S> {
  if (SAMPLE_PACK_IDS.has(dataset.id))
    await (await import('../sample-district/sample-pack.ts')).prepareSamplePack(dataDir);
  return file;
}

/** Opens addresses, with one disk cache that is opened with the first; what that takes is imported then, since most packs are files. */
export function remoteOpener(
  { dataDir, cacheMaxMb }: Pick<PackConfig, 'dataDir' | 'cacheMaxMb'>,
  datasets: readonly Dataset[],
): (dataset: Dataset) => Promise<ByteSource> {
  let opening: Promise<DiskCacheFolder> | null = null;
  const openCache = async (): Promise<DiskCacheFolder> => {
    const { openDiskCache } = await import('../../readers/io/disk-cache-folder.ts');
    return openDiskCache(join(dataDir, 'cache'), { maxBytes: cacheMaxMb * 1e6 });
  };
  let outside: ReturnType<typeof openOutside> | null = null;
  return async ({ id, url = '' }) => {
    const { openOutside: open } = await import('../outside/open-outside.ts');
    outside ??= open(datasets, { dataDir }, { perHost: PER_HOST });
    await outside.contracts.require(id, AbortSignal.timeout(CONTRACT_MS));
    if (cacheMaxMb > 0) opening ??= openCache();
    return outside.remote(url, { cache: await opening });
  };
}

function isLayerRole(role: string): role is LayerRole {
  return (LAYER_ROLES as readonly string[]).includes(role);
}

/** Loads layers one after the other while there is room. One that cannot be read is reported by its queries. */
async function loadAll(
  layers: readonly PackLayer[],
  { packMemoryMb }: PackConfig,
  log: Pick<Log, 'info' | 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  const most = packMemoryMb * 1e6 - (await bytesLoaded(layers, signal));
  let room = Math.min(most, process.availableMemory() * FREE_SHARE);
  for (const layer of layers) {
    if (signal.aborted || room <= 0) return;
    if (layer.memory !== null) continue;
    try {
      const { bytes, place } = await layer.file(signal);
      if (/^https?:/.test(place)) continue;
      const needed = bytes * MEMORY_SHARE;
      if (needed > room) {
        log.info(
          { dataset: layer.ref.id, needed: Math.round(needed / 1e6) },
          'a layer is read from disk: it does not fit into PACK_MEMORY_MB',
        );
        continue;
      }
      await layer.load(signal);
      room -= needed;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ dataset: layer.ref.id, err: error }, 'a layer of a regional pack cannot be loaded');
    }
  }
}

/** Bytes of memory that layers take which were loaded before. */
async function bytesLoaded(layers: readonly PackLayer[], signal: AbortSignal): Promise<number> {
  const loaded = layers.filter(({ memory }) => memory !== null);
  const files = await Promise.allSettled(loaded.map((layer) => layer.file(signal)));
  return files.reduce((sum, file) => sum + (file.status === 'fulfilled' ? file.value.bytes * MEMORY_SHARE : 0), 0);
}
