import type { WrittenPatch } from '../../forest/feature-text.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';

/** From the pool to a forest thread. `id` is the number of one lookup. */
export type ToForestThread =
  | {
      readonly type: 'look';
      readonly id: number;
      /** The number of its request, whose lookups share what they find. */
      readonly job: number;
      readonly point: LonLat;
      readonly crs: string;
      readonly rawOutline: boolean;
    }
  | { readonly type: 'abort'; readonly id: number }
  /** A request has ended. */
  | { readonly type: 'forget'; readonly job: number };

/** From a forest thread to the pool. */
export type FromForestThread =
  | { readonly type: 'found'; readonly id: number; readonly patch: WrittenPatch }
  /** The lookup was aborted and has ended. */
  | { readonly type: 'aborted'; readonly id: number }
  /** A dataset failed; for the log. */
  | { readonly type: 'fault'; readonly dataset: string; readonly detail: string };
