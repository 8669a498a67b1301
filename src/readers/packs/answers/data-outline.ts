import type { Polygons } from '../../formats/osm/assemble-rings.ts';
import { type Bbox, boxRing } from '../../../geo/shapes/shape.ts';
import { ringsOf, traceLabels } from '../../../geo/outline/trace-labels.ts';
import { round } from '../../../geo/round.ts';

interface OutlineOptions {
  /** Degrees of a cell at first, 0.006 or more; halved in number whenever there are too many. Default 0.01. */
  readonly cell?: number;
  /** Features in a cell from which it counts: the stray ends of lines that leave an extract do not. Default 3. */
  readonly least?: number;
  /** Cells over which a gap is closed. Default 2. */
  readonly reach?: number;
  /** The share of all features below which an island of cells is left out. Default 0.005. */
  readonly leastShare?: number;
}

const MAX_CELLS = 200_000;

/**
 * Where a dataset has data: the outline of the cells with features, gaps closed. Takes one place a feature; memory is bounded, because
 * cells grow with the ground they cover.
 */
export class DataOutline {
  readonly #options: Required<OutlineOptions>;
  #cell: number;
  #counts = new Map<number, number>();
  #total = 0;
  readonly #box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];

  constructor({ cell = 0.01, least = 3, reach = 2, leastShare = 0.005 }: OutlineOptions = {}) {
    this.#options = { cell, least, reach, leastShare };
    this.#cell = cell;
  }

  add(lon: number, lat: number): void {
    this.#total++;
    const box = this.#box;
    if (lon < box[0]) box[0] = lon;
    if (lat < box[1]) box[1] = lat;
    if (lon > box[2]) box[2] = lon;
    if (lat > box[3]) box[3] = lat;
    const key = this.#keyOf(lon, lat);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (this.#counts.size > MAX_CELLS) this.#coarsen();
  }

  #keyOf(lon: number, lat: number): number {
    return Math.floor((lat + 90) / this.#cell) * 65_536 + Math.floor((lon + 180) / this.#cell);
  }

  #coarsen(): void {
    const finer = this.#counts;
    this.#counts = new Map();
    this.#cell *= 2;
    for (const [key, count] of finer) {
      const coarse = (Math.floor(key / 65_536) >> 1) * 65_536 + ((key % 65_536) >> 1);
      this.#counts.set(coarse, (this.#counts.get(coarse) ?? 0) + count);
    }
  }

  /**
   * The outline, inside the box the data was cut from where that is known. Where there is too little for an outline, the box
   * around everything; null when there is nothing.
   */
  polygons(cutFrom: Bbox | null): Polygons | null {
    if (this.#total === 0) return null;
    const grid = this.#grid(cutFrom);
    const polygons = grid === null ? [] : this.#trace(grid, cutFrom);
    return polygons.length > 0 ? polygons : [[boxRing(cutFrom ?? this.#box)]];
  }

  #grid(cutFrom: Bbox | null): Grid | null {
    const cells = [...this.#counts].filter(
      ([key, count]) => count >= this.#options.least && this.#isInside(key, cutFrom),
    );
    if (cells.length === 0) return null;
    const columns = cells.map(([key]) => key % 65_536);
    const rows = cells.map(([key]) => Math.floor(key / 65_536));
    const margin = this.#options.reach + 1;
    const west = columns.reduce((a, b) => Math.min(a, b)) - margin;
    const south = rows.reduce((a, b) => Math.min(a, b)) - margin;
    const width = columns.reduce((a, b) => Math.max(a, b)) + margin + 1 - west;
    const height = rows.reduce((a, b) => Math.max(a, b)) + margin + 1 - south;
    const counts = new Uint32Array(width * height);
    for (const [i, [, count]] of cells.entries()) counts[(rows[i] - south) * width + columns[i] - west] = count;
    return { west, south, width, height, counts };
  }

  /** Whether some of a cell lies in a box. */
  #isInside(key: number, box: Bbox | null): boolean {
    if (box === null) return true;
    const west = (key % 65_536) * this.#cell - 180;
    const south = Math.floor(key / 65_536) * this.#cell - 90;
    return west < box[2] && west + this.#cell > box[0] && south < box[3] && south + this.#cell > box[1];
  }

  #trace({ west, south, width, height, counts }: Grid, cutFrom: Bbox | null): Float64Array[][] {
    const filled = close(counts, width, height, this.#options.reach);
    const traced = traceLabels({ width, height, labels: filled });
    const [w, s, e, n] = cutFrom ?? this.#box;
    const polygons: Float64Array[][] = [];
    for (let p = 0; p + 1 < traced.polygonStart.length; p++) {
      const { coords, starts } = ringsOf(traced, p, west, south);
      // Holes are unmapped ground inside the data: they belong to it.
      const flat: number[] = [];
      for (let v = starts[0]; v < starts[1]; v++)
        flat.push(
          Math.min(e, Math.max(w, round(coords[2 * v] * this.#cell - 180, 6))),
          Math.min(n, Math.max(s, round(coords[2 * v + 1] * this.#cell - 90, 6))),
        );
      flat.push(flat[0], flat[1]);
      if (this.#shareIn(flat, west, south, width, counts) >= this.#options.leastShare)
        polygons.push([Float64Array.from(flat)]);
    }
    return polygons;
  }

  /** Share of all features in the cells inside the box of a ring. */
  #shareIn(ring: readonly number[], west: number, south: number, width: number, counts: Uint32Array): number {
    const xs = ring.filter((_, i) => i % 2 === 0);
    const ys = ring.filter((_, i) => i % 2 === 1);
    const column = (lon: number): number => Math.round((lon + 180) / this.#cell) - west;
    const row = (lat: number): number => Math.round((lat + 90) / this.#cell) - south;
    let sum = 0;
    for (let y = row(Math.min(...ys)); y < row(Math.max(...ys)); y++)
      for (let x = column(Math.min(...xs)); x < column(Math.max(...xs)); x++) sum += counts[y * width + x] ?? 0;
    return sum / this.#total;
  }
}

interface Grid {
  /** Column and row of the first cell. */
  readonly west: number;
  readonly south: number;
  readonly width: number;
  readonly height: number;
  readonly counts: Uint32Array;
}

/** Cells with features, and what lies between them: grown by the reach, then shrunk by it. */
function close(counts: Uint32Array, width: number, height: number, reach: number): Uint8Array {
  const flags = Uint8Array.from(counts, (count) => (count > 0 ? 1 : 0));
  return spread(spread(flags, width, height, 1, reach), width, height, 0, reach);
}

/** Every cell takes `value` when one within reach has it. */
function spread(flags: Uint8Array, width: number, height: number, value: 0 | 1, reach: number): Uint8Array {
  const out = flags.slice();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (flags[y * width + x] !== value) continue;
      for (let dy = -reach; dy <= reach; dy++)
        for (let dx = -reach; dx <= reach; dx++) {
          const [cx, cy] = [x + dx, y + dy];
          if (cx >= 0 && cy >= 0 && cx < width && cy < height) out[cy * width + cx] = value;
        }
    }
  return out;
}
