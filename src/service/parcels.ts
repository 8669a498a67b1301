import type { Config } from '../config.ts';
import type { WrittenAnswer } from '../forest/feature-text.ts';
import type { Crs } from '../geo/crs/find-crs.ts';
import type { Log } from '../log.ts';
import type { Tasks } from '../tasks/task.ts';
import { parcelDatasets } from './catalogue.ts';

export interface ParcelSearch {
  readonly crs: Crs;
  /** Whether the forest patch answers outside of every parcel footprint. */
  readonly forestFallback: boolean;
  /** Whose task the fallback is. */
  readonly userId: string;
  readonly signal: AbortSignal;
}

export interface ParcelService {
  /** An answer for each feature, in their order. Throws what the signal is aborted with. */
  search(features: readonly unknown[], search: ParcelSearch): Promise<readonly WrittenAnswer[]>;
  close(): Promise<void>;
}

/**
 * The parcel search over the datasets of the catalogue. Its readers and projections are loaded with the first search; where
 * the operator names datasets they are looked at now. Throws a `ConfigError` for an entry that cannot be used.
 */
export async function openParcelService(config: Config, tasks: Tasks, log: Log): Promise<ParcelService> {
  const datasets = await parcelDatasets(config);
  let opening: Promise<ParcelService> | null = null;
  const open = (): Promise<ParcelService> =>
    (opening ??= import('./parcel-search.ts').then(({ openParcelSearch }) =>
      openParcelSearch(datasets, config, tasks, log),
    ));
  if (config.catalogue !== null) await open();
  return {
    search: async (features, search) => (await open()).search(features, search),
    close: async () => (await opening)?.close(),
  };
}
