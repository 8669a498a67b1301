import { boxesTouch, type Bbox } from '../../../geo/shapes/shape.ts';
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

export type NeighbourIndex = ReturnType<typeof createNeighbours>;

/** Remembers plots by place, in memory that is bounded. */
export function createNeighbours() {
  const cells = new Map<string, Neighbour[]>();
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
        const list = cells.get(cell);
        if (list === undefined) cells.set(cell, [entry]);
        else list.push(entry);
      }
    },
    /** Plots whose own boxes meet the box, without the one itself; none for a box that is too wide. */
    around(box: Bbox, key: string): readonly Neighbour[] {
      const found = new Set<Neighbour>();
      for (const cell of cellsOf(box) ?? [])
        for (const neighbour of cells.get(cell) ?? [])
          if (boxesTouch(neighbour.bounds, box) && neighbour.key !== key) found.add(neighbour);
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
