import { pointInRing } from '../../../geo/rings/point-in-polygon.ts';

/** Polygons put together: each an exterior ring and its holes, closed, longitude and latitude in turn. */
export type Polygons = readonly (readonly Float64Array[])[];

/**
 * Joins the lines of a multipolygon into rings where their ends meet and sorts the rings by how deep they lie in each other: even ones are
 * exteriors, odd ones holes of the smallest exterior around them. Roles are not trusted, as OpenStreetMap advises. Null when
 * some line cannot be closed.
 */
export function assembleRings(lines: readonly Float64Array[]): Polygons | null {
  const rings = joinLines(lines);
  if (rings === null || rings.length === 0) return null;
  const sized = rings.map((ring) => ({ ring, area: Math.abs(flatArea(ring)) })).filter(({ area }) => area > 0);
  sized.sort((a, b) => b.area - a.area);
  const polygons: { rings: Float64Array[]; area: number }[] = [];
  for (const [i, { ring, area }] of sized.entries()) {
    const around = sized.slice(0, i).filter((other) => liesIn(ring, other.ring));
    if (around.length % 2 === 0) polygons.push({ rings: [ring], area });
    else polygons.findLast(({ rings }) => liesIn(ring, rings[0]))?.rings.push(ring);
  }
  return polygons.length === 0 ? null : polygons.map(({ rings }) => rings);
}

/** Closed rings from lines, taking each line once, in their order; null when one is left over. */
function joinLines(lines: readonly Float64Array[]): Float64Array[] | null {
  const rings: Float64Array[] = [];
  const open: Float64Array[] = [];
  for (const line of lines) {
    if (line.length < 4) return null;
    if (isClosed(line)) {
      if (line.length >= 8) rings.push(line);
    } else open.push(line);
  }
  const byEnd = new Map<string, Set<number>>();
  const add = (end: string, i: number): void => {
    const at = byEnd.get(end) ?? new Set();
    byEnd.set(end, at.add(i));
  };
  for (const [i, line] of open.entries()) for (const end of [first(line), last(line)]) add(end, i);
  const used = new Set<number>();
  const take = (i: number): void => {
    used.add(i);
    for (const end of [first(open[i]), last(open[i])]) byEnd.get(end)?.delete(i);
  };
  for (const [i, line] of open.entries()) {
    if (used.has(i)) continue;
    take(i);
    const ring = [...line];
    const start = first(line);
    for (let end = last(line); end !== start;) {
      const [next] = byEnd.get(end) ?? [];
      if (next === undefined) return null;
      take(next);
      const forward = first(open[next]) === end;
      const piece = forward ? open[next] : reversed(open[next]);
      for (let v = 2; v < piece.length; v++) ring.push(piece[v]);
      end = last(piece);
    }
    if (ring.length >= 8) rings.push(Float64Array.from(ring));
  }
  return rings;
}

function first(line: Float64Array): string {
  return `${line[0]} ${line[1]}`;
}

function last(line: Float64Array): string {
  return `${line[line.length - 2]} ${line[line.length - 1]}`;
}

export function isClosed(line: Float64Array): boolean {
  return line[0] === line[line.length - 2] && line[1] === line[line.length - 1];
}

function reversed(line: Float64Array): Float64Array {
  const out = new Float64Array(line.length);
  for (let i = 0; i < line.length; i += 2) {
    out[i] = line[line.length - 2 - i];
    out[i + 1] = line[line.length - 1 - i];
  }
  return out;
}

/** Whether a ring lies in another that it does not cross: its first vertex that is no vertex of the other decides. */
function liesIn(ring: Float64Array, other: Float64Array): boolean {
  for (let i = 0; i < ring.length - 2; i += 2)
    if (!hasVertex(other, ring[i], ring[i + 1])) return pointInRing(other, ring[i], ring[i + 1]);
  return false;
}

function hasVertex(ring: Float64Array, x: number, y: number): boolean {
  for (let i = 0; i < ring.length; i += 2) if (ring[i] === x && ring[i + 1] === y) return true;
  return false;
}

function flatArea(ring: Float64Array): number {
  let sum = 0;
  for (let i = 0; i + 3 < ring.length; i += 2)
    sum += (ring[i] - ring[0]) * (ring[i + 3] - ring[1]) - (ring[i + 2] - ring[0]) * (ring[i + 1] - ring[1]);
  return sum / 2;
}
