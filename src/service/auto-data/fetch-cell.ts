import { join } from 'node:path';
import { firstAnswerOrFailure } from '../../first-answer.ts';
import type { Config } from '../../config/settings.ts';
import { ByteSourceError } from '../../readers/io/byte-error.ts';
import { createGate, createHostGates } from '../../readers/io/concurrency.ts';
import { withDiskCache } from '../../readers/io/disk-cache.ts';
import { openDiskCache, type DiskCacheFolder } from '../../readers/io/disk-cache-folder.ts';
import { createDoorHealth } from '../../readers/io/doors.ts';
import { fetchFile } from '../../readers/io/http/fetch-file.ts';
import type { ByteSource } from '../../readers/io/byte-source.ts';
import type { Network } from '../../readers/io/network.ts';
import { remoteSource } from '../../readers/io/remote.ts';
import { openFooters } from '../../readers/overture/footers.ts';
import {
  OVERTURE_INDEX_MIRROR,
  OVERTURE_INDEX_URL,
  OVERTURE_MIRROR,
  OVERTURE_TYPES,
  OVERTURE_URL,
  OvertureError,
  type OvertureType,
} from '../../readers/overture/overture-types.ts';
import { boundsOf, planFrom } from '../../readers/overture/read-rows.ts';
import type { IndexedFile, OverturePlaces } from '../../readers/overture/release-index.ts';
import { toFeatures } from '../../readers/overture/to-feature.ts';
import { type Bbox, boxesTouch } from '../../geo/shapes/shape.ts';
import type { ThemeFeature } from '../../readers/themes/themes.ts';
import { networkOf } from '../outside/open-outside.ts';
import { isPublicAddress } from '../outside/public-hosts.ts';
import { writeAutoPack } from './auto-packs.ts';
import { boxOfCell, type Cell } from './cells.ts';
import { openReleases, type Releases } from './release-state.ts';

export type FetchConfig = Pick<Config, 'dataDir' | 'cacheMaxMb' | 'overtureUrl' | 'overtureIndexUrl'>;

interface FetchDeps {
  /** Null: the addresses may be reached although the public internet is not. */
  readonly network: Network | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Hears what was passed over. */
  readonly onFault: (what: string, error: unknown) => void;
}

/** Makes packs of single cells out of the newest release. */
export interface CellFetcher {
  readonly releases: Releases;
  /** Fetches a cell and puts its pack in its place; the release it is of. */
  fetch(cell: Cell, signal: AbortSignal): Promise<string>;
}

/** Requests at the same time, over all cells of a thread. */
const AT_ONCE = 12;
/** Bytes nobody wants that are read along where that saves a request. */
const MAX_GAP = 1_000_000;
/** A cell of which more has to be read is none that can be fetched meanwhile. */
const MOST_BYTES = 500_000_000;
const RETRIES = { attempts: 3, deadlineMs: 30_000 } as const;

