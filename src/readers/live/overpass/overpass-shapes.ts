import { AREA, LINE, POINT } from '../../../geo/features/feature-set.ts';
import type { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import type { OverpassElement, OverpassVertex } from './overpass-document.ts';

/** Longitude, latitude pairs in degrees. */
export type Line = readonly number[];

/** What an element looks like on the ground. */
interface OverpassShape {
  readonly point: Line | null;
  readonly lines: readonly Line[];
  /** Closed. */
  readonly outers: readonly Line[];
  readonly inners: readonly Line[];
}

/** Lays an element out; closed lines are areas where `asArea` says so. Pieces of a ring that was cut stay lines. */
export function shapeOf({ at, lines }: OverpassElement, asArea: boolean): OverpassShape {
  if (at !== null) return { point: [at.lon, at.lat], lines: [], outers: [], inners: [] };
  const inner = lines.filter(({ role }) => role === 'inner').flatMap(({ vertices }) => piecesOf(vertices));
  const outer = lines.filter(({ role }) => role !== 'inner').flatMap(({ vertices }) => piecesOf(vertices));
  if (!asArea) return { point: null, lines: [...outer, ...inner], outers: [], inners: [] };
  const [outers, inners] = [joined(outer), joined(inner)];
  return {
    point: null,
    lines: [...outers, ...inners].filter((line) => !isRing(line)),
    outers: outers.filter(isRing),
    inners: inners.filter(isRing),
  };
}

/** Adds a shape to a builder as features, one for each kind of part; each feature added is reported by `added`. */
export function addShape(builder: FeatureBuilder, shape: OverpassShape, added: () => void): void {
  const add = (type: number, parts: readonly Line[]): void => {
    if (parts.length === 0) return;
    builder.begin(type);
    for (const part of parts) {
      for (let i = 0; i < part.length; i += 2) builder.vertex(part[i], part[i + 1]);
      builder.endPart();
    }
    if (builder.end()) added();
  };
  add(POINT, shape.point === null ? [] : [shape.point]);
  add(LINE, shape.lines);
  add(AREA, [...shape.outers, ...shape.inners]);
}

/** The runs of a line between the places where it was cut; single vertices are dropped. */
function piecesOf(vertices: readonly OverpassVertex[]): number[][] {
  const pieces: number[][] = [[]];
  for (const vertex of vertices) {
    if (vertex === null) pieces.push([]);
    else pieces[pieces.length - 1].push(vertex.lon, vertex.lat);
  }
  return pieces.filter((piece) => piece.length >= 4);
}

/** Lines joined end to end as far as they fit: the members of a multipolygon are pieces of its rings. */
function joined(pieces: readonly number[][]): number[][] {
  const done: number[][] = [];
  const left = [...pieces];
  for (let line = left.pop(); line !== undefined; line = left.pop()) {
    for (let next = follower(line, left); next !== null; next = follower(line, left)) line.push(...next);
    done.push(line);
  }
  return done;
}

/** What continues an open line, without its first vertex, taken out of `left`; null when nothing does. */
function follower(line: Line, left: number[][]): number[] | null {
  if (isClosed(line)) return null;
  const [lon, lat] = line.slice(-2);
  for (const [i, piece] of left.entries()) {
    const isNext = piece[0] === lon && piece[1] === lat;
    const isNextBackwards = piece.at(-2) === lon && piece.at(-1) === lat;
    if (!isNext && !isNextBackwards) continue;
    left.splice(i, 1);
    return (isNext ? piece : backwards(piece)).slice(2);
  }
  return null;
}

function backwards(line: Line): number[] {
  return Array.from({ length: line.length }, (_, i) => line[line.length - 2 - i + 2 * (i % 2)]);
}

function isRing(line: Line): boolean {
  return line.length >= 8 && isClosed(line);
}

function isClosed(line: Line): boolean {
  return line[0] === line.at(-2) && line[1] === line.at(-1);
}
