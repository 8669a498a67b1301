import { covers } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';

/**
 * How long a dataset that could not be reached is left alone: twice the time it took to find out, within these bounds. A
 * network that swallows packets would otherwise let every lookup wait in full, one after the other.
 */
const REST_MS = { least: 10_000, most: 30_000 } as const;
/** Kinds of failed reads that the next question would meet as well. */
const OUT_OF_REACH: ReadonlySet<unknown> = new Set(['transport', 'timeout', 'status', 'offline', 'contract']);

/** A dataset that is queried for a place. */
interface Locating {
  readonly dataset: Dataset;
  at(lon: number, lat: number, signal: AbortSignal): Promise<unknown>;
}

/**
 * The same dataset, queried only inside the coverage its catalogue entry states, and left alone for a while after it could
 * not be reached: its questions then fail at once with the first one's error, so that a batch does not wait for each.
 *
 * @param now milliseconds of a clock that never goes back.
 */
export function guardSource<S extends Locating>(source: S, now: () => number = () => performance.now()): S {
  let failed: { readonly error: unknown; readonly until: number } | null = null;
  return {
    ...source,
    async at(lon: number, lat: number, signal: AbortSignal) {
      if (!covers(source.dataset.coverage, lon, lat)) return null;
      if (failed !== null && now() < failed.until) throw failed.error;
      const begun = now();
      const before = failed;
      // One question finds out whether the dataset is back; the others, which would hold up lookups elsewhere, do not wait.
      if (before !== null) failed = { ...before, until: begun + REST_MS.most };
      try {
        const place = await source.at(lon, lat, signal);
        failed = null;
        return place;
      } catch (error) {
        // A question that was given up has found out nothing: the next one does.
        if (before !== null) failed = signal.aborted ? { ...before, until: now() } : null;
        if (isOutOfReach(error)) failed = { error, until: now() + restAfter(now() - begun) };
        throw error;
      }
    },
  };
}

function restAfter(waitedMs: number): number {
  return Math.min(REST_MS.most, Math.max(REST_MS.least, 2 * waitedMs));
}

function isOutOfReach(error: unknown): boolean {
  const { name, kind } = error as { readonly name?: unknown; readonly kind?: unknown };
  return name === 'TimeoutError' || OUT_OF_REACH.has(kind);
}
