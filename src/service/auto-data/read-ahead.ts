import type { Shape } from '../../geo/shapes/shape.ts';
import { inTime } from '../../in-time.ts';
import { Unfetched } from '../outside/unfetched.ts';
import { cellAt, type Cell } from './cells.ts';

/** Longest that fetching one cell may take. */
export const MAX_FETCH_MS = 120_000;
/** Places of a batch that are read ahead, and the vertices of them all. */
const AHEAD = 500;
const AHEAD_VERTICES = 200_000;
/** How often a batch that waits says how far it is. */
const BEAT_MS = 300;

export interface AheadOptions {
  readonly signal: AbortSignal;
  /** How long one place is waited for; default as long as fetching it may take. */
  readonly waitMs?: number;
  /** Cells that the batch had to fetch so far, done and in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Reads ahead of a batch: what its places need is fetched for many of them at the same time, and each is handed on in its
 * order once that is there or has failed.
 */
export type ReadAhead = <T>(
  items: AsyncIterable<T>,
  shapeOf: (item: T) => Shape | null,
  options: AheadOptions,
) => AsyncIterable<T>;

/** The same with options of whoever answers: how long one place is waited for, or who hears how far it is. */
export function aheadWith(
  ahead: ReadAhead | undefined,
  own: Pick<AheadOptions, 'waitMs' | 'onProgress'>,
): { fetchAhead?: ReadAhead } {
  if (ahead === undefined) return {};
  return { fetchAhead: (items, shapeOf, options) => ahead(items, shapeOf, { ...options, ...own }) };
}

interface ReadAheadDeps {
  /** Whether something that is installed answers everything about a place, so that nothing is fetched for it. */
  readonly isCovered: (lon: number, lat: number) => boolean;
  /** Whether a cell is not here and may be fetched. */
  readonly isMissing: (cell: Cell) => Promise<boolean>;
  /** Resolves when a cell is here, or cannot be had. */
  readonly obtain: (cell: Cell) => Promise<unknown>;
}

/** Fetching goes on; the answer of a moment later has it. */
export function beingFetched(): Unfetched {
  return new Unfetched('map data of this place', 'is being fetched', ' (Overture); repeat the request in some seconds');
}

/** Reads ahead with what fetches the cells of places; nothing is read before its answer is iterated. */
export function createReadAhead({ isCovered, isMissing, obtain }: ReadAheadDeps): ReadAhead {
  return async function* <T>(
    items: AsyncIterable<T>,
    shapeOf: (item: T) => Shape | null,
    { signal, waitMs = MAX_FETCH_MS, onProgress = () => {} }: AheadOptions,
  ): AsyncGenerator<T, void> {
    const counts = { done: 0, total: 0 };
    const begun = new Map<string, Promise<void>>();
    const waiting: { readonly item: T; readonly ready: Promise<void> | null; readonly vertices: number }[] = [];
    let vertices = 0;
    const prepare = (shape: Shape | null): Promise<void> | null => {
      if (shape === null) return null;
      const [lon, lat] = shape.inside;
      if (isCovered(lon, lat)) return null;
      const cell = cellAt(shape.inside);
      const underWay = begun.get(cell.name);
      if (underWay !== undefined) return underWay;
      const job = prepareCell(cell).catch(() => {});
      begun.set(cell.name, job);
      return job;
    };
    const prepareCell = async (cell: Cell): Promise<void> => {
      if (!(await isMissing(cell))) return;
      onProgress(counts.done, ++counts.total);
      await obtain(cell).catch(() => null);
      onProgress(++counts.done, counts.total);
    };
    const next = async (): Promise<T> => {
      const { item, ready, vertices: own } = waiting.shift() as (typeof waiting)[number];
      vertices -= own;
      if (ready !== null) {
        // Repeated, because who hears it may pass on only some of it.
        const beat = setInterval(() => counts.done < counts.total && onProgress(counts.done, counts.total), BEAT_MS);
        const left = Promise.withResolvers<void>();
        const leave = (): void => left.resolve();
        signal.addEventListener('abort', leave, { once: true });
        await inTime(Promise.race([ready, left.promise]), waitMs, beingFetched).catch(() => {});
        signal.removeEventListener('abort', leave);
        clearInterval(beat);
      }
      signal.throwIfAborted();
      return item;
    };
    for await (const item of items) {
      const shape = shapeOf(item);
      const own = shape === null ? 0 : verticesOf(shape);
      waiting.push({ item, ready: prepare(shape), vertices: own });
      vertices += own;
      const isFull = (): boolean => waiting.length >= AHEAD || vertices > AHEAD_VERTICES;
      // What needs nothing is not held back by what comes after it.
      while (waiting.length > 0 && (isFull() || waiting[0].ready === null)) yield await next();
    }
    while (waiting.length > 0) yield await next();
  };
}

function verticesOf({ points, lines, polygons }: Shape): number {
  const lengths = [points, ...lines, ...polygons.flat()].map((positions) => positions.length);
  return lengths.reduce((sum, length) => sum + length, 0) / 2;
}
