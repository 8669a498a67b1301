import type { Bbox } from '../../geo/shapes/shape.ts';

/** Cells of a degree: small enough to lie between borders, large enough that the places of a file share a few thousand. */
const PER_DEGREE = 10;
/** Cells reach a little beyond their own lines, so that rounding never puts a place outside of its cell. */
const MARGIN = 1e-6;
/** Cells that are remembered before all are forgotten. */
const MOST_CELLS = 65_536;

/** Remembers the cells of a world grid in which one answer holds for every place, so that it is worked out once a cell. */
export interface UniformCells<T> {
  /** The answer for the cell of the place; null where the place has to be looked up itself. */
  at(lon: number, lat: number): T | null;
}

/**
 * @param answerIn the one answer for all places of a box in degrees, or null where there may be several; it is called once a cell.
 * Never for a box that reaches beyond the world
 */
export function createUniformCells<T>(answerIn: (box: Bbox) => T | null): UniformCells<T> {
  const known = new Map<number, T | null>();
  return {
    at(lon, lat) {
      const [column, row] = [Math.floor(lon * PER_DEGREE), Math.floor(lat * PER_DEGREE)];
      const key = row * 360 * PER_DEGREE + column;
      const found = known.get(key);
      if (found !== undefined) return found;
      const [west, south] = [column / PER_DEGREE - MARGIN, row / PER_DEGREE - MARGIN];
      const [east, north] = [(column + 1) / PER_DEGREE + MARGIN, (row + 1) / PER_DEGREE + MARGIN];
      const isInside = west > -180 && east < 180 && south > -90 && north < 90;
      const answer = isInside ? answerIn([west, south, east, north]) : null;
      if (known.size >= MOST_CELLS) known.clear();
      known.set(key, answer);
      return answer;
    },
  };
}
