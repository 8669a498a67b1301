import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileVersion } from '../world/file-version.ts';
import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { type LabelFolder, labelFolder } from '../../readers/label-store/label-folder.ts';
import { type LabelSource, openLabelStore } from '../../readers/label-store/open-label-store.ts';
import { readStoreDocument } from '../../readers/label-store/write-label-store.ts';
import type { ZarrStore } from '../../readers/formats/zarr/zarr-store.ts';

/** Where the stores that this installation built are, a folder each, named after the dataset of embeddings. */
export function storesFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'stores');
}

interface LabelStoresDeps {
  readonly dataDir: string;
  /** The files of a store at an address. */
  remote(url: string): ZarrStore;
  /** The files of a store in a folder; default without a pause, which is for threads that do lookups. */
  local?(folder: string): LabelFolder;
  /** Bytes of decoded chunks that are kept of each store; default as `openLabelStore`. */
  readonly cacheBytes?: number;
  /** Put around every store; default nothing. */
  wrap?(source: LabelSource): LabelSource;
  /** Called with a folder of the data folder that holds no store. */
  reportFailure?(what: string, error: unknown): void;
}

interface LabelStores {
  /**
   * The label stores of the catalogue (role `forest-labels`), in its order, then those that have been built into the data
   * folder by now, which need no entry.
   */
  current(): Promise<readonly LabelSource[]>;
  close(): Promise<void>;
}

/** A store in the data folder. */
interface BuiltStore {
  /** Of its document, by time and size. */
  readonly version: string;
  readonly folder: LabelFolder;
  /** Null while nothing has been built. */
  readonly source: LabelSource | null;
}

/** Opens label stores. Nothing of a catalogue's store is read before the first lookup. */
export function openLabelStores(datasets: readonly Dataset[], deps: LabelStoresDeps): LabelStores {
  const { dataDir, remote, local = labelFolder, wrap = (source) => source, reportFailure = () => {} } = deps;
  const memory = deps.cacheBytes === undefined ? {} : { cacheBytes: deps.cacheBytes };
  const entries = datasets.filter(({ role, kind }) => role === 'forest-labels' && kind === 'zarr');
  const paths = entries.map(({ path }) => path);
  const listed = entries.map((dataset) => {
    const { path, url = '' } = dataset;
    return wrap(openLabelStore(dataset, { ...(path === undefined ? { store: remote(url) } : local(path)), ...memory }));
  });
  const built = new Map<string, BuiltStore>();

  async function look(path: string, name: string): Promise<BuiltStore | null> {
    const known = built.get(path);
    const version = await fileVersion(join(path, 'zarr.json'));
    if (known?.version === version) return known;
    if (version === '') return null;
    const folder = known?.folder ?? local(path);
    const dataset = await builtDataset(path, name).catch((error: unknown) => {
      reportFailure(path, error);
      return null;
    });
    return { version, folder, source: dataset && wrap(openLabelStore(dataset, { store: folder.store, ...memory })) };
  }

  async function refresh(): Promise<void> {
    const folders = (await storeFolders(dataDir)).filter(({ path }) => !paths.includes(path));
    const found = await Promise.all(folders.map(async ({ path, name }) => [path, await look(path, name)] as const));
    const before = new Map(built);
    built.clear();
    for (const [path, store] of found) if (store !== null) built.set(path, store);
    for (const [path, { folder }] of before) if (!built.has(path)) folder.close();
  }

  let refreshing: Promise<void> | null = null;
  return {
    async current() {
      await (refreshing ??= refresh().finally(() => (refreshing = null)));
      return [...listed, ...[...built.values()].flatMap(({ source }) => source ?? [])];
    },
    async close() {
      await Promise.allSettled(listed.map((source) => source.close()));
      for (const { folder } of built.values()) folder.close();
      built.clear();
    },
  };
}

/** The stores that have been built into a data folder by now, as datasets; what is no store is left out. */
export async function builtStoreDatasets(dataDir: string): Promise<readonly Dataset[]> {
  const folders = await storeFolders(dataDir);
  const found = await Promise.all(folders.map(({ path, name }) => builtDataset(path, name).catch(() => null)));
  return found.filter((dataset) => dataset !== null);
}

/** The folders below `stores` of a data folder, by name. */
export async function storeFolders(dataDir: string): Promise<{ readonly path: string; readonly name: string }[]> {
  const folder = storesFolder({ dataDir });
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, path: join(folder, name) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The dataset that a store in the data folder is; null when nothing was built into it yet. */
async function builtDataset(path: string, name: string): Promise<Dataset | null> {
  const document = await readStoreDocument(path, new AbortController().signal);
  if (document === null || document.entries.length === 0) return null;
  const { version, licence, attribution, synthetic } = document.dataset;
  const years = document.entries.map(({ year }) => year);
  return {
    id: `${name}-labels`,
    role: 'forest-labels',
    kind: 'zarr',
    path,
    coverage: { bbox: [-180, -90, 180, 90] },
    version,
    date: String(Math.max(...years)),
    licence,
    attribution,
    synthetic,
    options: {},
  };
}
