import { join } from 'node:path';
import { HOUR_MS } from '../../durations.ts';
import { Problem } from '../../errors.ts';
import type { MaybeAnswer } from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { inTime } from '../../in-time.ts';
import { createGate } from '../../readers/io/concurrency.ts';
import type { Network } from '../../readers/io/network.ts';
import { removePack } from '../../readers/packs/manifest.ts';
import type { FetchLog } from '../outside/fetch-once.ts';
import type { SourceLayer } from '../world/source-layers.ts';
import type { AutoDataConfig } from './auto-data-config.ts';
import { autoFolder, makeRoom, packOfCell, type AutoPack } from './auto-packs.ts';
import { blockOf, cellAt, type Cell } from './cells.ts';
import { claiming } from './claims.ts';
import { networkFor, openCellFetcher, type CellFetcher } from './fetch-cell.ts';
import { fetchFailure } from './fetch-failure.ts';
import { openFetchThread } from './fetch-thread.ts';
import { mergeBlock } from './merge-block.ts';
import { openCells, type OpenedPack } from './open-cells.ts';
import { beingFetched, createReadAhead, MAX_FETCH_MS, type ReadAhead } from './read-ahead.ts';
import { openSharedCells } from './shared-cells.ts';

/** The questions that fetched packs answer, each with the roles of layers that would answer it before. */
const QUESTIONS = {
  nearestRoad: ['roads'],
  nearestWater: ['water'],
  nearestPort: ['ports'],
  buildings: ['buildings'],
  businesses: ['businesses'],
  density: ['buildings'],
} as const;
type Question = keyof typeof QUESTIONS;

