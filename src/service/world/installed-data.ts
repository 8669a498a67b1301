import { join } from 'node:path';
import type { Log } from '../../log.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { Pack } from '../../readers/packs/pack-file.ts';
import { openRegistry, type Registry } from '../../readers/producers/open-registry.ts';
import type { RemoteRegistry } from '../../readers/producers/remote-registries.ts';
import { DISTRICT } from '../../readers/sample-district/district.ts';
import { isSampleRegistry, sampleRegistry } from '../../readers/sample-district/sample-producers.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { openServiceCatalogue, type CatalogueConfig } from '../datasets/catalogue.ts';
import { detectionData, openDetection, type Detection } from '../detection/detection.ts';
import { installedHeads, headPaths, modelDatasets } from '../models/installed-models.ts';
import { findProducer, MATCH_RULES } from '../datasets/find-producer.ts';
import { findRegistered } from '../datasets/find-registered.ts';
import { openForestChecker, type ForestChecker } from '../forest/check.ts';
import type { LiveDatasetConfig } from './live-datasets.ts';
import { openPackData, type PackConfig, type PackData } from './packs-data.ts';
import { openRegistryPacks, registryDatasets, registryIds, registryPath } from '../datasets/registries.ts';
import type { SourceLayer } from './source-layers.ts';
import type { Config } from '../../config/settings.ts';
import { MANIFEST_FILE } from '../../readers/packs/manifest.ts';
import { fileVersion } from './file-version.ts';
import { createRenewableParts } from './renewable.ts';
import { packNames, packsFolder } from '../datasets/pack-folder.ts';

type InstalledConfig = CatalogueConfig & LiveDatasetConfig & PackConfig & Detection['share']['config'];

/** What can be imported, installed, listed and removed while the service runs, as it was at one time. */
interface Installed {
  /** The whole catalogue. */
  readonly datasets: readonly Dataset[];
  readonly regional: PackData;
  readonly registries: readonly Pack[];
  readonly detection: Detection;
  readonly forest: ForestChecker;
}

/**
 * The regional packs, producer registries and detection models of a data folder, and the datasets of the operator's catalogue.
 * Queries go to those that are there at the time.
 */
