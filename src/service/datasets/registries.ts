import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import type { Commodity } from '../../facilities/commodity/commodities.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { readPack, readPackHeader, writePack, type Pack } from '../../readers/packs/pack-file.ts';
import { hashFile } from '../../readers/packs/write-pack.ts';
import { buildRegistry } from '../../readers/producers/build-registry.ts';
import { readRecords, type ReadOptions, type RecordsRead } from '../../readers/producers/read-records.ts';
import { REGISTRY_LAYOUT, type RegistryMeta } from '../../readers/producers/registry.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';

type DataFolder = Pick<Config, 'dataDir'>;

const SUFFIX = '.registry';

/** Where the producer registries of a data folder are. */
function registriesFolder({ dataDir }: DataFolder): string {
  return join(dataDir, 'registries');
}

/** An installed registry as the catalogue lists it; `options.title` is how comments call it. */
export async function registryDatasets(config: DataFolder): Promise<readonly Dataset[]> {
  const datasets: Dataset[] = [];
  for (const id of await registryIds(config)) {
    const path = registryPath(config, id);
    const header = await readPackHeader(path);
    if (header?.key !== REGISTRY_LAYOUT) continue;
    datasets.push(datasetOf(id, path, header.meta as RegistryMeta));
  }
  return datasets;
}

/** The installed registries, ready to be searched; one that is damaged is left out and reported. */
export async function openRegistryPacks(
  config: DataFolder,
  report: (id: string, reason: string) => void,
): Promise<readonly Pack[]> {
  const packs: Pack[] = [];
  for (const id of await registryIds(config)) {
    const reading = await readPack(registryPath(config, id), id, REGISTRY_LAYOUT);
    if (reading.pack === null) report(id, reading.reason);
    else packs.push(reading.pack);
  }
  return packs;
}

interface RegistryImport extends ReadOptions {
  /** A CSV, TSV, XLSX, GeoJSON, KML, GeoPackage, GeoParquet file or a zipped shapefile. */
  readonly path: string;
  readonly id: string;
  /** How comments call the registry. */
  readonly title: string;
  /** Null takes the beginning of a hash of the file. */
  readonly version: string | null;
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  /** Of whose chains the records are; empty when it is not stated. */
  readonly commodities: readonly Commodity[];
  /** Throws when what was read is not what is wanted; then nothing is kept. */
  readonly expect?: (read: RecordsRead) => void;
}

export interface ImportedRegistry extends RecordsRead {
  readonly dataset: Dataset;
}

/** Makes a registry of a list of producers, in place of one of the same id. One that fails or is stopped leaves everything as it was. */
export async function importRegistry(
  config: DataFolder,
  { path, id, version, ...request }: RegistryImport,
  signal: AbortSignal,
): Promise<ImportedRegistry> {
  // The readers of every format there is are of no use to anybody who imports nothing.
  const { openLocationFile } = await import('../../readers/formats/tables/open-location-file.ts');
  const file = await openLocationFile(path);
  if (!('tables' in file))
    throw new Problem('malformed_file', `Wanted a table or GeoJSON of producers, got ${file.format}.`);
  try {
    const read = await readRecords(file, request, signal);
    request.expect?.(read);
    const { title, date, licence, attribution, commodities } = request;
    const about = {
      title,
      date,
      licence,
      attribution,
      synthetic: false,
      version: version ?? (await hashFile(path)).slice(0, 12),
      ...(commodities.length === 0 ? {} : { commodities }),
    };
    const pack = buildRegistry(id, read.records, about);
    signal.throwIfAborted();
    prepareDataFolder(config);
    await writePack(registryPath(config, id), pack);
    return { ...read, dataset: datasetOf(id, registryPath(config, id), pack.header.meta as RegistryMeta) };
  } finally {
    await file.close();
  }
}

/** What is wrong with the file of a registry, or null. Reads it whole. */
export async function registryFault(config: DataFolder, id: string): Promise<string | null> {
  const reading = await readPack(registryPath(config, id), id, REGISTRY_LAYOUT);
  return reading.pack === null ? `${reading.reason}; import it again` : null;
}

/** Removes a registry; false when there is none of that id. */
export async function removeRegistry(config: DataFolder, id: string): Promise<boolean> {
  if (!(await registryIds(config)).includes(id)) return false;
  await rm(registryPath(config, id));
  return true;
}

export function registryPath(config: DataFolder, id: string): string {
  return join(registriesFolder(config), `${id}${SUFFIX}`);
}

/** Names of the installed registries, in order. */
export async function registryIds(config: DataFolder): Promise<readonly string[]> {
  const names = await readdir(registriesFolder(config)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ids = names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  // One may be removed meanwhile.
  const files = await Promise.all(
    ids.map(async (id) => (await stat(registryPath(config, id)).catch(() => null))?.isFile() ?? false),
  );
  return ids.filter((_, i) => files[i]).toSorted();
}

function datasetOf(id: string, path: string, meta: RegistryMeta): Dataset {
  const { version, date, licence, attribution, synthetic, bbox, located, records, title, commodities } = meta;
  return {
    id,
    role: 'producers',
    kind: 'registry',
    path,
    coverage: { bbox: bbox === null || located < records ? [-180, -90, 180, 90] : bbox },
    version,
    date,
    licence,
    attribution,
    synthetic,
    options: { title, records, located, ...(commodities === undefined ? {} : { commodities }) },
  };
}
