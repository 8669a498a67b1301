import { isLeftOf } from '../rings/point-in-polygon.ts';
import { SHARED_CELL } from './edge-set.ts';
import { GrowingArray } from './growing-array.ts';

/**
 * Works out which owners hold the anchors of a world grid: one pass over all edges notes where they cross the rows
 * of anchors, then every row is walked from west to east.
 */
export class AnchorSweep {
  readonly #scale: number;
  readonly #cellsPerDegree: number;
  /** First column whose anchor is not west of the edge; may be beyond the last. */
  readonly #column = new GrowingArray(Int32Array);
  readonly #row = new GrowingArray(Int32Array);
  /** Owner x 2, plus 1 where the edge runs upwards and so its owner ends to the east. */
  readonly #mark = new GrowingArray(Int32Array);

  constructor(scale: number, cellsPerDegree: number) {
    this.#scale = scale;
    this.#cellsPerDegree = cellsPerDegree;
  }

  addEdge(ax: number, ay: number, bx: number, by: number, owner: number): void {
    const cell = this.#scale / this.#cellsPerDegree;
    const origin = anchorAt(0, cell, 90 * this.#scale);
    const low = Math.ceil(((ay < by ? ay : by) - origin) / cell);
    const high = Math.floor(((ay < by ? by : ay) - origin) / cell);
    for (let row = low; row <= high; row++) {
      this.#column.push(this.#columnOf(origin + row * cell, ax, ay, bx, by));
      this.#row.push(row);
      this.#mark.push(owner * 2 + (by > ay ? 1 : 0));
    }
  }

  #columnOf(y: number, ax: number, ay: number, bx: number, by: number): number {
    const cell = this.#scale / this.#cellsPerDegree;
    const first = anchorAt(0, cell, 180 * this.#scale);
    const position = (ax + ((y - ay) / (by - ay)) * (bx - ax) - first) / cell;
    const nearest = Math.round(position);
    if (Math.abs(position - nearest) > 1e-6) return Math.ceil(position);
    // So close to the anchor, rounding must not decide otherwise than it will when points are looked up.
    return isLeftOf(first + nearest * cell, y, ax, ay, bx, by) ? nearest + 1 : nearest;
  }

  /** The value of every cell, and the owners with their winding numbers where a cell has more than one. */
  finish(): { cells: Uint8Array; shared: (readonly [number, readonly number[]])[] } {
    const columns = 360 * this.#cellsPerDegree;
    const cells = new Uint8Array(columns * 180 * this.#cellsPerDegree);
    const shared: (readonly [number, readonly number[]])[] = [];
    const order = this.#sorted();
    const windings = new Map<number, number>();
    for (let from = 0; from < order.length;) {
      const row = this.#row.values[order[from]];
      windings.clear();
      let column = 0;
      for (; from < order.length && this.#row.values[order[from]] === row; from++) {
        const crossing = order[from];
        const until = Math.min(columns, this.#column.values[crossing]);
        for (; column < until; column++) setCell(cells, shared, row * columns + column, windings);
        const mark = this.#mark.values[crossing];
        turn(windings, mark >> 1, (mark & 1) === 1 ? -1 : 1);
      }
    }
    return { cells, shared };
  }

  #sorted(): Uint32Array {
    const columns = this.#column.values;
    const rows = this.#row.values;
    return Uint32Array.from({ length: this.#row.length }, (_, i) => i).sort(
      (a, b) => rows[a] - rows[b] || columns[a] - columns[b] || a - b,
    );
  }
}

/** Middle of a cell, half a unit off so that no vertex ever lies on it or on its row or column. */
export function anchorAt(index: number, cell: number, half: number): number {
  return Math.floor((index + 0.5) * cell) + 0.5 - half;
}

function turn(windings: Map<number, number>, owner: number, by: number): void {
  const winding = (windings.get(owner) ?? 0) + by;
  if (winding === 0) windings.delete(owner);
  else windings.set(owner, winding);
}

function setCell(
  cells: Uint8Array,
  shared: (readonly [number, readonly number[]])[],
  cell: number,
  windings: Map<number, number>,
): void {
  if (windings.size === 0) return;
  const [[owner, winding]] = windings;
  if (windings.size === 1 && winding === 1) cells[cell] = owner + 1;
  else {
    cells[cell] = SHARED_CELL;
    shared.push([cell, [...windings].flat()]);
  }
}