export interface InstalledData {
  readonly regional: SourceLayer;
  /** What regional packs find for places beyond their ground. */
  readonly beyond: SourceLayer;
  readonly producers: SourceLayer;
  readonly detection: SourceLayer;
  readonly forest: Pick<ForestChecker, 'check'>;
  current(): Installed;
  /**
   * Looks whether anything was imported, installed, listed or removed, and if so opens what is there now. Questions under way end with what they began. Never
   * rejects: what cannot be looked at or opened is logged, and what was known before answers.
   */
  refresh(): Promise<void>;
  /** The same for detection models alone, also where nothing else is looked for. */
  renewModels(): Promise<void>;
  /** The same for producer registries alone. */
  renewRegistries(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds that what was replaced stays open, for those who read its layers themselves. */
const GRACE_MS = 30_000;
/** Milliseconds after which what could not be opened is tried again. */
const RETRY_MS = 60_000;

interface Generation extends Installed {
  readonly seen: InstalledState;
  readonly sources: {
    readonly regional: SourceLayer;
    readonly beyond: SourceLayer;
    readonly producers: SourceLayer;
    readonly detection: SourceLayer;
  };
}

/**
 * Opens what is installed. `remotes` are the registries on the network, queried after those that are installed; `beforeLook` may
 * change what is.
 */
export async function openInstalledData(
  config: InstalledConfig,
  remotes: readonly RemoteRegistry[],
  log: Log,
  beforeLook: () => Promise<void> = () => Promise.resolve(),
): Promise<InstalledData> {
  let seen = await seeInstalled(config);
  const generations = createRenewableParts<InstalledState, Generation>({
    look: async () => {
      try {
        await beforeLook();
        seen = await seeInstalled(config);
      } catch (error) {
        log.warn({ err: error }, 'it cannot be seen what is installed; what was known before answers');
      }
      return seen;
    },
    isSame: isSameState,
    async open(found, before) {
      const opened = await openGeneration(config, remotes, log, found, before);
      if (before !== null) log.info({ datasets: opened.datasets.length }, 'what is installed or listed has changed');
      return opened;
    },
    async close(generation, others) {
      const inUse = new Set(others.flatMap(partsOf));
      await closeAll(partsOf(generation).filter((part) => !inUse.has(part)));
    },
    onFault: (error) =>
      log.error({ err: error }, 'what was installed or listed cannot be opened; what was known before answers'),
    retryMs: RETRY_MS,
    graceMs: GRACE_MS,
  });
  await generations.refresh();

  const following = (questions: readonly (keyof SourceLayer)[], part: keyof Generation['sources']): SourceLayer =>
    forwarded(questions, (question, args) =>
      generations.answer(({ sources }) => (sources[part][question] as (...args: never[]) => unknown)(...args)),
    );
  return {
    regional: following(REGIONAL, 'regional'),
    beyond: following(BEYOND, 'beyond'),
    producers: following(['producer'], 'producers'),
    detection: following(DETECTED, 'detection'),
    forest: { check: async (plots, signal) => await generations.answer(({ forest }) => forest.check(plots, signal)) },
    current: () => generations.current()!,
    refresh: generations.refresh,
    renewModels: generations.refresh,
    renewRegistries: generations.refresh,
    close: generations.close,
  };
}

type Closable = Installed['regional'] | Detection | ForestChecker;

function partsOf({ regional, detection, forest }: Installed): readonly Closable[] {
  return [regional, detection, forest];
}

async function closeAll(parts: Iterable<Closable>): Promise<void> {
  await Promise.all([...parts].map((part) => part.close()));
}

/** What was opened elsewhere, as it is: nothing is looked for but models and registries, and those only when somebody says so. */
export function sharedInstalledData(opened: Installed, remotes: readonly RemoteRegistry[]): InstalledData {
  let installed = opened;
  let sources = sourcesOf(installed, remotes);
  const replaced: Detection[] = [];
  const following = (questions: readonly (keyof SourceLayer)[], part: 'regional' | 'producers'): SourceLayer =>
    forwarded(questions, (question, args) => (sources[part][question] as (...args: never[]) => unknown)(...args));
  return {
    ...sources,
    regional: following(REGIONAL, 'regional'),
    producers: following(['producer'], 'producers'),
    detection: forwarded(DETECTED, (question, args) =>
      (installed.detection.sources[question as (typeof DETECTED)[number]] as (...args: never[]) => unknown)(...args),
    ),
    forest: installed.forest,
    current: () => installed,
    refresh: () => Promise.resolve(),
    async renewModels() {
      const { share } = installed.detection;
      const heads = await installedHeads(share.config);
      if (heads.every(({ id }) => share.heads.some((head) => head.id === id))) return;
      replaced.push(installed.detection);
      const known = new Set(installed.datasets.map(({ id }) => id));
      const datasets = [
        ...installed.datasets,
        ...(await modelDatasets(share.config)).filter(({ id }) => !known.has(id)),
      ];
      installed = { ...installed, datasets, detection: openDetection(detectionData(heads, datasets, share.config)) };
    },
    async renewRegistries() {
      const { config } = installed.detection.share;
      const opened = new Set(installed.registries.map(({ header }) => header.dataset));
      const packs = (await openRegistryPacks(config, () => {})).filter(({ header }) => !opened.has(header.dataset));
      if (packs.length === 0) return;
      const known = new Set(installed.datasets.map(({ id }) => id));
      const datasets = [...installed.datasets, ...(await registryDatasets(config)).filter(({ id }) => !known.has(id))];
      installed = { ...installed, datasets, registries: [...installed.registries, ...packs] };
      sources = sourcesOf(installed, remotes);
    },
    close: () => closeAll([...partsOf(installed), ...replaced]),
  };
}

const REGIONAL = [
  'nearestRoad',
  'nearestWater',
  'nearestPort',
  'buildings',
  'businesses',
  'density',
] as const satisfies readonly (keyof SourceLayer)[];
const BEYOND = REGIONAL.filter((question) => question !== 'density');
const DETECTED = ['commodityShare', 'plantationShare', 'density'] as const satisfies readonly (keyof SourceLayer)[];

/** Opens what there is now; what `before` has opened of files that have not changed is used again. */
async function openGeneration(
  config: InstalledConfig,
  remotes: readonly RemoteRegistry[],
  log: Log,
  seen: InstalledState,
  before: Generation | null,
): Promise<Generation> {
  const { datasets } = await openServiceCatalogue(config, log);
  const registries = await openRegistryPacks(config, (registry, reason) =>
    log.error({ registry, reason }, 'a producer registry cannot be used; import it again'),
  );
  const isListed = before !== null && before.seen.catalogue === seen.catalogue;
  const detection =
    isListed && before.seen.models === seen.models
      ? before.detection
      : openDetection(detectionData(await installedHeads(config), datasets, config));
  const forest = isListed
    ? before.forest
    : openForestChecker(datasets, detection.share.config, (what, error) =>
        log.warn({ what, err: error }, 'a source failed'),
      );
  const regional = openPackData(datasets, config, log, before?.regional ?? null);
  const sample = config.sampleDistrict ? [sampleRegistry()] : [];
  const installed = { datasets, regional, registries: [...registries, ...sample], detection, forest };
  return { ...installed, seen, sources: sourcesOf(installed, remotes) };
}

function sourcesOf(
  { regional, registries, detection }: Installed,
  remotes: readonly RemoteRegistry[],
): Generation['sources'] {
  const locals = registries.map((pack) => {
    const registry = openRegistry(pack, MATCH_RULES);
    return isSampleRegistry(pack) ? inDistrict(registry) : registry;
  });
  return {
    regional: { ...regional.sources, businesses: findRegistered(regional.sources.businesses, locals) },
    beyond: regional.beyond,
    producers: { producer: findProducer(locals, remotes) },
    detection: detection.sources,
  };
}

/** A made-up registry must not say of a real place around the district that its producer is in no list. */
function inDistrict(registry: Registry): Registry {
  const [west, south, east, north] = DISTRICT.bbox;
  const covers = ({ inside: [lon, lat] }: Shape): boolean => lon >= west && lon <= east && lat >= south && lat <= north;
  return { ...registry, covers };
}

/** Sources that hand each question on. */
function forwarded(
  questions: readonly (keyof SourceLayer)[],
  query: (question: keyof SourceLayer, args: never[]) => unknown,
): SourceLayer {
  const forward = (question: keyof SourceLayer) => [question, (...args: never[]) => query(question, args)] as const;
  return Object.fromEntries(questions.map(forward)) as SourceLayer;
}

/** What is installed and listed, each part as a text that changes whenever something of it is put in its place or removed. */
interface InstalledState {
  /** Regional packs and producer registries. */
  readonly packs: string;
  readonly models: string;
  /** The operator's file; not the files that it names. */
  readonly catalogue: string;
}

async function seeInstalled(config: Pick<Config, 'dataDir' | 'catalogue'>): Promise<InstalledState> {
  const packs = (await packNames(config)).map((name) => join(packsFolder(config), name, MANIFEST_FILE));
  const registries = (await registryIds(config)).map((id) => registryPath(config, id));
  return {
    packs: await versionsOf([...packs, ...registries]),
    models: await versionsOf(await headPaths(config)),
    catalogue: await versionsOf(config.catalogue === null ? [] : [config.catalogue]),
  };
}

function isSameState(one: InstalledState, other: InstalledState): boolean {
  return one.packs === other.packs && one.models === other.models && one.catalogue === other.catalogue;
}

async function versionsOf(paths: readonly string[]): Promise<string> {
  const versions = await Promise.all(paths.map(async (path) => `${path} ${await fileVersion(path)}`));
  return versions.join('\n');
}
