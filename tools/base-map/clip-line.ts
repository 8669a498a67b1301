import type { Box, Vertices } from './clip-ring.ts';

/** The parts of a line within a box, each as x and y in turn; crossings of the box are rounded to whole units. */
export function clipLine(line: Vertices, box: Box): number[][] {
  const parts: number[][] = [];
  let open = false;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const cut = clipSegment(line[i], line[i + 1], line[i + 2], line[i + 3], box);
    if (cut === null) {
      open = false;
      continue;
    }
    const [ax, ay, bx, by] = cut;
    const last = parts.at(-1);
    if (open && last !== undefined) last.push(bx, by);
    else parts.push([ax, ay, bx, by]);
    open = bx === line[i + 2] && by === line[i + 3];
  }
  return parts;
}

/** After Liang and Barsky. */
function clipSegment(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  [minX, minY, maxX, maxY]: Box,
): readonly [number, number, number, number] | null {
  const [dx, dy] = [bx - ax, by - ay];
  let [from, to] = [0, 1];
  for (const [step, gap] of [
    [-dx, ax - minX],
    [dx, maxX - ax],
    [-dy, ay - minY],
    [dy, maxY - ay],
  ] as const) {
    if (step === 0) {
      if (gap < 0) return null;
      continue;
    }
    const at = gap / step;
    if (step < 0) from = Math.max(from, at);
    else to = Math.min(to, at);
    if (from > to) return null;
  }
  const place = (t: number) => [Math.round(ax + t * dx), Math.round(ay + t * dy)] as const;
  const [start, end] = [from === 0 ? ([ax, ay] as const) : place(from), to === 1 ? ([bx, by] as const) : place(to)];
  return [...start, ...end];
}
