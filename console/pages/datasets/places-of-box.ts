import type { Box } from '../../map/map-view.tsx';

/** Cells of map data in a degree each way, and how many of them are fetched on one request. */
const PER_DEGREE = 10;
const MOST_CELLS = 100;
/** Places each way of a box that holds more cells. */
const GRID = 10;

/** Where a box is looked at: the middle of each of its cells, or places spread evenly where it has too many. */
export function placesOfBox([west, south, east, north]: Box): {
  readonly places: readonly (readonly [lon: number, lat: number])[];
  /** Every cell has its place, so that what is missing can be fetched. */
  readonly isEveryCell: boolean;
} {
  const [left, right] = cells(west, east);
  const [low, high] = cells(south, north);
  const [across, up] = [right - left + 1, high - low + 1];
  if (across * up <= MOST_CELLS)
    return { isEveryCell: true, places: grid(across, up, (x, y) => [middle(left + x), middle(low + y)]) };
  return {
    isEveryCell: false,
    places: grid(GRID, GRID, (x, y) => [
      west + ((x + 0.5) / GRID) * (east - west),
      south + ((y + 0.5) / GRID) * (north - south),
    ]),
  };
}

/** The first and the last cell that a span of degrees reaches into. */
function cells(from: number, to: number): readonly [first: number, last: number] {
  return [Math.floor(from * PER_DEGREE + 1e-9), Math.ceil(to * PER_DEGREE - 1e-9) - 1];
}

function middle(cell: number): number {
  return Number(((cell + 0.5) / PER_DEGREE).toFixed(2));
}

function grid<T>(across: number, up: number, at: (x: number, y: number) => T): readonly T[] {
  return Array.from({ length: across * up }, (_, i) => at(i % across, Math.floor(i / across)));
}
