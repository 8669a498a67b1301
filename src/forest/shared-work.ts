import { SMOOTHING, outlineSegment, type SegmentOutline } from '../geo/outline/outline.ts';
import { distanceInside } from '../geo/outline/include-point.ts';
import { type Rings, toRings } from '../geo/outline/rings.ts';
import { type CutSegment, isFoundFrom } from '../geo/segmentation/find-segment.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import type { Answer, CutPlace, FoundPatch, LiveAnswer } from './answer.ts';

/**
 * What the lookups of one request have found, for those of its points that lie in the same segment. Each gets what it
 * would have found alone, to the last bit.
 */
export interface SharedWork {
  /** What an earlier lookup cut in a raster, when the segment holds the pixel and would be found from it; else null. */
  cutAt(place: CutPlace): Answer | null;
  keepCut(place: CutPlace, answer: LiveAnswer): void;
  /** The outline of a segment around a point; `id` is the segment's. */
  outline(id: string, found: Pick<FoundPatch, 'corners' | 'lattice'>, point: LonLat): SegmentOutline;
}

/** Farther from 0 a segment may cross the antimeridian, where its longitudes depend on the side of the point. */
const MAX_LONGITUDE = 179;

/** Bytes of masks and outlines that are kept for a request, about; what is found after that is not shared. */
const MOST_BYTES = 4_000_000;
/** What a vertex of an outline takes, as a pair of numbers and in the polygon. */
const VERTEX_BYTES = 100;

/** Work shared by the lookups of one request, which may run at the same time. */
export function createSharedWork(): SharedWork {
  let room = MOST_BYTES;
  const cuts = new Map<string, CachedCut[]>();
  const outlines = new Map<string, { readonly outline: SegmentOutline; readonly rings: Rings }>();

  return {
    cutAt(place) {
      const { x, y, phase } = place;
      const column = Math.floor((x - phase.x) / 2);
      const row = Math.floor((y - phase.y) / 2);
      return cuts.get(rasterKey(place))?.find(({ found }) => isFoundFrom(found, column, row))?.answer ?? null;
    },
    keepCut(place, { answer, cut }) {
      if (cut === null || room < cut.found.mask.length) return;
      room -= cut.found.mask.length;
      const key = rasterKey(place);
      const kept = cuts.get(key) ?? [];
      cuts.set(key, kept);
      kept.push({ answer, found: cut.found });
    },
    outline(id, { corners, lattice }, point) {
      let plain = outlines.get(id);
      const isAlone = plain === undefined && room <= 0;
      if (isAlone || Math.abs(point[0]) > MAX_LONGITUDE) return outlineSegment(corners, lattice, point);
      if (plain === undefined) {
        const outline = outlineSegment(corners, lattice, null);
        plain = { outline, rings: toRings(outline.polygon) };
        room -= (plain.rings.coords.length / 2) * VERTEX_BYTES;
        outlines.set(id, plain);
      }
      // Only a point that is not inside well enough changes what is drawn for no point at all.
      const isInside = distanceInside(plain.rings, point).inside >= SMOOTHING.depths[0];
      return isInside ? plain.outline : outlineSegment(corners, lattice, point);
    },
  };
}

interface CachedCut {
  readonly answer: Answer;
  readonly found: CutSegment;
}

/** The lattice and year that a segment belongs to. */
export function rasterKey({ dataset, raster, phase }: CutPlace): string {
  const { id, year, crs, transform } = raster;
  return [dataset.id, id, year, crs, ...transform, phase.x, phase.y].join(' ');
}
