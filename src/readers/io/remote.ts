import { withCoalescing } from './coalescing.ts';
import { withConcurrency, type Gate } from './concurrency.ts';
import type { ByteCounters } from './counters.ts';
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
}

/**
 * An http or https address read with everything around it, in the order that matters: a cached block costs nothing,
 * what is missing is joined into few requests, each is retried inside one deadline, and a retry waits its turn at the
 * host like any other request.
 */
export function remoteSource(url: string, { gateOf, cache, http, retries, counters }: RemoteOptions): ByteSource {
  const counting = counters ? { counters } : {};
  const bare = httpSource(url, { ...http, ...counting });
  const retried = withRetries(withConcurrency(bare, gateOf(bare)), { ...retries, ...counting });
  const joined = withCoalescing(retried, counting);
  return cache === null ? joined : withDiskCache(joined, cache);
}
