import type { FacilitySources } from '../facilities/sources.ts';
import type { DatasetCitation } from '../facilities/summarise.ts';
import type { Log } from '../log.ts';
import { openBuiltIn, openShared, type BuiltIn, type SharedPacks } from '../readers/built-in/built-in.ts';
import type { Dataset } from '../readers/dataset.ts';
import { openPack, type Pack } from '../readers/pack-file.ts';
import type { ProposeColumns } from '../locations/columns/column-question.ts';
import type { ProseReader } from '../readers/language-model/read-prose.ts';
import type { LiveGeocoder } from '../readers/geocoders/live-geocoder.ts';
import { openRegistry } from '../readers/producers/open-registry.ts';
import { prepareDataFolder } from './data-folder.ts';
import { datasetInfo, openServiceCatalogue, type CatalogueConfig, type DatasetInfo } from './catalogue.ts';
import { detectionData, openDetection, type Detection } from './detection.ts';
import { installedHeads } from './detection-models.ts';
import { findProducer, MATCH_RULES } from './find-producer.ts';
import type { LiveDatasetConfig } from './live-datasets.ts';
import { createLiveState, openLive, type LiveConfig, type LiveSources, type LiveState } from './live-sources.ts';
import { openRegistryPacks } from './registries.ts';
import { openPackData, openSharedPackData, type PackConfig, type PackData, type SharedPackData } from './packs-data.ts';
import { layerSources } from './source-layers.ts';

/** Everything the facility checks know of the world. */
export interface FacilityData {
  readonly sources: FacilitySources;
  /** Names of built-in places. */
  readonly places: BuiltIn['places'];
  /** Geocoders on the network that are set up. */
  readonly geocoders: readonly LiveGeocoder[];
  /** Finds places in prose; absent when no language model is set up. */
  readonly readProse?: ProseReader;
  /** Proposes fields for columns; absent when no language model is set up. */
  readonly proposeColumns?: ProposeColumns;
  readonly datasets: readonly DatasetInfo[];
  /** The layers of regional packs, to be drawn. */
  readonly layers: PackData['layers'];
  /** How a dataset of an answer is cited; null for one that is not in the catalogue. */
  readonly citation: (id: string, version: string) => DatasetCitation | null;
  /** What another thread needs to open the same data over the same memory; resolves when all of it is there. */
  share(): Promise<SharedFacilityData>;
  close(): Promise<void>;
}

export interface SharedFacilityData {
  readonly packs: SharedPacks;
  readonly regional: SharedPackData;
  readonly datasets: readonly Dataset[];
  readonly live: { readonly config: LiveConfig; readonly state: LiveState };
  /** The packs of producer registries. */
  readonly registries: readonly SharedArrayBuffer[];
  readonly detection: Detection['share'];
}

/** Opens the data without waiting for what has to be packed first: a question waits for its own dataset alone. */
export async function openFacilityData(
  config: CatalogueConfig & LiveConfig & LiveDatasetConfig & PackConfig & Detection['share']['config'],
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<FacilityData> {
  prepareDataFolder(config);
  const { datasets } = await openServiceCatalogue(config, log);
  const builtIn = await openBuiltIn({ dataDir: config.dataDir, log, signal });
  const regional = openPackData(datasets, config, log);
  const live = openLive(config, createLiveState(config));
  const registries = await openRegistryPacks(config, (registry, reason) =>
    log.error({ registry, reason }, 'a producer registry cannot be used; import it anew'),
  );
  const detection = openDetection(detectionData(await installedHeads(config), datasets, config));
  const reportFailure: Report = (what, error) => log.warn({ what, err: error }, 'a source failed');
  return joinData({ builtIn, regional, live, registries, detection, datasets, reportFailure });
}

/** Opens in a thread what `share` gave. */
export function openSharedFacilityData(shared: SharedFacilityData): FacilityData {
  const builtIn = openShared(shared.packs);
  const regional = openSharedPackData(shared.datasets, shared.regional);
  const live = openLive(shared.live.config, shared.live.state);
  const registries = shared.registries.map(openPack);
  const detection = openDetection(shared.detection);
  return joinData({
    builtIn,
    regional,
    live,
    registries,
    detection,
    datasets: shared.datasets,
    reportFailure: () => {},
  });
}

type Report = NonNullable<FacilitySources['reportFailure']>;

interface Joined {
  readonly builtIn: BuiltIn;
  readonly regional: PackData;
  readonly live: LiveSources;
  readonly registries: readonly Pack[];
  readonly detection: Detection;
  readonly datasets: readonly Dataset[];
  readonly reportFailure: Report;
}

/** Live services stand before what is built in, which is coarse, and behind every pack. */
function joinData({ builtIn, regional, live, registries, detection, datasets, reportFailure }: Joined): FacilityData {
  const known = new Map(datasets.map((dataset) => [keyOf(dataset.id, dataset.version), dataset] as const));
  const locals = registries.map((pack) => openRegistry(pack, MATCH_RULES));
  const producers = { producer: findProducer(locals, live.registries) };
  const layers = [regional.sources, detection.sources, ...live.layers, builtIn.sources, producers];
  return {
    sources: {
      ...layerSources(layers, reportFailure),
      countryCode: builtIn.sources.countryCode,
      ...(live.comment === undefined ? {} : { comment: live.comment }),
      reportFailure,
    },
    places: builtIn.places,
    geocoders: live.geocoders,
    ...(live.readProse === undefined ? {} : { readProse: live.readProse }),
    ...(live.proposeColumns === undefined ? {} : { proposeColumns: live.proposeColumns }),
    datasets: datasets.map(datasetInfo),
    layers: regional.layers,
    citation(id, version) {
      // A live service has the day of its answer for a version, and one entry for all days.
      const dataset = known.get(keyOf(id, version)) ?? known.get(keyOf(id, 'live'));
      if (dataset === undefined) return null;
      const { licence, attribution, synthetic } = dataset;
      return { id, version, synthetic, licence, attribution };
    },
    share: async () => ({
      packs: await builtIn.share(),
      regional: await regional.share(),
      datasets,
      live: live.share,
      registries: registries.map(({ buffer }) => buffer),
      detection: detection.share,
    }),
    async close() {
      await Promise.all([builtIn.close(), regional.close(), detection.close()]);
    },
  };
}

function keyOf(id: string, version: string): string {
  return `${id} ${version}`;
}
