import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { Contracts } from '../../readers/contracts/contracts.ts';

/** A dataset that is queried for a place. */
interface Locating {
  readonly dataset: Dataset;
  at(lon: number, lat: number, signal: AbortSignal): Promise<unknown>;
}

/** The same dataset, which fails while it is known not to be what its contract says. Both are found out at the same time. */
export function underContract<S extends Locating>(source: S, contracts: Pick<Contracts, 'require'>): S {
  return {
    ...source,
    async at(lon: number, lat: number, signal: AbortSignal) {
      const [place, held] = await Promise.allSettled([
        source.at(lon, lat, signal),
        contracts.require(source.dataset.id, signal),
      ]);
      if (held.status === 'rejected') throw held.reason;
      if (place.status === 'rejected') throw place.reason;
      return place.value;
    },
  };
}
