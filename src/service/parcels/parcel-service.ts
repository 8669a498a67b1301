import type { WrittenAnswer } from '../../forest/feature-text.ts';
import type { Crs } from '../../geo/crs/find-crs.ts';

/** How points are searched. */
interface ParcelSearch {
  readonly crs: Crs;
  /** Whether the forest patch answers outside of every parcel footprint. */
  readonly forestFallback: boolean;
  /** Whose task the fallback is. */
  readonly userId: string;
  readonly signal: AbortSignal;
}

export interface ParcelService {
  /** An answer for each feature, in their order. Throws what the signal is aborted with. */
  search(features: readonly unknown[], search: ParcelSearch): Promise<readonly WrittenAnswer[]>;
  close(): Promise<void>;
}
