import type { Position } from '../../../geo/geometry.ts';
import { findRingFault, type RingFault } from '../../../geo/rings/ring-validity.ts';

/** A closed ring on the grid of 6 decimals: longitude and latitude in degrees. */
export type GridRing = readonly (readonly [lon: number, lat: number])[];

/** How many grid steps a degree has. */
export const STEPS = 1_000_000;

/** How a coordinate gets its 6 decimals: the rules of 2025 round, those of 2026 cut off. */
export const SNAPS = {
  round: (value: number): number => Math.round(value * STEPS) / STEPS,
  truncate: (value: number): number => truncated(value),
} as const;

/** The rings with 6 decimals, open ends closed, repeated vertices left out; rings of fewer than 3 places come out empty. */
export function snapRings(rings: readonly (readonly Position[])[], snap: keyof typeof SNAPS): GridRing[] {
  const toGrid = SNAPS[snap];
  return rings.map((ring) => {
    const out: [number, number][] = [];
    for (const [lon, lat] of ring) {
      // + 0 turns -0, which JSON would write as 0 all the same.
      const at: [number, number] = [toGrid(lon) + 0, toGrid(lat) + 0];
      const last = out.at(-1);
      if (last === undefined || last[0] !== at[0] || last[1] !== at[1]) out.push(at);
    }
    const [first, last] = [out[0], out.at(-1)];
    if (first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1])) out.push(first);
    return out.length < 4 ? [] : out;
  });
}

/** The first fault of a polygon on the grid: as a reader sees it, and as whole numbers of steps, where touching is exact. */
export function gridFault(rings: readonly GridRing[]): RingFault | null {
  return findRingFault(rings.map(flat)) ?? findRingFault(rings.map((ring) => flat(ring).map(toSteps)));
}

/**
 * Whether the polygon is valid for a reader that cuts decimals off with floating point: 8.123457 times a million is a hair
 * below 8123457, and becomes 8.123456.
 */
export function survivesTruncation(rings: readonly GridRing[]): boolean {
  let changed = false;
  const cut = rings.map((ring) =>
    flat(ring).map((value) => {
      const less = Math.trunc(value * STEPS) / STEPS;
      changed ||= less !== value;
      return less;
    }),
  );
  return !changed || findRingFault(cut) === null;
}

export function toSteps(value: number): number {
  return Math.round(value * STEPS);
}

export function flat(ring: GridRing): Float64Array {
  const out = new Float64Array(ring.length * 2);
  for (let i = 0; i < ring.length; i++) {
    out[2 * i] = ring[i][0];
    out[2 * i + 1] = ring[i][1];
  }
  return out;
}

/** The decimal text cut after 6 places, which no rounding of binary numbers can move. */
function truncated(value: number): number {
  const nearest = Math.round(value * STEPS);
  const steps = Math.abs(nearest / STEPS) > Math.abs(value) ? nearest - Math.sign(nearest) : nearest;
  return steps / STEPS;
}