interface AutoDataDeps {
  /** Whether something that is installed knows a place, so that nothing is fetched for a question of these roles. */
  readonly isCovered: (roles: readonly string[], lon: number, lat: number) => boolean;
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

/** Map data of Overture that is fetched where it is needed. */
export interface AutoData {
  /** Answers from what was fetched; what is missing is fetched meanwhile, and waited for within the deadline of a check. */
  readonly sources: SourceLayer;
  readonly ahead: ReadAhead;
  close(): Promise<void>;
}

/** Share of a check's deadline that is waited for a cell; the rest is for what answers after it. */
export const FETCH_WAIT_SHARE = 0.8;
/** Cells that a thread fetches at the same time. */
const CELLS_AT_ONCE = 6;
/** How long a failure stands for the answers of its cell. */
const FAILED_MS = 60_000;
/** How often a cell that is in use is compared with what other hosts share. */
const FOLLOW_MS = 60_000;
/** How long the network that was found to be gone is not looked for again by a question. */
const OFFLINE_MS = 1_000;

/** Opens what answers from fetched packs; nothing is read or requested before the first question. */
export function openAutoData(config: AutoDataConfig, deps: AutoDataDeps): AutoData {
  const { isCovered, now = Date.now } = deps;
  const cells = openCells(config, now);
  const fetching = openFetching(config, deps, cells);
  const { shared, offline, limited } = fetching;
  const isFollowed = createFollowed(now);
  /** When to look next whether there is a newer release; that is looked up once a day at most. */
  let lookAt = 0;

  /** What other hosts have shared can be had without the public internet. Looked for once a minute for each cell. */
  async function takeShared(cell: Cell): Promise<OpenedPack | null> {
    if (shared === null || isFollowed(cell)) return null;
    return (await shared.take(cell, limited())) === null ? null : findAgain(cells, cell);
  }

  /** The pack of a cell, fetched when it is not there; null without network. */
  async function obtain(cell: Cell): Promise<OpenedPack | null> {
    const known = await cells.find(cell);
    if (known !== null) {
      renewMeanwhile(cell, known.pack);
      return known;
    }
    if (await offline.isNow()) return await takeShared(cell);
    const before = fetching.failureOf(cell);
    if (before !== null) throw before;
    try {
      await fetching.fetch(cell, async () => (await packOfCell(config, cell)) !== null);
    } catch (error) {
      if (offline.wasJustNow()) return null;
      throw error;
    }
    return cells.find(cell);
  }

  /** Fetches a cell again whose release is long gone; what there is answers meanwhile. */
  function renewMeanwhile(cell: Cell, { manifest }: AutoPack): void {
    if (!fetching.isIdle(cell)) return;
    const renewing = followShared(cell).then(async () => {
      await lookForReleases();
      if (!(await fetching.releases.isOutdated(manifest.version)) || (await offline.isNow())) return;
      await fetching.fetch(cell, async () => (await packOfCell(config, cell))?.manifest.version !== manifest.version);
    });
    fetching.meanwhile(renewing);
  }

  /** Takes what another host shared in place of what is here, and shares what was here before there was a bucket. */
  async function followShared(cell: Cell): Promise<void> {
    if (shared === null || isFollowed(cell)) return;
    const signal = limited();
    if (await shared.isOther(cell, signal))
      await fetching.fetch(cell, async () => !(await shared.isOther(cell, signal)));
  }

  async function lookForReleases(): Promise<void> {
    if (now() < lookAt || (await offline.isNow())) return;
    lookAt = now() + HOUR_MS;
    await fetching.releases.current(limited());
  }

  function answer(question: Question, shape: Shape, args: readonly never[]): MaybeAnswer<unknown> {
    const [lon, lat] = shape.inside;
    if (isCovered(QUESTIONS[question], lon, lat)) return null;
    const cell = cellAt(shape.inside);
    // Nobody is to wait, not even for a look at the disk, where there is no network and nothing was found a moment ago.
    if (offline.wasJustNow() && cells.isMissing(cell)) return null;
    return later(question, cell, args);
  }

  async function later(question: Question, cell: Cell, args: readonly never[]): ReturnTypeOf {
    const opened = await inTime(obtain(cell), config.checkTimeoutMs * FETCH_WAIT_SHARE, beingFetched);
    return opened === null ? null : await queryPack(question, args, opened, () => findAgain(cells, cell));
  }

  const sources = Object.fromEntries(
    (Object.keys(QUESTIONS) as Question[]).map((question) => [
      question,
      (...args: never[]) => answer(question, args.find(isShape) as unknown as Shape, args),
    ]),
  ) as unknown as SourceLayer;

  const ahead = createReadAhead({
    isCovered: (lon, lat) => Object.values(QUESTIONS).every((roles) => isCovered(roles, lon, lat)),
    isMissing: async (cell) => (await cells.find(cell)) === null && !(await offline.isNow()),
    obtain,
  });

  return {
    sources,
    ahead,
    async close() {
      await fetching.stop();
      await cells.close();
      await shared?.close();
    },
  };
}

/** Fetches cells, each once however many want it, and keeps room for them. */
function openFetching(config: AutoDataConfig, deps: AutoDataDeps, cells: OpenedCells) {
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
    const release = taken ?? (await fetchAndShare(config, fetcher, shared, cell, signal));
    const ms = Math.round(performance.now() - begun);
    log.info({ cell: cell.name, release, ms, shared: taken !== null }, 'map data was fetched');
    if (taken === null) onFetched(null);
    keepRoom(cell, release);
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

/** Whether the bucket was looked at for a cell within the last minute; from now on it was. */
function createFollowed(now: () => number): (cell: Cell) => boolean {
  const followedAt = new Map<string, number>();
  return ({ name }) => {
    if (now() - (followedAt.get(name) ?? -Infinity) < FOLLOW_MS) return true;
    if (followedAt.size > 10_000) followedAt.clear();
    followedAt.set(name, now());
    return false;
  };
}

type OpenedCells = ReturnType<typeof openCells>;
type SharedCells = ReturnType<typeof openSharedCells>;

/** Fetches a cell and gives it to other hosts, if any; the release it is of. */
async function fetchAndShare(
  config: AutoDataConfig,
  fetcher: Pick<CellFetcher, 'fetch'>,
  shared: SharedCells | null,
  cell: Cell,
  signal: AbortSignal,
): Promise<string> {
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

/** What a pack answers; another process may have joined it with others, or removed it, and then it is looked for once more. */
async function queryPack(
  question: Question,
  args: readonly never[],
  opened: OpenedPack,
  again: () => Promise<OpenedPack | null>,
): ReturnTypeOf {
  const query = ({ sources }: OpenedPack): MaybeAnswer<unknown> =>
    (sources[question] as (...args: readonly never[]) => MaybeAnswer<unknown>)(...args);
  try {
    return await query(opened);
  } catch (error) {
    const found = await again();
    if (found === null) throw error;
    return await query(found);
  }
}

function findAgain(cells: OpenedCells, cell: Cell): Promise<OpenedPack | null> {
  cells.forget(cell);
  return cells.find(cell);
}

type ReturnTypeOf = Promise<Awaited<MaybeAnswer<unknown>>>;

function never(): Promise<boolean> {
  return Promise.resolve(false);
}

function isShape(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'inside' in value;
}
