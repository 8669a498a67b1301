import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { inTime } from '../../in-time.ts';
import { ByteSourceError, isOutOfReach } from '../../readers/io/byte-error.ts';
import { claiming } from '../auto-data/claims.ts';
import { Unfetched } from './unfetched.ts';

/** Something that is fetched into the data folder when it is first needed. */
interface Wanted {
  /** Of a file, and not the same as that of anything else. */
  readonly name: string;
  /** How sentences call it. */
  readonly words: string;
  isThere(): Promise<boolean>;
  /** Puts it in its place, or leaves nothing of it. */
  fetch(signal: AbortSignal): Promise<void>;
}

export interface FetchLog {
  info(fields: Readonly<Record<string, unknown>>, words: string): void;
  warn(fields: Readonly<Record<string, unknown>>, words: string): void;
}

/** Fetches what is wanted, once for all who want it. */
export interface Fetches {
  /** Resolves when it is there. Rejects with `Unfetched` when that takes too long, which goes on, or when it failed a while ago. */
  need(wanted: Wanted): Promise<void>;
  close(): Promise<void>;
}

interface FetchesOptions {
  /** Milliseconds that who needs something waits for it. */
  readonly waitMs: number;
  readonly log: FetchLog;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

/** Longest that fetching one thing may take. */
const FETCH_MS = 120_000;
/** How long a failure stands: of what nobody could look at, and of what was looked at and is not as it should be. */
const FAILED_MS = { unreachable: 60_000, broken: 600_000 } as const;

/** Opens what fetches into a data folder, one at a time of each name among all threads and processes of the folder. */
export function createFetches({ dataDir }: Pick<Config, 'dataDir'>, options: FetchesOptions): Fetches {
  const { waitMs, log, now = Date.now } = options;
  const closing = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const failed = new Map<string, { readonly until: number; readonly problem: Unfetched }>();

  function begin(wanted: Wanted): Promise<void> {
    const { name, words } = wanted;
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(FETCH_MS)]);
    const job = claiming(join(dataDir, 'outside', 'claims'), name, signal, () => wanted.fetch(signal), wanted.isThere)
      .then(() => void failed.delete(name))
      .catch((error: unknown) => {
        if (closing.signal.aborted) throw new Unfetched(words, 'is being fetched', '');
        const isOffline = error instanceof ByteSourceError && error.kind === 'offline';
        if (!isOffline) log.warn({ what: name, err: error }, 'something that is needed cannot be fetched');
        const problem = new Unfetched(words, 'could not be fetched', isOffline ? ': this machine has no network' : '', {
          cause: error,
        });
        failed.set(name, { problem, until: now() + FAILED_MS[isOutOfReach(error) ? 'unreachable' : 'broken'] });
        throw problem;
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, job);
    job.catch(() => {});
    return job;
  }

  return {
    async need(wanted) {
      const before = failed.get(wanted.name);
      if (before !== undefined && now() < before.until) throw before.problem;
      const late = (): Unfetched =>
        new Unfetched(wanted.words, 'is being fetched', '; repeat the request in some seconds');
      await inTime(underWay.get(wanted.name) ?? begin(wanted), waitMs, late);
    },
    async close() {
      closing.abort(new Error('the service ends'));
      await Promise.allSettled(underWay.values());
    },
  };
}
