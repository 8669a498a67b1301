import { isLeftOf } from '../rings/point-in-polygon.ts';
import { createHits, searchTree, type Hits } from '../packed-tree.ts';
import { anchorAt } from './anchor-sweep.ts';
import { createEdgeBlock, type EdgeBlock, type EdgeSet, readEdgeBlock, SHARED_CELL } from './edge-set.ts';

/**
 * Finds which owners of an edge set hold a point: from the anchor of its cell, whose owners are known, a path runs along the anchor's
 * meridian and then along the point's parallel, and every edge it crosses turns its owner's winding number by one. An owner holds
 * the point when that number is over 0. Points on an edge that two owners share belong to exactly one of them. Not to be used
 * by two callers at once; keeps its working room between calls.
 */
export class EdgeHolders {
  readonly #set: EdgeSet;
  readonly #block: EdgeBlock;
  readonly #hits: Hits = createHits();
  readonly #windings = new Int32Array(256);
  readonly #touched = new Int32Array(256);
  #touchedCount = 0;

  constructor(set: EdgeSet) {
    this.#set = set;
    this.#block = createEdgeBlock(set);
  }

  /** The lowest-numbered owner that holds the point, or -1. Longitude and latitude in degrees, clamped to the world. */
  firstAt(lon: number, lat: number): number {
    this.#wind(lon, lat);
    let first = -1;
    for (let i = 0; i < this.#touchedCount; i++) {
      const owner = this.#touched[i];
      if (this.#windings[owner] > 0 && (first === -1 || owner < first)) first = owner;
      this.#windings[owner] = 0;
    }
    this.#touchedCount = 0;
    return first;
  }

  /** Every owner that holds the point into `out`, lowest number first; returns how many. */
  allAt(lon: number, lat: number, out: Int32Array): number {
    this.#wind(lon, lat);
    let count = 0;
    for (let i = 0; i < this.#touchedCount; i++) {
      const owner = this.#touched[i];
      if (this.#windings[owner] > 0 && count < out.length) out[count++] = owner;
      this.#windings[owner] = 0;
    }
    this.#touchedCount = 0;
    if (count > 1) out.subarray(0, count).sort();
    return count;
  }

  /** Whether an owner holds the point. */
  holds(lon: number, lat: number, owner: number): boolean {
    this.#wind(lon, lat);
    const held = this.#windings[owner] > 0;
    for (let i = 0; i < this.#touchedCount; i++) this.#windings[this.#touched[i]] = 0;
    this.#touchedCount = 0;
    return held;
  }

  #wind(lon: number, lat: number): void {
    const { scale, anchors, tree } = this.#set;
    const px = Math.min(179.999_999_9, Math.max(-179.999_999_9, lon)) * scale;
    const py = Math.min(89.999_999_9, Math.max(-89.999_999_9, lat)) * scale;
    const cell = scale / anchors.cellsPerDegree;
    const column = Math.floor((px + 180 * scale) / cell);
    const row = Math.floor((py + 90 * scale) / cell);
    const ax = anchorAt(column, cell, 180 * scale);
    const ay = anchorAt(row, cell, 90 * scale);
    this.#startFrom(row * 360 * anchors.cellsPerDegree + column);
    const west = Math.min(px, ax);
    const east = Math.max(px, ax);
    const south = Math.min(py, ay);
    const north = Math.max(py, ay);
    this.#hits.count = 0;
    searchTree(tree, west, south, east, north, this.#hits);
    const { boxes } = tree;
    for (let i = 0; i < this.#hits.count; i++) {
      const at = this.#hits.ids[i] * 4;
      const onParallel = boxes[at + 1] <= py && boxes[at + 3] >= py;
      const onMeridian = boxes[at] <= ax && boxes[at + 2] >= ax;
      if (!onParallel && !onMeridian) continue;
      readEdgeBlock(this.#set, this.#hits.ids[i], this.#block);
      this.#cross(px, py, ax, ay, west, east, south, north);
    }
  }

  #startFrom(cell: number): void {
    const { anchors } = this.#set;
    const value = anchors.cells[cell];
    if (value === 0) return;
    if (value !== SHARED_CELL) {
      this.#turn(value - 1, 1);
      return;
    }
    const counts = anchors.shared.get(cell) ?? [];
    for (let i = 0; i < counts.length; i += 2) this.#turn(counts[i], counts[i + 1]);
  }

  #cross(
    px: number,
    py: number,
    ax: number,
    ay: number,
    west: number,
    east: number,
    south: number,
    north: number,
  ): void {
    const { x, y, ends, owners, pieces } = this.#block;
    let vertex = 0;
    for (let piece = 0; piece < pieces; piece++) {
      const owner = owners[piece];
      const end = ends[piece];
      if (owner >= this.#set.firstLine) {
        vertex = end;
        continue;
      }
      let turns = 0;
      let fromX = x[vertex];
      let fromY = y[vertex];
      for (vertex++; vertex < end; vertex++) {
        const toX = x[vertex];
        const toY = y[vertex];
        if (fromY > py !== toY > py && !(fromX < west && toX < west) && !(fromX > east && toX > east)) {
          const change = side(px, py, fromX, fromY, toX, toY) - side(ax, py, fromX, fromY, toX, toY);
          turns += fromY < toY ? change : -change;
        }
        if (fromX > ax !== toX > ax && !(fromY < south && toY < south) && !(fromY > north && toY > north)) {
          if (fromY === toY) {
            // Level edges lie just below the parallel through them, as they do for the other half of the path.
            const change = (py >= fromY ? 1 : 0) - (ay >= fromY ? 1 : 0);
            turns += fromX < toX ? change : -change;
          } else {
            const change = side(ax, py, fromX, fromY, toX, toY) - side(ax, ay, fromX, fromY, toX, toY);
            turns += fromY < toY ? change : -change;
          }
        }
        fromX = toX;
        fromY = toY;
      }
      if (turns !== 0) this.#turn(owner, turns);
    }
  }

  #turn(owner: number, by: number): void {
    let known = false;
    for (let i = 0; i < this.#touchedCount && !known; i++) known = this.#touched[i] === owner;
    if (!known) this.#touched[this.#touchedCount++] = owner;
    this.#windings[owner] += by;
  }
}

function side(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  return isLeftOf(x, y, ax, ay, bx, by) ? 1 : 0;
}
