import type { Vertices } from './clip-ring.ts';

/** Share of the shorter edge at a corner that is cut off, and the most, in units. */
const CUT_SHARE = 0.3;
const MOST_CUT = 6;
/** Corners that turn by less are left as they are: cosine of 35 degrees. */
const GENTLE = Math.cos((35 * Math.PI) / 180);

/**
 * A ring whose sharp corners are cut off, nowhere farther than `MOST_CUT` from the old one. The source draws shores from corner to corner
 * of a grid with cells of half a kilometre to a kilometre, which from near are shards.
 */
export function roundCorners(ring: Vertices): number[] {
  const count = ring.length / 2 - 1;
  const out: number[] = [];
  for (let i = 0; i < count; i++) {
    const before = 2 * ((i + count - 1) % count);
    const [at, next] = [2 * i, 2 * (i + 1)];
    const [ax, ay] = [ring[before] - ring[at], ring[before + 1] - ring[at + 1]];
    const [bx, by] = [ring[next] - ring[at], ring[next + 1] - ring[at + 1]];
    const [a, b] = [Math.hypot(ax, ay), Math.hypot(bx, by)];
    const cut = Math.min(CUT_SHARE * Math.min(a, b), MOST_CUT);
    if (cut < 1 || -(ax * bx + ay * by) >= GENTLE * a * b) {
      out.push(ring[at], ring[at + 1]);
      continue;
    }
    out.push(Math.round(ring[at] + (ax * cut) / a), Math.round(ring[at + 1] + (ay * cut) / a));
    out.push(Math.round(ring[at] + (bx * cut) / b), Math.round(ring[at + 1] + (by * cut) / b));
  }
  out.push(out[0], out[1]);
  return out;
}
