import type { Vertices } from './clip-ring.ts';

/** A line or ring with fewer vertices, nowhere farther from the old one than `tolerance`, after Ramer, Douglas and Peucker. Its ends stay. */
export function simplifyLine(line: Vertices, tolerance: number): number[] {
  const last = line.length / 2 - 1;
  if (last < 2) return [...line];
  const keep = new Uint8Array(last + 1);
  keep[0] = 1;
  keep[last] = 1;
  // A ring has no baseline: `farthestVertex` parts it at the vertex farthest from its start.
  const spans: [first: number, last: number][] = [[0, last]];
  for (let span = spans.pop(); span !== undefined; span = spans.pop()) {
    const [first, end] = span;
    const { at, squared } = farthestVertex(line, first, end);
    if (squared <= tolerance * tolerance) continue;
    keep[at] = 1;
    spans.push([first, at], [at, end]);
  }
  const out: number[] = [];
  for (let i = 0; i <= last; i++) if (keep[i] === 1) out.push(line[2 * i], line[2 * i + 1]);
  return out;
}

/** The vertex farthest from the segment between two others, and the square of its distance; -1 where none is between. */
function farthestVertex(
  line: Vertices,
  first: number,
  last: number,
): { readonly at: number; readonly squared: number } {
  const [ax, ay] = [line[2 * first], line[2 * first + 1]];
  const [dx, dy] = [line[2 * last] - ax, line[2 * last + 1] - ay];
  const length = dx * dx + dy * dy;
  let at = first;
  let squared = -1;
  for (let i = first + 1; i < last; i++) {
    const [px, py] = [line[2 * i] - ax, line[2 * i + 1] - ay];
    const t = length === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / length));
    const distance = (px - t * dx) ** 2 + (py - t * dy) ** 2;
    if (distance > squared) [at, squared] = [i, distance];
  }
  return { at, squared };
}
