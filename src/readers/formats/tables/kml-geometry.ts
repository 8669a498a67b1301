import type { Geometry, Position } from '../../../geo/geometry.ts';
import { takeLargeGeometryTurn } from '../../../geo/shapes/large-geometry.ts';
import { FILE_LIMITS, refuseVertices } from './file-limits.ts';

/** An element inside a placemark. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

/** Coordinates that are no numbers, or no geometry at all where one must be. */
export class KmlGeometryError extends Error {
  override readonly name = 'KmlGeometryError';
}

const KINDS = new Set(['Point', 'LineString', 'LinearRing', 'Polygon', 'MultiGeometry', 'Track', 'MultiTrack']);

/** The geometry of a placemark, or null when it has none. @throws KmlGeometryError */
export function kmlGeometry(placemark: XmlNode): Geometry | null {
  const node = placemark.children.find(({ name }) => KINDS.has(name));
  return node === undefined ? null : readGeometry(node);
}

function readGeometry(node: XmlNode): Geometry {
  switch (node.name) {
    case 'Point':
      return { type: 'Point', coordinates: positions(node)[0] ?? [] };
    case 'LineString':
      return { type: 'LineString', coordinates: positions(node) };
    case 'LinearRing':
      return { type: 'Polygon', coordinates: [positions(node)] };
    case 'Polygon':
      return readPolygon(node);
    case 'Track':
      return {
        type: 'LineString',
        coordinates: node.children
          .filter(({ name }) => name === 'coord')
          .map(({ text }) => position(text.trim().split(/\s+/))),
      };
    default:
      return joined(node.children.filter(({ name }) => KINDS.has(name)).map(readGeometry));
  }
}

function readPolygon(node: XmlNode): Geometry {
  const rings = (boundary: string) =>
    node.children
      .filter(({ name }) => name === boundary)
      .flatMap(({ children }) => children.filter(({ name }) => name === 'LinearRing'))
      .map(positions);
  const outer = rings('outerBoundaryIs');
  return { type: 'Polygon', coordinates: [...outer.slice(0, 1), ...rings('innerBoundaryIs')] };
}

/** Members of one type become the multi geometry of that type. */
function joined(members: readonly Geometry[]): Geometry {
  const [first] = members;
  if (first !== undefined && members.length === 1) return first;
  if (
    first === undefined ||
    first.type === 'GeometryCollection' ||
    first.type.startsWith('Multi') ||
    members.some(({ type }) => type !== first.type)
  )
    return { type: 'GeometryCollection', geometries: members };
  const coordinates = members.map((member) => (member as { coordinates: unknown }).coordinates);
  return { type: `Multi${first.type}`, coordinates } as Geometry;
}

/** Cut out of the text one after the other: a list of a million small texts takes far more memory than the positions. */
function positions(node: XmlNode): Position[] {
  const text = node.children.find(({ name }) => name === 'coordinates')?.text ?? '';
  takeLargeGeometryTurn(text.length);
  const found: Position[] = [];
  let count = 0;
  for (let at = afterSpace(text, 0); at < text.length;) {
    const parts: string[] = [];
    // Some phones write a space after the comma.
    for (let hasMore = true; hasMore;) {
      const from = at;
      while (at < text.length && text.charCodeAt(at) !== COMMA && !isSpace(text, at)) at++;
      parts.push(text.slice(from, at));
      at = afterSpace(text, at);
      hasMore = text.charCodeAt(at) === COMMA;
      if (hasMore) at = afterSpace(text, at + 1);
    }
    if (++count <= FILE_LIMITS.vertices) found.push(position(parts));
  }
  refuseVertices(count);
  return found;
}

const COMMA = 0x2c;
const FIRST_SPACE_BEYOND_ASCII = 0xa0;

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= FIRST_SPACE_BEYOND_ASCII && /\s/.test(text[at]));
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text, at)) at++;
  return at;
}

function position(parts: readonly string[]): Position {
  const [x, y, z] = parts.slice(0, 3).map((part) => (part === '' ? NaN : Number(part)));
  if (x === undefined || y === undefined || ![x, y, z ?? 0].every(Number.isFinite))
    throw new KmlGeometryError(`wanted longitude,latitude, got ${JSON.stringify(parts.join(',').slice(0, 60))}`);
  // A list made by `map` takes twice the memory of one written out.
  return z === undefined ? [x, y] : [x, y, z];
}
