import type { MultiPolygon, Polygon, Position } from '../geometry.ts';
import { pointInRing } from '../rings/point-in-polygon.ts';

type Ring = readonly Position[];

/**
 * A Polygon or MultiPolygon with edges over the antimeridian, cut there into polygons on either side (RFC 7946, section 3.1.9).
 * An edge that spans more than 180 degrees of longitude is taken to go the short way round. Null where there is nothing to
 * cut, for what is no such geometry or has unusable positions, and for a ring round a pole, which no cut makes right.
 */
export function cutAntimeridian(geometry: unknown): Polygon | MultiPolygon | null {
  const { type, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown };
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : null;
  if (!Array.isArray(polygons)) return null;
  const out: Position[][][] = [];
  let isCut = false;
  for (const polygon of polygons as unknown[]) {
    if (!isPolygon(polygon)) return null;
    if (!polygon.some(isCrossing)) {
      out.push(polygon as Position[][]);
      continue;
    }
    const parts = cutPolygon(polygon);
    if (parts === null) return null;
    isCut = true;
    out.push(...parts);
  }
  if (!isCut) return null;
  return out.length === 1 ? { type: 'Polygon', coordinates: out[0] } : { type: 'MultiPolygon', coordinates: out };
}

function isPolygon(value: unknown): value is readonly Ring[] {
  const isPosition = (at: unknown): boolean =>
    Array.isArray(at) && at.length >= 2 && Math.abs(at[0] as number) <= 180 && Math.abs(at[1] as number) <= 90;
  return (
    Array.isArray(value) && value.every((ring) => Array.isArray(ring) && ring.length > 3 && ring.every(isPosition))
  );
}

function isCrossing(ring: Ring): boolean {
  return ring.some(([lon], i) => i > 0 && Math.abs(lon - ring[i - 1][0]) > 180);
}

/** The meridian that is cut along once longitudes run on beyond it, in degrees. */
const CUT = 180;

function cutPolygon(polygon: readonly Ring[]): Position[][][] | null {
  const rings = polygon.map(unrolled);
  if (rings.some((ring) => ring === null)) return null;
  const [exterior, ...holes] = rings as Position[][];
  const east = (ring: Ring): number => Math.max(...ring.map(([lon]) => lon));
  const shift = (ring: Position[], by: number): Position[] => ring.map(([lon, lat]) => [lon + by, lat]);
  // Crossed westwards the longitudes run below -180.
  const outer = oriented(east(exterior) > CUT ? exterior : shift(exterior, 360), 1);
  const west = Math.min(...outer.map(([lon]) => lon));
  const inner = holes.map((hole) => oriented(hole.some(([lon]) => lon < west) ? shift(hole, 360) : hole, -1));
  const eastern = side([outer, ...inner], (lon) => lon > CUT, -1);
  return [
    ...side([outer, ...inner], (lon) => lon <= CUT, 1),
    ...eastern.map((parts) => parts.map((ring) => shift(ring, -360))),
  ];
}

/** The ring with longitudes that run on over the antimeridian; null where it does not come back to where it began. */
function unrolled(ring: Ring): Position[] | null {
  let turns = 0;
  const out: Position[] = [];
  for (const [i, [lon, lat]] of ring.entries()) {
    const step = i === 0 ? 0 : lon - ring[i - 1][0];
    if (step > 180) turns -= 360;
    if (step < -180) turns += 360;
    out.push([lon + turns, lat]);
  }
  return turns === 0 ? out : null;
}

/** The part of a polygon on one side of the cut, as polygons; `up` is 1 where its edge along the cut runs north, else -1. */
function side(rings: readonly Position[][], isInside: (lon: number) => boolean, up: 1 | -1): Position[][][] {
  const exteriors: Position[][] = [];
  const holes: Position[][] = [];
  const chains: Position[][] = [];
  for (const [i, ring] of rings.entries()) {
    if (ring.every(([lon]) => isInside(lon))) (i === 0 ? exteriors : holes).push(ring);
    else if (ring.some(([lon]) => isInside(lon))) chains.push(...chainsOf(ring, isInside));
  }
  exteriors.push(...joined(chains, up));
  return exteriors.map((exterior) => [exterior, ...holes.filter((hole) => holds(exterior, hole))]);
}

/** The pieces of a ring on one side, each from where it enters to where it leaves. */
function chainsOf(ring: Position[], isInside: (lon: number) => boolean): Position[][] {
  const open = ring.slice(0, -1);
  const first = open.findIndex((at, i) => !isInside(at[0]) && isInside(open[(i + 1) % open.length][0]));
  const chains: Position[][] = [];
  let chain: Position[] | null = null;
  for (let k = 0; k < open.length; k++) {
    const from = open[(first + k) % open.length];
    const to = open[(first + k + 1) % open.length];
    const [inFrom, inTo] = [isInside(from[0]), isInside(to[0])];
    if (!inFrom && inTo) chain = [crossing(from, to)];
    if (inTo) pushNew(chain, to);
    if (inFrom && !inTo && chain !== null) {
      pushNew(chain, crossing(from, to));
      chains.push(chain);
      chain = null;
    }
  }
  return chains;
}

function pushNew(chain: Position[] | null, at: Position): void {
  const last = chain?.at(-1);
  if (last !== undefined && last[0] === at[0] && last[1] === at[1]) return;
  chain?.push(at);
}

function crossing([ax, ay]: Position, [bx, by]: Position): Position {
  // To the last digit where a corner lies on the cut: a hair's breadth would be a side of its own.
  if (ax === CUT || bx === CUT) return [CUT, ax === CUT ? ay : by];
  return [CUT, ay + ((CUT - ax) / (bx - ax)) * (by - ay)];
}

/** Closes chains along the cut: from where one leaves to the next that enters, northwards or southwards. */
function joined(chains: readonly Position[][], up: 1 | -1): Position[][] {
  const left = new Set(chains);
  const rings: Position[][] = [];
  while (left.size > 0) {
    const [start] = left as Iterable<Position[]>;
    const ring: Position[] = [];
    let chain: Position[] | undefined = start;
    while (chain !== undefined) {
      left.delete(chain);
      for (const at of chain) pushNew(ring, at);
      const leaves: number = chain.at(-1)![1] * up;
      const next: Position[] | undefined = [start, ...left]
        .filter((one: Position[]) => one[0][1] * up >= leaves)
        .toSorted((a, b) => (a[0][1] - b[0][1]) * up)[0];
      chain = next === start ? undefined : next;
    }
    pushNew(ring, ring[0]);
    if (ring.length > 3) rings.push(ring);
  }
  return rings;
}

function holds(exterior: Position[], [[lon, lat]]: Position[]): boolean {
  return pointInRing(Float64Array.from(exterior.flatMap(([x, y]) => [x, y])), lon, lat);
}

/** Counter-clockwise for 1, clockwise for -1. */
function oriented(ring: Position[], wanted: 1 | -1): Position[] {
  let twice = 0;
  for (let i = 0; i + 1 < ring.length; i++)
    twice +=
      (ring[i][0] - ring[0][0]) * (ring[i + 1][1] - ring[0][1]) -
      (ring[i + 1][0] - ring[0][0]) * (ring[i][1] - ring[0][1]);
  return Math.sign(twice) === wanted ? ring : ring.toReversed();
}
