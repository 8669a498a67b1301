import { HOUR_MS } from '../../durations.ts';
import type { MaybeAnswer } from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { inTime } from '../../in-time.ts';
import type { SourceLayer } from '../world/source-layers.ts';
import type { AutoDataConfig } from './auto-data-config.ts';
import { packOfCell, type AutoPack } from './auto-packs.ts';
import { cellAt, type Cell } from './cells.ts';
import { openCells, type OpenCells, type OpenedPack } from './open-cells.ts';
import { openFetching, type FetchingDeps } from './open-fetching.ts';
import { beingFetched, createReadAhead, type ReadAhead } from './read-ahead.ts';

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

interface AutoDataDeps extends FetchingDeps {
  /** Whether something that is installed knows a place, so that nothing is fetched for a question of these roles. */
  readonly isCovered: (roles: readonly string[], lon: number, lat: number) => boolean;
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
/** How often a cell that is in use is compared with what other hosts share. */
const FOLLOW_MS = 60_000;

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

function findAgain(cells: OpenCells, cell: Cell): Promise<OpenedPack | null> {
  cells.forget(cell);
  return cells.find(cell);
}

type ReturnTypeOf = Promise<Awaited<MaybeAnswer<unknown>>>;

function isShape(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'inside' in value;
}
