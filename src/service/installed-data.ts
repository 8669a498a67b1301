import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import type { Dataset } from '../readers/dataset.ts';
import type { Pack } from '../readers/pack-file.ts';
import { MANIFEST_FILE } from '../readers/packs/manifest.ts';
import { openRegistry, type Registry } from '../readers/producers/open-registry.ts';
import type { RemoteRegistry } from '../readers/producers/remote-registries.ts';
import { DISTRICT } from '../readers/sample-district/district.ts';
import { isSampleRegistry, sampleRegistry } from '../readers/sample-district/sample-producers.ts';
import type { Shape } from '../geo/shape.ts';
import { openServiceCatalogue, type CatalogueConfig } from './catalogue.ts';
import { findProducer, MATCH_RULES } from './find-producer.ts';
import type { LiveDatasetConfig } from './live-datasets.ts';
import { openPackData, type PackConfig, type PackData } from './packs-data.ts';
import { packNames, packsFolder } from './packs.ts';
import { openRegistryPacks, registryIds, registryPath } from './registries.ts';
import type { SourceLayer } from './source-layers.ts';

export type InstalledConfig = CatalogueConfig & LiveDatasetConfig & PackConfig;

/** What can be imported and removed while the service runs, as it was at one time. */
export interface Installed {
  /** The whole catalogue. */
  readonly datasets: readonly Dataset[];
  readonly regional: PackData;
  readonly registries: readonly Pack[];
}

/** The regional packs and producer registries of a data folder. Questions go to those that are installed when they are asked. */
export interface InstalledData {
  readonly regional: SourceLayer;
  readonly producers: SourceLayer;
  current(): Installed;
  /**
   * Looks whether anything was imported or removed, and if so opens what is there now. Questions under way end with what they began. Never
   * rejects: what cannot be looked at or opened is told to the log, and what was known before answers.
   */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds that what was replaced stays open, for those who read its layers themselves. */
const GRACE_MS = 30_000;

interface Generation extends Installed {
  readonly sources: { readonly regional: SourceLayer; readonly producers: SourceLayer };
  /** Questions that wait for an answer. */
  pending: number;
  close(): Promise<void>;
}

/** Opens what is installed. `remotes` are the registries on the network, asked after those that are installed. */
export async function openInstalledData(
  config: InstalledConfig,
  remotes: readonly RemoteRegistry[],
  log: Log,
): Promise<InstalledData> {
  let signature = await signatureOf(config);
  let generation = await openGeneration(config, remotes, log, null);
  const replaced = new Map<Generation, NodeJS.Timeout>();
  let refreshing: Promise<void> | null = null;
  let closed = false;

  async function look(): Promise<void> {
    const found = await signatureOf(config).catch((error: unknown) => {
      log.warn({ err: error }, 'it cannot be seen which packs and registries are installed; those known before answer');
      return signature;
    });
    if (found === signature || closed) return;
    const before = generation;
    try {
      generation = await openGeneration(config, remotes, log, before.regional);
    } catch (error) {
      // The packs before it go on answering; the next change is looked at again.
      log.error({ err: error }, 'what was imported or removed cannot be opened');
      signature = found;
      return;
    }
    signature = found;
    log.info({ datasets: generation.datasets.length }, 'the packs and registries that are installed have changed');
    retire(before);
  }

  function retire(old: Generation): void {
    const timer = setTimeout(() => {
      if (old.pending > 0) retire(old);
      else {
        replaced.delete(old);
        old.close().catch((error: unknown) => log.warn({ err: error }, 'a replaced pack cannot be closed'));
      }
    }, GRACE_MS);
    timer.unref();
    replaced.set(old, timer);
  }

  return {
    regional: following(REGIONAL, () => generation, 'regional'),
    producers: following(['producer'], () => generation, 'producers'),
    current: () => generation,
    refresh: () => (refreshing ??= look().finally(() => (refreshing = null))),
    async close() {
      closed = true;
      await refreshing;
      for (const timer of replaced.values()) clearTimeout(timer);
      await Promise.all([generation, ...replaced.keys()].map((each) => each.close()));
    },
  };
}

/** What was opened elsewhere, as it is: nothing is looked for. */
export function sharedInstalledData(installed: Installed, remotes: readonly RemoteRegistry[]): InstalledData {
  const { regional, producers } = sourcesOf(installed, remotes);
  return {
    regional,
    producers,
    current: () => installed,
    refresh: () => Promise.resolve(),
    close: () => installed.regional.close(),
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

async function openGeneration(
  config: InstalledConfig,
  remotes: readonly RemoteRegistry[],
  log: Log,
  before: PackData | null,
): Promise<Generation> {
  const { datasets } = await openServiceCatalogue(config, log);
  const registries = await openRegistryPacks(config, (registry, reason) =>
    log.error({ registry, reason }, 'a producer registry cannot be used; import it anew'),
  );
  const regional = openPackData(datasets, config, log, before);
  const sample = config.sampleDistrict ? [sampleRegistry()] : [];
  const installed = { datasets, regional, registries: [...registries, ...sample] };
  return { ...installed, sources: sourcesOf(installed, remotes), pending: 0, close: () => regional.close() };
}

function sourcesOf({ regional, registries }: Installed, remotes: readonly RemoteRegistry[]): Generation['sources'] {
  const locals = registries.map((pack) => {
    const registry = openRegistry(pack, MATCH_RULES);
    return isSampleRegistry(pack) ? inDistrict(registry) : registry;
  });
  return { regional: regional.sources, producers: { producer: findProducer(locals, remotes) } };
}

/** A made-up registry must not say of a real place around the district that its producer is in no list. */
function inDistrict(registry: Registry): Registry {
  const [west, south, east, north] = DISTRICT.bbox;
  const covers = ({ inside: [lon, lat] }: Shape): boolean => lon >= west && lon <= east && lat >= south && lat <= north;
  return { ...registry, covers };
}

/** Sources that hand each question on to the newest generation, which stays open until it has answered. */
function following(
  questions: readonly (keyof SourceLayer)[],
  newest: () => Generation,
  part: keyof Generation['sources'],
): SourceLayer {
  const ask =
    (question: keyof SourceLayer) =>
    (...args: never[]): unknown => {
      const generation = newest();
      const source = generation.sources[part][question] as (...args: never[]) => unknown;
      const answer = source(...args);
      if (!(answer instanceof Promise)) return answer;
      generation.pending++;
      return answer.finally(() => generation.pending--);
    };
  return Object.fromEntries(questions.map((question) => [question, ask(question)])) as unknown as SourceLayer;
}

/** Changes whenever a pack or registry is put in its place or removed. */
async function signatureOf(config: InstalledConfig): Promise<string> {
  const packs = (await packNames(config)).map((name) => join(packsFolder(config), name, MANIFEST_FILE));
  const registries = (await registryIds(config)).map((id) => registryPath(config, id));
  const versions = await Promise.all([...packs, ...registries].map(async (path) => `${path} ${await versionOf(path)}`));
  return versions.join('\n');
}

async function versionOf(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => null);
  return stats === null ? '' : `${stats.ino}-${stats.mtimeNs}-${stats.size}`;
}
