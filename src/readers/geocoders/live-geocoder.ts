import { setTimeout as wait } from 'node:timers/promises';
import type { GeocodeAnswer, GeocodeQuery } from '../../locations/sources.ts';
import type { Upstream } from '../live/upstream.ts';
import { type GeocoderService, queryText } from './geocoder-services.ts';

/** A service on the network that finds places by their address. */
export interface LiveGeocoder {
  /** Its entry in the catalogue. */
  readonly id: string;
  /** How messages call it. */
  readonly name: string;
  /** Null: it knows no such place. Rejects with `Problem` when it fails. */
  query(query: GeocodeQuery, signal: AbortSignal): Promise<GeocodeAnswer | null>;
}

interface LiveGeocoderOptions {
  readonly service: GeocoderService;
  readonly upstream: Upstream;
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string | null;
  /** Whether the answer to the question of this key is kept, so that no request is needed. */
  readonly isKept: (key: string) => Promise<boolean>;
  /** Waits for the turn of a request. */
  readonly pace: (signal: AbortSignal) => Promise<void>;
}

/** Queries one service, no oftener than its pace allows. A query without any text is not sent. */
export function liveGeocoder({ service, upstream, url, key, isKept, pace }: LiveGeocoderOptions): LiveGeocoder {
  return {
    id: service.id,
    name: service.name,
    async query(query, signal) {
      if (queryText(query) === '') return null;
      const question = {
        method: 'GET' as const,
        url: service.address(url, query, key),
        // Everything the answer depends on, and no key.
        key: `${service.id} ${service.address(url, query, null)}`,
        read: (body: unknown) => service.read(body, query),
      };
      if (!(await isKept(question.key))) await pace(signal);
      return (await upstream.query(question, signal)).value;
    },
  };
}

/**
 * Keeps at least so many milliseconds between the starts of requests to one service, over all threads that share the
 * cell. Resolves when it is the caller's turn. The clock is the same in every thread.
 */
export function createPace(
  cells: BigInt64Array,
  index: number,
  intervalMs: number,
  now: () => number = Date.now,
): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    for (;;) {
      const last = Atomics.load(cells, index);
      const at = Math.max(now(), Number(last));
      if (Atomics.compareExchange(cells, index, last, BigInt(at + intervalMs)) !== last) continue;
      const delay = at - now();
      if (delay > 0) await wait(delay, undefined, { signal });
      return;
    }
  };
}
