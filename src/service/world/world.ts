import { isMainThread } from 'node:worker_threads';
import type { FacilitySources } from '../../facilities/sources.ts';
import type { DatasetCitation } from '../../facilities/summarise.ts';
import type { Log } from '../../log.ts';
import { openBuiltIn, openShared, type BuiltIn, type SharedPacks } from '../../readers/built-in/built-in.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openPack } from '../../readers/packs/pack-file.ts';
import type { ProposeColumns } from '../../locations/columns/column-question.ts';
import type { ProseReader } from '../../readers/language-model/read-prose.ts';
import type { LiveGeocoder } from '../../readers/geocoders/live-geocoder.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { datasetInfo, type CatalogueConfig, type DatasetInfo } from '../datasets/catalogue.ts';
import { openAutoData } from '../auto-data/auto-data.ts';
import type { ReadAhead } from '../auto-data/read-ahead.ts';
import { type AutoDataConfig, autoDataConfig } from '../auto-data/auto-data-config.ts';
import { AUTO_ID, autoCitation } from '../auto-data/auto-packs.ts';
import { openRegisterFetcher, type RegisterFetchConfig } from '../datasets/fetch-registers.ts';
import { recordFetches } from '../outside/fetched-contracts.ts';
import { openDetection, type Detection } from '../detection/detection.ts';
import { areModelsFetched, openModelFetcher, type ModelFetchConfig } from '../models/fetch-models.ts';
import type { FetchLog } from '../outside/fetch-once.ts';
import { Unfetched } from '../outside/unfetched.ts';
import { openForestChecker, type ForestChecker } from '../forest/check.ts';
import { followSharedData } from '../shared-data/follow-shared-data.ts';
import type { SharedDataConfig } from '../shared-data/sync-data.ts';
import { findBeyondLast } from './find-beyond.ts';
import { openInstalledData, sharedInstalledData, type InstalledData } from './installed-data.ts';
import type { LiveDatasetConfig } from './live-datasets.ts';
import { createLiveState, openLive, type LiveConfig, type LiveSources, type LiveState } from './live-sources.ts';
import { openSharedPackData, type PackConfig, type PackData, type SharedPackData } from './packs-data.ts';
import { layerSources } from './source-layers.ts';
import { waterAtSea } from './water-at-sea.ts';

/** Everything the facility checks know of the world. */
export interface World {
  readonly sources: FacilitySources;
  /** Fetches what places of a batch need before their checks begin; absent where nothing is fetched. */
  readonly fetchAhead?: ReadAhead;
  /** Looks for deforestation on plots. */
  readonly forest: Pick<ForestChecker, 'check'>;
  /** Names of built-in places. */
  readonly places: BuiltIn['places'];
  /** Geocoders on the network that are set up. */
  readonly geocoders: readonly LiveGeocoder[];
  /** Finds places in prose; absent when no language model is set up. */
  readonly readProse?: ProseReader;
  /** Proposes fields for columns; absent when no language model is set up. */
  readonly proposeColumns?: ProposeColumns;
  /** The catalogue as of the last `refresh`. */
  readonly datasets: readonly DatasetInfo[];
  /** The same as readers take it; the same object while nothing changes. */
  readonly catalogue: readonly Dataset[];
  /** The layers of regional packs, to be drawn; as of the last `refresh`. */
  readonly layers: PackData['layers'];
  /** How a dataset of an answer is cited; null for one that is not in the catalogue. */
  readonly citation: (id: string, version: string) => DatasetCitation | null;
  /** Resolves when all of the data is there, so that `shareNow` will not wait for what has to be packed or loaded first. */
  readonly present: Promise<void>;
  /** What another thread needs to open the same data over the same memory; resolves when all of it is there. */
  share(): Promise<SharedWorld>;
  /** The same without waiting for packs that are being loaded; the same object while nothing changes. */
  shareNow(): Promise<SharedWorld>;
  /** Looks whether packs, registries, models or the operator's catalogue have changed, and if so opens what is there now. Call it before each batch. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface SharedWorld {
  readonly packs: SharedPacks;
  readonly regional: SharedPackData;
  readonly datasets: readonly Dataset[];
  readonly live: { readonly config: LiveConfig; readonly state: LiveState };
  /** The packs of producer registries. */
  readonly registries: readonly SharedArrayBuffer[];
  readonly detection: Detection['share'];
  /** What map data is fetched with; null where none is. */
  readonly auto: AutoDataConfig | null;
  /** What is fetched when it is first needed. */
  readonly fetching: FetchingConfig;
}

