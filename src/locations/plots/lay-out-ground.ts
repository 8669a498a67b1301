import type { Geometry } from '../../geo/geometry.ts';
import type { Overlay } from './geos.ts';
import { polygonHectares } from '../measure-geometry.ts';
import { round } from '../../geo/round.ts';

/**
 * Ground of a plot that lies on other plots: the share of the plot's own area, over 0 and up to 1, and the numbers of all
 * the others that lie there.
 */
export type GroundPiece = readonly [share: number, ...plots: number[]];

/** Another plot that has ground in common with the plot. */
export interface CommonGround {
  readonly number: number;
  readonly geometry: Geometry;
  /** What the two have in common. */
  readonly common: Geometry;
}

/** Share of a plot that is no ground: what borders drawn twice leave between each other. */
const NO_SHARE = 1e-6;
/** Share of a plot below which a piece is not divided further: it goes whole to where most of it lies. */
const LEAST_DIVIDED = 1e-4;
/** Pieces and GEOS operations that a plot may take: farm outlines that were drawn ten times over need fewer. */
const MOST_PIECES = 64;
const MOST_OPERATIONS = 256;

interface Piece {
  readonly geometry: Geometry;
  readonly hectares: number;
  readonly plots: readonly number[];
}

/**
 * Divides the ground that a plot has in common with others, by which of them lie there. Pieces do not overlap, so that
 * their shares add up, whichever of the others are counted. Null where GEOS gives up or there are too many pieces.
 */
export function layOutGround(
  geometry: Geometry,
  others: readonly CommonGround[],
  overlay: Overlay,
): readonly GroundPiece[] | null {
  const own = polygonHectares(geometry);
  const pieces = divide(geometry, own, others, overlay);
  return pieces?.map(({ hectares, plots }) => [share(hectares / own), ...plots]) ?? null;
}

function divide(geometry: Geometry, own: number, others: readonly CommonGround[], overlay: Overlay): Piece[] | null {
  let operations = 0;
  let isLast = false;
  /**
   * Both sides of a cut; null where GEOS gives up or was called too often. A side without ground to speak of is null. After
   * the last cut areas alone count, and the geometry is that of the whole piece.
   */
  function cut(piece: Geometry, hectares: number, other: Geometry, least: number, common?: Geometry) {
    if (++operations > MOST_OPERATIONS) return null;
    const inside = common ?? overlay.intersection(piece, other);
    if (inside === null) return null;
    const shared = Math.min(hectares, polygonHectares(inside));
    if (shared <= least * own) return { inside: null, outside: { geometry: piece, hectares } };
    if (hectares - shared <= least * own) return { inside: { geometry: piece, hectares }, outside: null };
    const [polygons, outside] = isLast ? [piece, piece] : [polygonsOf(inside), overlay.difference(piece, other)];
    if (polygons === null || outside === null) return null;
    return {
      inside: { geometry: polygons, hectares: shared },
      outside: { geometry: outside, hectares: hectares - shared },
    };
  }

  let taken: Piece[] = [];
  let free: Omit<Piece, 'plots'> | null = { geometry, hectares: own };
  for (const [i, { number, geometry: other, common }] of others.entries()) {
    const next: Piece[] = [];
    isLast = i === others.length - 1;
    for (const piece of taken) {
      const sides = cut(piece.geometry, piece.hectares, other, LEAST_DIVIDED);
      if (sides === null) return null;
      if (sides.outside !== null) next.push({ ...sides.outside, plots: piece.plots });
      if (sides.inside !== null) next.push({ ...sides.inside, plots: [...piece.plots, number] });
    }
    if (free !== null) {
      const sides = cut(free.geometry, free.hectares, other, NO_SHARE, i === 0 ? common : undefined);
      if (sides === null) return null;
      if (sides.inside !== null) next.push({ ...sides.inside, plots: [number] });
      free = sides.outside;
    }
    if (next.length > MOST_PIECES) return null;
    taken = next;
  }
  return taken;
}

/** The polygons of what GEOS found in common, without the lines and points where borders meet; null where there are none. */
function polygonsOf(geometry: Geometry): Geometry | null {
  if (geometry.type === 'Polygon' || geometry.type === 'MultiPolygon') return geometry;
  if (geometry.type !== 'GeometryCollection') return null;
  const coordinates = geometry.geometries.flatMap((member) =>
    member.type === 'Polygon' ? [member.coordinates] : member.type === 'MultiPolygon' ? member.coordinates : [],
  );
  return coordinates.length === 0 ? null : { type: 'MultiPolygon', coordinates };
}

/** With six decimals. */
function share(value: number): number {
  return Math.min(1, round(value, 6));
}

/** Circles around one place, smallest first: where a plot known by a point lies on earlier ones at the same point. */
export function layOutCircles(
  hectares: number,
  earlier: readonly { readonly number: number; readonly hectares: number }[],
): readonly GroundPiece[] {
  const bySize = earlier.toSorted((a, b) => a.hectares - b.hectares);
  let inner = 0;
  return bySize.flatMap((circle, i): GroundPiece[] => {
    const outer = Math.min(hectares, circle.hectares);
    const piece = share((outer - inner) / hectares);
    inner = Math.max(inner, outer);
    return piece === 0 ? [] : [[piece, ...bySize.slice(i).map(({ number }) => number)]];
  });
}
