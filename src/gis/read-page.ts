import { geometrySize } from '../geo/shapes/flat-positions.ts';
import type { Bbox } from '../geo/shapes/shape.ts';
import { type Ground, groundOfBox, groundOfGeometry, shapesIntersect } from '../geo/shapes/shapes-intersect.ts';
import { selects } from './cql2/evaluate.ts';
import type { Expression } from './cql2/expression.ts';
import type { TimeSpan } from './days.ts';
import { type FeatureRows, groupsTouching, type MapFeature, rowsTouching } from './feature-rows.ts';

/** Rows that are read for one page at most: a filter that few features pass leads on by `next`. */
export const MAX_EXAMINED = 20_000;
/** Positions after which a page is full, whatever its limit. */
export const MAX_PAGE_POSITIONS = 500_000;
/** Positions of the geometries that are looked at for one page, those that are left out among them. */
const MAX_EXAMINED_POSITIONS = 1_000_000;
/** Rows read together. */
const BATCH = 100;

export interface PageRequest {
  /** Features that have a place in one of them; null: all. */
  readonly boxes: readonly Bbox[] | null;
  readonly filter: Expression | null;
  /** Features that are about days of it, where each has days of its own; default all. */
  readonly days?: TimeSpan;
  /** The last row that was looked at for the page before; null begins at the first. */
  readonly after: number | null;
  readonly limit: number;
}

export interface FeaturePage {
  readonly features: readonly MapFeature[];
  /** `after` of the next page; null on the last. A page may hold fewer than the limit, even none, and not be the last. */
  readonly next: number | null;
  /** Features on all pages, where that is known without reading them. */
  readonly matched: number | null;
  /** Features that the set knows of and cannot show whole; absent where there are none of that kind. */
  readonly leftOut?: number;
}

/** A page of features in the order of their rows. */
export async function readPage(
  rows: FeatureRows,
  { boxes, filter, after, limit }: PageRequest,
  signal: AbortSignal,
): Promise<FeaturePage> {
  const grounds = boxes?.map(groundOfBox) ?? null;
  const matched = boxes === null && filter === null ? rows.count : null;
  const features: MapFeature[] = [];
  const examined = { rows: 0, positions: 0 };
  let positions = 0;
  for (const group of groupsTouching(await rows.groups(signal), boxes)) {
    const from = Math.max(group.from, (after ?? -1) + 1);
    if (from >= group.to) continue;
    const numbers = await rowsTouching(rows, { from, to: group.to }, boxes, signal);
    for (let i = 0; i < numbers.length;) {
      signal.throwIfAborted();
      const some = numbers.slice(i, i + (filter === null ? Math.min(BATCH, limit + 1 - features.length) : BATCH));
      i += some.length;
      for (const feature of await rows.read(some, signal)) {
        const size = feature.geometry === null ? 0 : geometrySize(feature.geometry).vertices;
        examined.rows++;
        examined.positions += size;
        if (grounds !== null && !isIn(feature, grounds)) continue;
        if (filter !== null && !selects(filter, feature)) continue;
        // One more than fits says that there is a next page.
        if (features.length === limit || positions > MAX_PAGE_POSITIONS)
          return { features, next: Number(features.at(-1)?.id), matched };
        features.push(feature);
        positions += size;
      }
      if (examined.rows >= MAX_EXAMINED || examined.positions > MAX_EXAMINED_POSITIONS)
        return { features, next: some.at(-1) ?? null, matched };
    }
  }
  return { features, next: null, matched };
}

/** Whether a feature has a place on one of the grounds. */
export function isIn({ geometry }: MapFeature, grounds: readonly Ground[]): boolean {
  const ground = geometry === null ? null : groundOfGeometry(geometry);
  return ground !== null && grounds.some((other) => shapesIntersect(ground, other));
}
