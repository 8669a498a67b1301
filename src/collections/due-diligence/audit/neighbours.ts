import type { Bbox } from '../../../geo/shapes/shape.ts';
import { exteriorsOf } from '../geometry/fit-geometry.ts';
import type { FittedPlot } from '../fit-plot.ts';
import { flat } from '../geometry/snap-rings.ts';

/** Ground of an exported plot, to be drawn around others: rings and points, longitude and latitude in degrees. */
export interface Neighbour {
  readonly key: string;
  readonly rings: readonly Float64Array[];
  readonly points: readonly (readonly [lon: number, lat: number])[];
  readonly bounds: Bbox;
}

/** Vertices that are kept in memory; plots after them are not drawn around others. */
const MAX_VERTICES = 200_000;
/** Side of the cells that plots are found by, in degrees. */
const CELL = 0.02;
/** A plot over more cells is not kept: it would be everywhere. */
const MAX_CELLS = 64;
const MAX_FOUND = 400;

/** Where thousands lie in one cell, most of a search is looking at their boxes: four numbers each. */
interface Cell {
  readonly entries: Neighbour[];
  readonly boxes: number[];
}

const NO_CELL: Cell = { entries: [], boxes: [] };

export type NeighbourIndex = ReturnType<typeof createNeighbours>;

/** Remembers plots by place, in memory that is bounded. */
export function createNeighbours() {
  const cells = new Map<string, Cell>();
  let vertices = 0;
  return {
    add(key: string, { members }: Pick<FittedPlot, 'members'>): void {
      const rings = members.flatMap(exteriorsOf).map(flat);
      const points = members.flatMap((member) =>
        member.type === 'Point' ? [member.coordinates as readonly [number, number]] : [],
      );
      const size = rings.reduce((sum, ring) => sum + ring.length / 2, points.length);
      if (size === 0 || vertices + size > MAX_VERTICES) return;
      const bounds = boundsOf(rings, points);
      const keys = cellsOf(bounds);
      if (keys === null) return;
      vertices += size;
      const entry: Neighbour = { key, rings, points, bounds };
      for (const cell of keys) {
        let known = cells.get(cell);
        if (known === undefined) cells.set(cell, (known = { entries: [], boxes: [] }));
        known.entries.push(entry);
        known.boxes.push(...bounds);
      }
    },
    /** Plots whose own boxes meet the box, without the one itself; none for a box that is too wide. */
    around(box: Bbox, key: string): readonly Neighbour[] {
      const found = new Set<Neighbour>();
      const [west, south, east, north] = box;
      for (const cell of cellsOf(box) ?? []) {
        const { entries, boxes } = cells.get(cell) ?? NO_CELL;
        for (let i = 0, at = 0; i < entries.length; i++, at += 4)
          if (boxes[at] <= east && boxes[at + 2] >= west && boxes[at + 1] <= north && boxes[at + 3] >= south)
            if (entries[i].key !== key) found.add(entries[i]);
      }
      return [...found].slice(0, MAX_FOUND);
    },
  };
}

function cellsOf([west, south, east, north]: Bbox): string[] | null {
  const [left, right, low, high] = [west, east, south, north].map((value) => Math.floor(value / CELL));
  if ((right - left + 1) * (high - low + 1) > MAX_CELLS) return null;
  const out: string[] = [];
  for (let x = left; x <= right; x++) for (let y = low; y <= high; y++) out.push(`${x} ${y}`);
  return out;
}

/** The box around rings and points; null without any. */
export function boundsOf(rings: readonly Float64Array[], points: readonly (readonly number[])[]): Bbox {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (lon: number, lat: number): void => {
    [west, south, east, north] = [Math.min(west, lon), Math.min(south, lat), Math.max(east, lon), Math.max(north, lat)];
  };
  for (const ring of rings) for (let i = 0; i < ring.length; i += 2) take(ring[i], ring[i + 1]);
  for (const [lon, lat] of points) take(lon, lat);
  return [west, south, east, north];
}
