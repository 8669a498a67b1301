import type { Box } from '../../map/box-polygon.ts';

/** Cells of map data in a degree each way. */
const PER_DEGREE = 10;
/** Places that are looked at; as many cells are fetched on one request. */
const MOST = 100;
/** Places each way of a box that holds more cells. */
const GRID = 10;

/**
 * Where a box is looked at: in each of its cells as many places as there may be, spread evenly over what is in the box; where it has
 * too many cells, places spread over all of it.
 */
export function placesOfBox([west, south, east, north]: Box): {
  readonly places: readonly (readonly [lon: number, lat: number])[];
  /** Every cell has a place, so that what is missing can be fetched. */
  readonly isEveryCell: boolean;
} {
  const [across, up] = [cells(west, east), cells(south, north)];
  const count = across.length * up.length;
  if (count > MOST)
    return { isEveryCell: false, places: crossed(spread([west, east], GRID), spread([south, north], GRID)) };
  const each = Math.floor(Math.sqrt(MOST / count));
  const along = (spans: readonly Span[]): readonly number[] => spans.flatMap((span) => spread(span, each));
  return { isEveryCell: true, places: crossed(along(across), along(up)) };
}

type Span = readonly [from: number, to: number];

/** What lies in the box of each cell that it reaches into, one way. */
function cells(from: number, to: number): readonly Span[] {
  const first = Math.floor(from * PER_DEGREE + 1e-9);
  const last = Math.ceil(to * PER_DEGREE - 1e-9) - 1;
  return Array.from({ length: last - first + 1 }, (_, i) => [
    Math.max(from, (first + i) / PER_DEGREE),
    Math.min(to, (first + i + 1) / PER_DEGREE),
  ]);
}

/** So many middles of equal parts of a span. */
function spread([from, to]: Span, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => Number((from + ((i + 0.5) / count) * (to - from)).toFixed(6)));
}

function crossed(lons: readonly number[], lats: readonly number[]): readonly (readonly [number, number])[] {
  return lats.flatMap((lat) => lons.map((lon) => [lon, lat] as const));
}
