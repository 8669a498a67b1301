import { stat } from 'node:fs/promises';
import type { Log } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { SAMPLE_PACK_IDS } from '../../readers/sample-district/sample-datasets.ts';
import { datasetInfo, openServiceCatalogue, type CatalogueConfig, type DatasetInfo } from './catalogue.ts';
import { listAutoData } from '../auto-data/list-auto-data.ts';
import { builtStoreDatasets } from '../labels/label-store.ts';
import type { LiveDatasetConfig } from '../world/live-datasets.ts';

/** A dataset as an operator is shown it. */
export interface ListedDataset extends DatasetInfo {
  /** The pack it belongs to, whose name its id begins with; null for one of its own. */
  readonly pack: string | null;
  /** Features in it; null where that is not counted. */
  readonly features: number | null;
  /** Bytes of its file; null for what is no file of the operator's, or a folder of many. */
  readonly bytes: number | null;
}

/** Every dataset the answers come from, in the order of the catalogue; throws `ConfigError` for a faulty one. */
export async function listDatasets(
  config: CatalogueConfig & LiveDatasetConfig,
  log: Log,
): Promise<readonly ListedDataset[]> {
  const { datasets } = await openServiceCatalogue(config, log);
  const own = await Promise.all([...datasets, ...(await builtStoreDatasets(config.dataDir))].map(listed));
  return [...own, ...(await listAutoData(config))];
}

async function listed(dataset: Dataset): Promise<ListedDataset> {
  const { features } = dataset.options;
  return {
    ...datasetInfo(dataset),
    pack: packOf(dataset),
    features: typeof features === 'number' ? features : null,
    bytes: dataset.path === undefined ? null : await fileBytes(dataset.path),
  };
}

function packOf({ id, options }: Dataset): string | null {
  if (SAMPLE_PACK_IDS.has(id)) return 'sample-district';
  return typeof options['pack'] === 'string' ? options['pack'] : null;
}

/** Null for a folder and for a file that is not there yet. */
async function fileBytes(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}