type FetchingConfig = ModelFetchConfig & RegisterFetchConfig;

/** Opens the data without waiting for what has to be packed first: a question waits for its own dataset alone. */
export async function openWorld(
  config: CatalogueConfig &
    LiveConfig &
    LiveDatasetConfig &
    PackConfig &
    Detection['share']['config'] &
    Partial<AutoDataConfig> &
    FetchingConfig &
    SharedDataConfig,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<World> {
  prepareDataFolder(config);
  const live = openLive(config, createLiveState(config));
  const shared = await followSharedData(config, log, signal);
  const installed = await openInstalledData(config, live.registries, log, shared?.follow);
  const builtIn = await openBuiltIn({ dataDir: config.dataDir, log, signal });
  const reportFailure: Report = (what, error) => log.warn({ what, err: error }, 'a source failed');
  return joinData({
    builtIn,
    installed,
    live,
    reportFailure,
    auto: autoDataConfig(config),
    log,
    fetching: fetchConfigOf(config),
    ...(shared === null ? {} : { closeShared: shared.close }),
  });
}

/** Opens in a thread what `share` gave; `reportFailure` is called with every source that failed. */
export function openSharedWorld(shared: SharedWorld, reportFailure: Report = () => {}): World {
  const builtIn = openShared(shared.packs);
  const regional = openSharedPackData(shared.datasets, shared.regional);
  const live = openLive(shared.live.config, shared.live.state);
  const installed = {
    datasets: shared.datasets,
    regional,
    registries: shared.registries.map(openPack),
    detection: openDetection(shared.detection),
    forest: openForestChecker(shared.datasets, shared.detection.config, reportFailure),
  };
  return joinData({
    builtIn,
    installed: sharedInstalledData(installed, live.registries),
    live,
    reportFailure,
    auto: shared.auto,
    fetching: shared.fetching,
    log: { info: () => {}, warn: (fields, words) => reportFailure(words, fields['err']) },
  });
}

/** The part of the settings that is handed to threads. */
function fetchConfigOf(config: FetchingConfig): FetchingConfig {
  const { dataDir, checkTimeoutMs, publicData, autoData, models, modelsUrl, millListUrl } = config;
  return { dataDir, checkTimeoutMs, publicData, autoData, models, modelsUrl, millListUrl };
}

type Report = NonNullable<FacilitySources['reportFailure']>;

interface Joined {
  readonly builtIn: BuiltIn;
  readonly installed: InstalledData;
  readonly live: LiveSources;
  readonly reportFailure: Report;
  readonly auto: AutoDataConfig | null;
  readonly log: FetchLog;
  readonly fetching: FetchingConfig;
  readonly closeShared?: () => Promise<void>;
}

/** Live services stand before what is built in, which is coarse, and after every pack. */
function joinData(parts: Joined): World {
  const { builtIn, installed, live, reportFailure: report } = parts;
  const reportFailure: Report = (what, error) => {
    // Whoever fetches it has logged what is wrong, if anything is.
    if (!(error instanceof Unfetched)) report(what, error);
  };
  const known = trackDatasets(installed);
  const { auto, models, registers } = openFetchers(parts, known.learn);
  const layers = [
    // Before the packs, which find what registries list as well.
    ...(registers === null ? [] : [registers.sources]),
    installed.regional,
    ...(auto === null ? [] : [auto.sources]),
    ...(models === null ? [] : [models.sources]),
    installed.detection,
    ...live.layers,
    builtIn.sources,
    installed.producers,
  ];
  const layered = layerSources(layers, reportFailure);
  const nearestWater = waterAtSea(layered.nearestWater, builtIn.sources.nearestWater);
  const shareNow = createShareNow(parts);
  return {
    sources: {
      ...layered,
      ...findBeyondLast({ ...layered, nearestWater }, installed.beyond, reportFailure),
      countryCode: builtIn.sources.countryCode,
      surface: builtIn.sources.surface,
      ...(live.comment === undefined ? {} : { comment: live.comment }),
      reportFailure,
    },
    ...(auto === null ? {} : { fetchAhead: auto.ahead }),
    forest: installed.forest,
    places: builtIn.places,
    geocoders: live.geocoders,
    ...(live.readProse === undefined ? {} : { readProse: live.readProse }),
    ...(live.proposeColumns === undefined ? {} : { proposeColumns: live.proposeColumns }),
    get datasets() {
      return known.infos();
    },
    get catalogue() {
      return installed.current().datasets;
    },
    get layers() {
      return installed.current().regional.layers;
    },
    citation: known.citation,
    get present() {
      return Promise.all([builtIn.present, installed.current().regional.loaded]).then(() => undefined);
    },
    async share() {
      await installed.current().regional.loaded;
      return shareNow();
    },
    shareNow,
    async refresh() {
      await installed.refresh();
      known.learn();
    },
    async close() {
      await Promise.all([models?.close(), registers?.close()]);
      await Promise.all([builtIn.close(), installed.close(), auto?.close()]);
      await parts.closeShared?.();
    },
  };
}

/** What is fetched when it is first needed: map data, models, registers. `learn` is called when the catalogue has become longer. */
function openFetchers({ builtIn, installed, auto: autoConfig, log, fetching }: Joined, learn: () => void) {
  const onFetched = recordFetches(fetching, autoConfig);
  const auto =
    autoConfig === null
      ? null
      : openAutoData(autoConfig, {
          log,
          onFetched: (error) => onFetched(AUTO_ID, error),
          inThread: isMainThread,
          isCovered: (roles, lon, lat) =>
            installed
              .current()
              .regional.layers.some(({ role, ground }) => roles.includes(role) && ground.holds(lon, lat)),
        });
  const models = areModelsFetched(fetching)
    ? openModelFetcher(fetching, {
        data: () => installed.current().detection.share,
        renew: async () => {
          await installed.renewModels();
          learn();
        },
        log,
        onFetched,
      })
    : null;
  const registers = openRegisterFetcher(fetching, {
    has: (id) => installed.current().registries.some(({ header }) => header.dataset === id),
    whereabouts: builtIn.sources.whereabouts,
    renew: async () => {
      await installed.renewRegistries();
      learn();
    },
    log,
    onFetched,
  });
  return { auto, models, registers };
}

/** The datasets of the catalogue, and those that were in it since this began. */
function trackDatasets(installed: InstalledData) {
  // Those of packs that were removed stay, for batches that began with them.
  const known = new Map<string, Dataset>();
  let described: { of: readonly Dataset[] | null; infos: readonly DatasetInfo[] } = { of: null, infos: [] };
  const learn = (): void => {
    for (const dataset of installed.current().datasets) known.set(keyOf(dataset.id, dataset.version), dataset);
  };
  learn();
  return {
    learn,
    /** The same list while nothing changes. */
    infos(): readonly DatasetInfo[] {
      const { datasets } = installed.current();
      if (described.of !== datasets) described = { of: datasets, infos: datasets.map(datasetInfo) };
      return described.infos;
    },
    citation(id: string, version: string): DatasetCitation | null {
      // A live service has the day of its answer for a version, and one entry for all days.
      const dataset = known.get(keyOf(id, version)) ?? known.get(keyOf(id, 'live'));
      if (dataset === undefined) return autoCitation(id, version);
      const { licence, attribution, synthetic } = dataset;
      return { id, version, synthetic, licence, attribution };
    },
  };
}

/** What another thread needs; the same object while nothing changes. */
function createShareNow({ builtIn, installed, live, auto, fetching }: Joined): World['shareNow'] {
  let last: SharedWorld | null = null;
  return async () => {
    const packs = await builtIn.share();
    const { regional, datasets, registries, detection } = installed.current();
    const now = regional.shareNow();
    const isSame = last?.datasets === datasets && last.regional.memories.length === now.memories.length;
    if (last === null || !isSame)
      last = {
        packs,
        regional: now,
        datasets,
        live: live.share,
        registries: registries.map(({ buffer }) => buffer),
        detection: detection.share,
        auto,
        fetching,
      };
    return last;
  };
}

function keyOf(id: string, version: string): string {
  return `${id} ${version}`;
}
