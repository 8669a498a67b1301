import { createHash } from 'node:crypto';
import { stat, utimes, mkdir, open, rm } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ByteSourceError } from '../../io/byte-error.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { readPack, writePack, type Pack } from '../../packs/pack-file.ts';
import { AefIndexError, packSlimIndex, type SlimIndexMeta } from './pack.ts';
import { bakeAefIndex } from './bake.ts';
import { openAefIndex, type AefIndex } from './aef-index.ts';
import { DAY_MS } from '../../../durations.ts';

/** A lock that was not touched for so long belongs to nobody any more. */
const STALE_MS = 15_000;
const TOUCH_MS = 3_000;
const POLL_MS = 250;

interface AefIndexCacheOptions {
  /** Id of the dataset. */
  readonly dataset: string;
  /** Folder of the slim copy; made when absent. */
  readonly folder: string;
  /** The GeoParquet index. */
  readonly source: ByteSource;
  /** What full paths in it begin with. */
  readonly prefixes: readonly string[];
  /** How long a caller waits for an index that has to be made first, from when its making began, in milliseconds. */
  readonly patienceMs: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  /** Called with what failed without failing a lookup. */
  readonly reportFailure?: (dataset: string, error: unknown) => void;
}

export interface AefIndexCache {
  /** The index. Rejects when there is no slim copy and none can be made within the caller's patience. */
  get(signal: AbortSignal): Promise<AefIndex>;
  close(): Promise<void>;
}

/** How long a slim copy is used before its source is checked for a newer version. */
const CHECK_EVERY_MS = DAY_MS;
/** How long after a check that failed the next one waits. */
const CHECK_AGAIN_MS = 600_000;
/** How long after an index could not be made lookups fail at once in place of trying again. */
const BAKE_AGAIN_MS = 10_000;
/** Time for making a slim copy. */
const BAKE_MS = 600_000;

/**
 * The index of a dataset through a slim copy on disk, made once and shared by every process that uses the folder. A copy
 * that is older than a day is still used while its source is checked, without the lookups waiting, whether it has
 * changed; a source that cannot be reached changes nothing.
 */
export function openAefIndexCache(options: AefIndexCacheOptions): AefIndexCache {
  const { source, now = Date.now, reportFailure = () => {} } = options;
  const path = join(options.folder, 'index.pack');
  const key = keyOf(options);
  const stopped = new AbortController();
  let current: { readonly index: AefIndex; readonly sourceVersion: string } | null = null;
  let making: { readonly promise: Promise<void>; readonly since: number } | null = null;
  let failed: { readonly error: unknown; readonly at: number } | null = null;
  let checking: Promise<void> | null = null;
  let nextCheck = 0;

  const report = (what: string, cause: unknown): void =>
    reportFailure(options.dataset, new AefIndexError(source.id, what, { cause }));

  function take(pack: Pack): void {
    const { sourceVersion } = pack.header.meta as SlimIndexMeta;
    current = { index: openAefIndex(pack), sourceVersion };
  }

  /** Takes the copy of the folder when there is one. */
  async function takeCopy(): Promise<boolean> {
    const { pack } = await readPack(path, options.dataset, key);
    if (pack === null) return false;
    take(pack);
    const { mtimeMs } = await stat(path);
    nextCheck = mtimeMs + CHECK_EVERY_MS;
    return true;
  }

  async function obtain(): Promise<void> {
    if (!(await takeCopy())) await makeOnce(`${path}.lock`, stopped.signal, takeCopy, bake);
  }

  async function bake(): Promise<void> {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(BAKE_MS)]);
    const sourceVersion = await versionOf(source, signal);
    const slim = await bakeAefIndex(source, options.prefixes, signal);
    if ((await versionOf(source, signal)) !== sourceVersion)
      throw new ByteSourceError('changed', source.id, 'the index was replaced while it was read');
    const pack = packSlimIndex(options.dataset, key, slim, { sourceVersion });
    take(pack);
    nextCheck = now() + CHECK_EVERY_MS;
    // A disk that fails costs the next process a download, and this one nothing.
    await writePack(path, pack).catch((error: unknown) => report('the slim copy could not be kept', error));
  }

  async function check(): Promise<void> {
    nextCheck = now() + CHECK_AGAIN_MS;
    const version = await versionOf(source, AbortSignal.any([stopped.signal, AbortSignal.timeout(BAKE_MS)]));
    if (version !== current?.sourceVersion) return bake();
    nextCheck = now() + CHECK_EVERY_MS;
    // Other processes see by the time of the file that it was checked.
    await utimes(path, now() / 1000, now() / 1000).catch(() => {});
  }

  function begin(): NonNullable<typeof making> {
    if (making !== null) return making;
    const promise = obtain().then(
      () => void (failed = null),
      (error: unknown) => {
        failed = { error, at: now() };
        throw error;
      },
    );
    promise.catch(() => {}).finally(() => void (making = null));
    making = { promise, since: now() };
    return making;
  }

  return {
    async get(signal) {
      signal.throwIfAborted();
      if (current === null) {
        if (making === null && failed !== null && now() - failed.at < BAKE_AGAIN_MS) throw failed.error;
        const { promise, since } = begin();
        await within(promise, since + options.patienceMs - now(), source.id, signal);
      }
      if (current === null) throw new ByteSourceError('transport', source.id, 'the index is closed');
      if (now() >= nextCheck && checking === null)
        checking = check()
          .catch((error: unknown) => report('it could not be checked for a newer version', error))
          .finally(() => void (checking = null));
      return current.index;
    },
    async close() {
      stopped.abort(new ByteSourceError('transport', source.id, 'the index is closed'));
      await Promise.allSettled([making?.promise, checking]);
    },
  };
}

/** What distinguishes two states of a file; rejects when there is none. */
async function versionOf(source: ByteSource, signal: AbortSignal): Promise<string> {
  const info = await source.stat({ signal });
  if (info === null) throw new ByteSourceError('status', source.id, 'there is no index', { status: 404 });
  return `${info.size} ${info.version ?? ''}`;
}

/** What makes a slim copy another one: where it comes from and how its paths are read. */
function keyOf({ source, prefixes }: AefIndexCacheOptions): string {
  return `aef-index/1 ${createHash('sha256')
    .update(JSON.stringify([source.id, prefixes]))
    .digest('hex')
    .slice(0, 16)}`;
}

/** Waits for a job that goes on when the wait ends. */
async function within(promise: Promise<void>, ms: number, place: string, signal: AbortSignal): Promise<void> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(
    () => reject(new ByteSourceError('timeout', place, 'the index is not there yet')),
    Math.max(0, ms),
  );
  try {
    await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Runs `make` in one process or thread at a time for a lock file; the others wait and are queried between waits whether
 * what it makes is there already (`isMade`). The lock saves work and nothing else depends on it: one whose holder died is
 * taken over, and where none can be made `make` runs at once.
 */
async function makeOnce(
  path: string,
  signal: AbortSignal,
  isMade: () => Promise<boolean>,
  make: () => Promise<void>,
): Promise<void> {
  while (!(await takeLock(path))) {
    await sleep(POLL_MS, undefined, { signal });
    if (await isMade()) return;
    if (await isStale(path)) await rm(path, { force: true });
  }
  const touching = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), TOUCH_MS);
  try {
    await make();
  } finally {
    clearInterval(touching);
    await rm(path, { force: true }).catch(() => {});
  }
}

/** False when another one holds it. */
async function takeLock(path: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > STALE_MS;
}
