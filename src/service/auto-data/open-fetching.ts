import { join } from 'node:path';
import type { Problem } from '../../errors.ts';
import { createGate } from '../../readers/io/concurrency.ts';
import type { Network } from '../../readers/io/network.ts';
import { removePack } from '../../readers/packs/manifest.ts';
import type { FetchLog } from '../outside/fetch-once.ts';
import type { AutoDataConfig } from './auto-data-config.ts';
import { autoFolder, makeRoom } from './auto-packs.ts';
import { blockOf, type Cell } from './cells.ts';
import { claiming } from './claims.ts';
import { networkFor, openCellFetcher } from './fetch-cell.ts';
import { fetchFailure } from './fetch-failure.ts';
import { openFetchThread } from './fetch-thread.ts';
import { mergeBlock } from './merge-block.ts';
import type { OpenCells } from './open-cells.ts';
import { beingFetched, MAX_FETCH_MS } from './read-ahead.ts';
import { openSharedCells } from './shared-cells.ts';

export interface FetchingDeps {
  readonly log: FetchLog;
  /** Hears what fetching a cell ended with; null is that everything was as it should be. */
  readonly onFetched?: (error: unknown) => void;
  /** Default: the state of the data folder; null where the addresses are not those of the public internet. */
  readonly network?: Network | null;
  /** Whether cells are fetched in a thread of their own; default no, for threads that serve nobody meanwhile. */
  readonly inThread?: boolean;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

/** Cells that a thread fetches at the same time. */
const CELLS_AT_ONCE = 6;
/** How long a failure stands for the answers of its cell. */
const FAILED_MS = 60_000;
/** How long the network that was found to be gone is not looked for again by a question. */
const OFFLINE_MS = 1_000;

/** Fetches cells, each once however many want it, and keeps room for them. */
export function openFetching(config: AutoDataConfig, deps: FetchingDeps, cells: Pick<OpenCells, 'forget'>) {
  const { log, now = Date.now, onFetched = () => {} } = deps;
  const network = deps.network === undefined ? networkFor(config) : deps.network;
  const onFault = (what: string, error: unknown): void =>
    log.warn({ what, err: error }, 'an address of Overture was passed over');
  const closing = new AbortController();
  const own = openCellFetcher(config, { network, now, onFault });
  // Unpacking a cell must not hold up the thread that serves requests.
  const fetcher = deps.inThread === true ? { ...own, ...openFetchThread(config, onFault, closing.signal) } : own;
  const shared = config.bucket === undefined ? null : openSharedCells(config, config.bucket);
  const offline = createOffline(network, closing.signal);
  const claimsFolder = join(autoFolder(config), '.claims');
  const gate = createGate(CELLS_AT_ONCE);
  const fetching = new Map<string, Promise<void>>();
  const failed = new Map<string, { readonly at: number; readonly problem: Problem }>();
  const background = new Set<Promise<unknown>>();

  const limited = (): AbortSignal => AbortSignal.any([closing.signal, AbortSignal.timeout(MAX_FETCH_MS)]);

  /** Fetches a cell, together with whoever else needs it here or in another process. Rejects with a `Problem`. */
  function fetchCell(cell: Cell, isThere: () => Promise<boolean>): Promise<void> {
    const underWay = fetching.get(cell.name);
    if (underWay !== undefined) return underWay;
    const signal = limited();
    const job = gate
      .run(signal, () => claiming(claimsFolder, cell.name, signal, () => fetchNow(cell, signal), isThere))
      .then(
        () => void failed.delete(cell.name),
        (error: unknown) => {
          throw closing.signal.aborted ? beingFetched() : failure(cell, error);
        },
      )
      .finally(() => {
        fetching.delete(cell.name);
        cells.forget(cell);
      });
    fetching.set(cell.name, job);
    job.catch(() => {});
    return job;
  }

  async function fetchNow(cell: Cell, signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const taken = (await shared?.take(cell, signal)) ?? null;
    const release = taken ?? (await fetchAndShare(cell, signal));
    const ms = Math.round(performance.now() - begun);
    log.info({ cell: cell.name, release, ms, shared: taken !== null }, 'map data was fetched');
    if (taken === null) onFetched(null);
    keepRoom(cell, release);
  }

  /** The release that the cell is of. */
  async function fetchAndShare(cell: Cell, signal: AbortSignal): Promise<string> {
    const release = await fetcher.fetch(cell, signal);
    if (shared === null) return release;
    try {
      return await shared.give(cell, signal);
    } catch (error) {
      // What no other host can see must not answer here either.
      await removePack(autoFolder(config), cell.name);
      throw error;
    }
  }

  /** Joins packs and removes old ones, while nobody waits for it. */
  function keepRoom(cell: Cell, release: string): void {
    const { signal } = closing;
    const merging = claiming(
      claimsFolder,
      blockOf(cell),
      signal,
      () => mergeBlock(config, cell, release, signal),
      never,
    )
      .then((merged) => merged?.forEach((one) => cells.forget(one)))
      .then(() => makeRoom(config, cell.name))
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'fetched map data cannot be put in order');
      });
    meanwhile(merging);
  }

  function failure(cell: Cell, error: unknown): Problem {
    const problem = fetchFailure(error);
    if (problem.isOffline) offline.note();
    else log.warn({ cell: cell.name, err: error }, 'map data cannot be fetched');
    onFetched(error);
    if (failed.size > 10_000) failed.clear();
    if (!problem.isOffline) failed.set(cell.name, { at: now(), problem });
    return problem;
  }

  /** Work that nobody waits for, but the end. */
  function meanwhile(work: Promise<unknown>): void {
    background.add(work);
    void work.catch(() => {}).finally(() => background.delete(work));
  }

  return {
    shared,
    offline,
    releases: fetcher.releases,
    /** A signal that aborts when fetching is stopped, or has taken too long. */
    limited,
    fetch: fetchCell,
    /** Why a cell could not be fetched a moment ago. */
    failureOf({ name }: Cell): Problem | null {
      const before = failed.get(name);
      return before !== undefined && now() - before.at < FAILED_MS ? before.problem : null;
    },
    /** Whether a cell is neither being fetched nor could not be. */
    isIdle: ({ name }: Cell): boolean => !failed.has(name) && !fetching.has(name),
    meanwhile,
    async stop(): Promise<void> {
      closing.abort(new Error('the data was closed'));
      await Promise.allSettled([...fetching.values(), ...background]);
    },
  };
}

/** What is known of there being no network. */
function createOffline(network: Network | null, closing: AbortSignal) {
  let at = -Infinity;
  const wasJustNow = (): boolean => performance.now() - at < OFFLINE_MS;
  const note = (): void => void (at = performance.now());
  return {
    note,
    wasJustNow,
    /** Whether it is known that there is none. Who learns that it may be back does not wait for it. */
    async isNow(): Promise<boolean> {
      if (network === null) return false;
      if (wasJustNow()) return true;
      const state = await network.state();
      if (state?.reachable !== false) return false;
      note();
      // Probes again when the last one is a minute old, and fails at once until that is answered.
      network.run('Overture', closing, () => Promise.resolve()).catch(() => {});
      return true;
    },
  };
}

function never(): Promise<boolean> {
  return Promise.resolve(false);
}