/** Opens what cells are fetched with; nothing is requested before the first. */
export function openCellFetcher(config: FetchConfig, { network, now, onFault }: FetchDeps): CellFetcher {
  const places = placesOf(config);
  const gateOf = createHostGates(AT_ONCE);
  const gate = createGate(AT_ONCE);
  const health = createDoorHealth();
  const reach = <T>(url: string, signal: AbortSignal, job: (inner: AbortSignal) => Promise<T>): Promise<T> =>
    network === null ? job(signal) : network.run(url, signal, job);
  const whole = (url: string, maxBytes: number, signal: AbortSignal) =>
    reach(url, signal, (inner) => fetchFile(url, { tail: null, maxBytes, retries: RETRIES }, inner));
  const doorsOf = (url: string): readonly string[] =>
    places.data === OVERTURE_URL ? [url.replace(places.data, OVERTURE_MIRROR)] : [];
  const diskCache = openedWhenUsed(config);
  const footers = openFooters(
    (url, tail, signal) =>
      gate.run(signal, () =>
        reach(url, signal, (inner) =>
          Promise.resolve(
            firstAnswerOrFailure(
              [url, ...doorsOf(url)],
              (door) => fetchFile(door, { tail, maxBytes: 2 * tail, retries: RETRIES }, inner),
              { signal: inner },
            ),
          ),
        ),
      ),
    diskCache,
  );
  const releases = openReleases(
    config,
    places,
    {
      fetch: async (url, maxBytes, signal) => (await whole(url, maxBytes, signal))?.bytes ?? null,
      boundsOf: async (url, folder, signal) => boundsOf((await footers.read(url, folder, signal)).metadata),
      onFault,
    },
    now,
  );

  function source(url: string, size: number): ByteSource {
    const remote = remoteSource(url, {
      gateOf,
      cache: null,
      retries: RETRIES,
      doors: { others: doorsOf(url), health },
      ...(network === null ? {} : { network }),
    });
    // A file of a release never changes: its address is its version, and no request is spent on its size.
    const known = { ...remote, stat: () => Promise.resolve({ size, version: 'release' }) };
    return diskCache === null ? known : withDiskCache(known, diskCache);
  }

  async function read(
    file: IndexedFile,
    type: OvertureType,
    box: Bbox,
    signal: AbortSignal,
  ): Promise<{ readonly features: readonly ThemeFeature[]; readonly bytes: number }> {
    const footer = await footers.read(file.url, file.folder, signal);
    const plan = planFrom(source(file.url, footer.size), footer, type, box, { maxGap: MAX_GAP });
    if (plan.bytes > MOST_BYTES) throw new OvertureError(file.url, `${plan.bytes} bytes would have to be read of it`);
    const features: ThemeFeature[] = [];
    for await (const { rows } of plan.read(signal))
      for (const row of rows) features.push(...toFeatures(type.type, row));
    return { features, bytes: plan.bytes };
  }

  async function fetchOf(cell: Cell, signal: AbortSignal): Promise<string> {
    const index = await releases.current(signal);
    const box = boxOfCell(cell);
    const parts = await allOrNone(signal, (inner) =>
      OVERTURE_TYPES.flatMap((type) =>
        index.files
          .filter((file) => file.folder === type.folder && boxesTouch(file.box, box))
          .map((file) => read(file, type, box, inner)),
      ),
    );
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    await writeAutoPack(config, cell.name, index.release, [cell], bytes, async (sink) => {
      for (const { features } of parts) for (const feature of features) await sink(feature);
    });
    return index.release;
  }

  return {
    releases,
    async fetch(cell, signal) {
      try {
        return await fetchOf(cell, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isGone(error)) throw error;
        // The release was deleted since it was looked up.
        await releases.forget();
        return await fetchOf(cell, signal);
      }
    },
  };
}

/** The cache of the data folder, opened by its first use; null where the settings want none. */
function openedWhenUsed({ dataDir, cacheMaxMb }: FetchConfig): DiskCacheFolder | null {
  if (cacheMaxMb === 0) return null;
  let cache: Promise<DiskCacheFolder | null> | null = null;
  const open = (): Promise<DiskCacheFolder | null> =>
    (cache ??= openDiskCache(join(dataDir, 'cache'), { maxBytes: cacheMaxMb * 1e6 }).catch(() => null));
  return {
    get: async (key, length) => (await open())?.get(key, length) ?? null,
    put: async (key, block) => (await open())?.put(key, block),
  };
}

/** The shared state of the network decides for addresses on the public internet. */
export function networkFor({ overtureUrl, dataDir }: FetchConfig): Network | null {
  return isPublicAddress(overtureUrl) ? networkOf(dataDir) : null;
}

/** Where releases are read from, as the settings say. */
export function placesOf({
  overtureUrl,
  overtureIndexUrl,
}: Pick<FetchConfig, 'overtureUrl' | 'overtureIndexUrl'>): OverturePlaces {
  const trimmed = (url: string): string => url.replace(/\/+$/, '');
  const index = overtureIndexUrl === null ? null : trimmed(overtureIndexUrl);
  return {
    data: trimmed(overtureUrl),
    catalogues: index === null ? [] : index === OVERTURE_INDEX_URL ? [index, OVERTURE_INDEX_MIRROR] : [index],
  };
}

/** What all jobs give; the first failure ends the others. */
async function allOrNone<T>(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly Promise<T>[],
): Promise<readonly T[]> {
  const stop = new AbortController();
  const jobs = begin(AbortSignal.any([signal, stop.signal]));
  let failure: { readonly error: unknown } | null = null;
  const settled = await Promise.allSettled(
    jobs.map((job) =>
      job.catch((error: unknown) => {
        failure ??= { error };
        stop.abort(error);
        throw error;
      }),
    ),
  );
  signal.throwIfAborted();
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/** Whether a file was not there, which is known of the cause of a failure alone. */
function isGone(error: unknown): boolean {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (one instanceof ByteSourceError && one.kind === 'status' && [403, 404, 410].includes(one.status ?? 0))
      return true;
    if (one instanceof OvertureError && one.message.endsWith('the file is no longer there')) return true;
  }
  return false;
}
