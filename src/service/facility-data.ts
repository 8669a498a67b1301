import type { FacilitySources } from '../facilities/sources.ts';
import type { DatasetCitation } from '../facilities/summarise.ts';
import type { Log } from '../log.ts';
import { openBuiltIn, openShared, type BuiltIn, type SharedPacks } from '../readers/built-in/built-in.ts';
import type { Dataset } from '../readers/dataset.ts';
import { prepareDataFolder } from './data-folder.ts';
import { datasetInfo, openServiceCatalogue, type CatalogueConfig, type DatasetInfo } from './catalogue.ts';
import type { LiveDatasetConfig } from './live-datasets.ts';
import { createLiveState, openLive, type LiveConfig, type LiveSources, type LiveState } from './live-sources.ts';
import { layerSources } from './source-layers.ts';

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
  readonly datasets: readonly Dataset[];
  readonly live: { readonly config: LiveConfig; readonly state: LiveState };
}

/** Opens the data without waiting for what has to be packed first: a question waits for its own dataset alone. */
export async function openFacilityData(
  config: CatalogueConfig & LiveConfig & LiveDatasetConfig,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<FacilityData> {
  prepareDataFolder(config);
  const { datasets } = await openServiceCatalogue(config, log);
  const builtIn = await openBuiltIn({ dataDir: config.dataDir, log, signal });
  const live = openLive(config, createLiveState(config));
  const reportFailure: Report = (what, error) => log.warn({ what, err: error }, 'a source failed');
  return joinData({ builtIn, live, datasets, reportFailure });
}

/** Opens in a thread what `share` gave. */
export function openSharedFacilityData(shared: SharedFacilityData): FacilityData {
  const builtIn = openShared(shared.packs);
  const live = openLive(shared.live.config, shared.live.state);
  return joinData({ builtIn, live, datasets: shared.datasets, reportFailure: () => {} });
}

type Report = NonNullable<FacilitySources['reportFailure']>;

interface Joined {
  readonly builtIn: BuiltIn;
  readonly live: LiveSources;
  readonly datasets: readonly Dataset[];
  readonly reportFailure: Report;
}

/** Live services stand before what is built in, which is coarse, and behind every pack. */
function joinData({ builtIn, live, datasets, reportFailure }: Joined): FacilityData {
  const known = new Map(datasets.map((dataset) => [keyOf(dataset.id, dataset.version), dataset] as const));
  const layers = [...live.layers, builtIn.sources];
  return {
    sources: { ...layerSources(layers, reportFailure), countryCode: builtIn.sources.countryCode, reportFailure },
    datasets: datasets.map(datasetInfo),
    citation(id, version) {
      // A live service has the day of its answer for a version, and one entry for all days.
      const dataset = known.get(keyOf(id, version)) ?? known.get(keyOf(id, 'live'));
      if (dataset === undefined) return null;
      const { licence, attribution, synthetic } = dataset;
      return { id, version, synthetic, licence, attribution };
    },
    share: async () => ({ packs: await builtIn.share(), datasets, live: live.share }),
    close: () => builtIn.close(),
  };
}

function keyOf(id: string, version: string): string {
  return `${id} ${version}`;
}
