import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Dataset } from '../readers/dataset.ts';
import { labelFolder } from '../readers/label-store/label-folder.ts';
import type { LabelSource } from '../readers/label-store/label-source.ts';
import { openLabelStore } from '../readers/label-store/open-label-store.ts';
import { readStoreDocument } from '../readers/label-store/write-label-store.ts';
import type { ZarrStore } from '../readers/zarr/zarr-store.ts';

/** Where the stores that this installation built are, a folder each, named after the dataset of embeddings. */
export function storesFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'stores');
}

export interface LabelStoresDeps {
  readonly dataDir: string;
  /** The files of a store behind an address. */
  remote(url: string): ZarrStore;
  /** Told of a folder of the data folder that holds no store. */
  reportFailure?(what: string, error: unknown): void;
}

/**
 * The label stores of the catalogue (role `forest-labels`), in its order, then those that were built into the data folder,
 * which need no entry. Nothing of a catalogue's store is read before the first lookup.
 */
export async function openLabelStores(
  datasets: readonly Dataset[],
  { dataDir, remote, reportFailure = () => {} }: LabelStoresDeps,
): Promise<readonly LabelSource[]> {
  const listed = datasets.filter(({ role, kind }) => role === 'forest-labels' && kind === 'zarr');
  const open = (dataset: Dataset): LabelSource =>
    openLabelStore(
      dataset,
      dataset.path === undefined ? { store: remote(dataset.url ?? '') } : labelFolder(dataset.path),
    );
  const paths = listed.map(({ path }) => path);
  const built: Dataset[] = [];
  for (const { path, name } of await storeFolders(dataDir)) {
    if (paths.includes(path)) continue;
    try {
      const dataset = await builtDataset(path, name);
      if (dataset !== null) built.push(dataset);
    } catch (error) {
      reportFailure(path, error);
    }
  }
  return [...listed, ...built].map(open);
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
