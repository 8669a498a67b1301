import type { FacilitySources } from '../facilities/sources.ts';
import type { DatasetCitation } from '../facilities/summarise.ts';
import type { Log } from '../log.ts';
import { openBuiltIn, openShared, type BuiltIn, type SharedPacks } from '../readers/built-in/built-in.ts';
import type { Dataset } from '../readers/dataset.ts';
import { prepareDataFolder } from './data-folder.ts';
import { datasetInfo, openServiceCatalogue, type CatalogueConfig, type DatasetInfo } from './catalogue.ts';

/** Everything the facility checks know of the world. */
export interface FacilityData {
  readonly sources: FacilitySources;
  readonly datasets: readonly DatasetInfo[];
  /** How a dataset of an answer is cited; null for one that is not in the catalogue. */
  readonly citation: (id: string, version: string) => DatasetCitation | null;
  /** What another thread needs to open the same data over the same memory; resolves when all of it is there. */
  share(): Promise<SharedFacilityData>;
  close(): Promise<void>;
}

export interface SharedFacilityData {
  readonly packs: SharedPacks;
}

/** Opens the data without waiting for what has to be packed first: a question waits for its own dataset alone. */
export async function openFacilityData(
  config: CatalogueConfig,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<FacilityData> {
  prepareDataFolder(config);
  const { datasets } = await openServiceCatalogue(config, log);
  const builtIn = await openBuiltIn({ dataDir: config.dataDir, log, signal });
  return joinData(builtIn, datasets, (what, error) => log.warn({ what, err: error }, 'a source failed'));
}

/** Opens in a thread what `share` gave. */
export function openSharedFacilityData(shared: SharedFacilityData): FacilityData {
  const builtIn = openShared(shared.packs);
  return joinData(builtIn, builtIn.datasets, () => {});
}

function joinData(
  builtIn: BuiltIn,
  datasets: readonly Dataset[],
  reportFailure: NonNullable<FacilitySources['reportFailure']>,
): FacilityData {
  const known = new Map(datasets.map((dataset) => [`${dataset.id} ${dataset.version}`, dataset] as const));
  return {
    sources: { ...NOT_COVERED, ...builtIn.sources, reportFailure },
    datasets: datasets.map(datasetInfo),
    citation(id, version) {
      const dataset = known.get(`${id} ${version}`);
      if (dataset === undefined) return null;
      const { licence, attribution, synthetic } = dataset;
      return { id, version, synthetic, licence, attribution };
    },
    share: async () => ({ packs: await builtIn.share() }),
    close: () => builtIn.close(),
  };
}

/** The questions no dataset answers yet. */
const NOT_COVERED = {
  commodityShare: () => null,
  plantationShare: () => null,
  nearestRoad: () => null,
  buildings: () => null,
  businesses: () => null,
  producer: () => null,
} satisfies Partial<FacilitySources>;
