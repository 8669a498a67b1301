import { withCoalescing } from './coalescing.ts';
import { withConcurrency, type Gate } from './concurrency.ts';
import type { ByteCounters } from './counters.ts';
import { createDoorHealth, withDoors, type DoorHealth } from './doors.ts';
import { withNetwork, type Network } from './network.ts';
import { withRetries, type RetryOptions } from './retries.ts';
import type { ByteSource } from './byte-source.ts';
import type { DiskCacheFolder } from './disk-cache-folder.ts';
import { withDiskCache } from './disk-cache.ts';
import { httpSource, type HttpSourceOptions } from './http/http-source.ts';

interface RemoteOptions {
  /** The gate of a source's host, from `createHostGates`. */
  readonly gateOf: (source: ByteSource) => Gate;
  /** Null reads without a cache. */
  readonly cache: DiskCacheFolder | null;
  readonly http?: Omit<HttpSourceOptions, 'counters'>;
  readonly retries?: Omit<RetryOptions, 'counters'>;
  readonly counters?: ByteCounters;
  /** Other addresses of the same file, in their order, and the health of all hosts; absent: there is one address. */
  readonly doors?: { readonly others: readonly string[]; readonly health: DoorHealth; readonly hedgeMs?: number };
  /** Absent: the address may be reached although the public internet is not. */
  readonly network?: Network;
}

/**
 * An http or https address read with everything around it, in the order that matters: a cached block costs nothing,
 * what is missing is joined into few requests, each is given up at once where there is no network and retried inside one
 * deadline, a retry waits its turn at the host like any other request, and one that is slow goes to the next door too.
 */
export function remoteSource(url: string, options: RemoteOptions): ByteSource {
  const { gateOf, cache, http, retries, counters, doors, network } = options;
  const counting = counters ? { counters } : {};
  const bare = [url, ...(doors?.others ?? [])].map((address) => httpSource(address, { ...http, ...counting }));
  const { hedgeMs } = doors ?? {};
  const hedged = withDoors(bare, doors?.health ?? createDoorHealth(), hedgeMs === undefined ? {} : { hedgeMs });
  const retried = withRetries(withConcurrency(hedged, gateOf(hedged)), { ...retries, ...counting });
  const joined = withCoalescing(network === undefined ? retried : withNetwork(retried, network), counting);
  return cache === null ? joined : withDiskCache(joined, cache);
}
