import type { LabelRows } from './cut-area.ts';

/** A segment of a cut, in cells of its window. */
interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Labels of the segments next to it, each with one of its cells. */
  readonly neighbours: Map<number, number>;
}

/** Looks for windows that prove a segment in a cut that holds them, without cutting them. */
export interface ClosedSegments {
  /**
   * The first of `sides` whose window around the marker of a segment lies in the cut and is certain to prove the segment
   * (`segmentInWindow` says how, `squareAround` which window that is); null when that must be looked at.
   */
  provingSide(label: number, marker: readonly [column: number, row: number], sides: readonly number[]): number | null;
}

/**
 * A window W in a cut proves a segment X of the cut when X, the segments next to X and those next to them all lie within
 * W and none of their cells borders its ring. For then:
 * 1. W has the markers of X and of the segments next to it, and no others there. Of a bottom b among them that is no
 *    marker, water comes at the lowest level at which ground around b that is no higher leads to a marker; so that ground is of
 *    the same segment, and so is a way from b to a lower cell that stays less than `depth` above b: part of that ground, or on
 *    to the marker over cells that were reached before. W has that way too. And what is a marker stays one with less raster around.
 * 2. Water reaches their cells when it did. From the markers, by the same ways, which lie in these segments; from
 *    outside not earlier: it would come through two cells that lie under the same water in the cut, and so have one label.
 * 3. So each cell of X is reached from the same neighbour, and no other cell is reached from X. The same holds for
 *    the segments next to X, because those next to them lie within W as well: they are the ones that W has next to X.
 */
export function closedSegments({ labels, start, stride, width, height }: LabelRows): ClosedSegments {
  const extents = new Map<number, Extent>();
  const visited = new Uint8Array(stride * height);
  const stack: number[] = [];

  /** `cell` is one of the segment, counted from `start`. */
  function extentOf(label: number, cell: number): Extent {
    const known = extents.get(label);
    if (known !== undefined) return known;
    const extent = fill(label, cell);
    extents.set(label, extent);
    return extent;
  }

  function fill(label: number, from: number): Extent {
    const extent = { left: width, top: height, right: -1, bottom: -1, neighbours: new Map<number, number>() };
    visit(from, label, extent);
    for (let cell = stack.pop(); cell !== undefined; cell = stack.pop()) {
      const column = cell % stride;
      const row = (cell - column) / stride;
      if (column < extent.left) extent.left = column;
      if (column > extent.right) extent.right = column;
      if (row < extent.top) extent.top = row;
      if (row > extent.bottom) extent.bottom = row;
      // Segments never lie in the outermost ring of their window.
      visit(cell - 1, label, extent);
      visit(cell + 1, label, extent);
      visit(cell - stride, label, extent);
      visit(cell + stride, label, extent);
    }
    return extent;
  }

  function visit(cell: number, label: number, { neighbours }: Extent): void {
    const other = labels[start + cell];
    if (other !== label) {
      if (other !== 0) neighbours.set(other, cell);
      return;
    }
    if (visited[cell] === 1) return;
    visited[cell] = 1;
    stack.push(cell);
  }

  return {
    provingSide(label, [column, row], sides) {
      const first = sides.findIndex((side) => isWithin(column, row, side));
      let at = first;
      const fits = ({ left, top, right, bottom }: Extent): boolean => {
        while (at < sides.length) {
          const half = sides[at] / 2;
          const isInside =
            left > column - half && right < column + half - 1 && top > row - half && bottom < row + half - 1;
          if (isInside && isWithin(column, row, sides[at])) return true;
          at++;
        }
        return false;
      };
      if (first < 0) return null;
      const own = extentOf(label, row * stride + column);
      if (!fits(own)) return null;
      for (const [next, cell] of own.neighbours) {
        const around = extentOf(next, cell);
        if (!fits(around)) return null;
        for (const [further, place] of around.neighbours) if (!fits(extentOf(further, place))) return null;
      }
      return sides[at];
    },
  };

  /** Whether the cut holds the window of a side around a cell, its ring included. */
  function isWithin(column: number, row: number, side: number): boolean {
    const half = side / 2;
    return column > half && row > half && column + half < width && row + half < height;
  }
}
