import type { Geometry, Position } from '../geometry.ts';
import { takeLargeGeometryTurn } from './large-geometry.ts';

/** Bytes that are not WKB; the message says what was wanted and at which byte. */
export class WkbError extends Error {
  override readonly name = 'WkbError';
}

interface WkbGeometry {
  readonly geometry: Geometry;
  /** The SRID of EWKB; null when the bytes name none. */
  readonly srid: number | null;
}

/** Geometry collections nested deeper than this are refused. */
const MAX_DEPTH = 16;
/** The flags of EWKB in the upper bits of a type. */
const [EWKB_Z, EWKB_M, EWKB_SRID] = [0x8000_0000, 0x4000_0000, 0x2000_0000];

/**
 * Reads WKB (OGC 06-103r4, ISO 13249-3) or EWKB: either byte order, Z, M and ZM. Heights are kept, measures dropped, as
 * `parseWkt` does. An empty point has no coordinates. Counts are held against the bytes that are there before anything
 * is allocated.
 *
 * @throws WkbError
 */
export function parseWkb(bytes: Uint8Array): WkbGeometry {
  takeLargeGeometryTurn(bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let little = true;
  let srid: number | null = null;
  const geometry = read(0);
  if (at !== view.byteLength) fail(`the end after the geometry`, `${view.byteLength - at} more bytes`);
  return { geometry, srid };

  function read(depth: number): Geometry {
    if (depth > MAX_DEPTH) fail(`at most ${MAX_DEPTH} geometry collections inside each other`, 'more');
    const { kind, ordinates, heights } = readHeader();
    const position = (): Position => readPosition(ordinates, heights);
    const positions = (): Position[] => list(ordinates * 8, position);
    switch (kind) {
      case 1: {
        const coordinates = position();
        return { type: 'Point', coordinates: coordinates.every(Number.isNaN) ? [] : coordinates };
      }
      case 2:
        return { type: 'LineString', coordinates: positions() };
      case 3:
        return { type: 'Polygon', coordinates: list(4, positions) };
      case 4:
        return { type: 'MultiPoint', coordinates: members<Position>('Point', depth) };
      case 5:
        return { type: 'MultiLineString', coordinates: members<Position[]>('LineString', depth) };
      case 6:
        return { type: 'MultiPolygon', coordinates: members<Position[][]>('Polygon', depth) };
      case 7:
        return { type: 'GeometryCollection', geometries: list(9, () => read(depth + 1)) };
      default:
        return fail('a geometry type from 1 to 7', String(kind));
    }
  }

  function members<C>(type: string, depth: number): C[] {
    return list(9, () => {
      const member = read(depth + 1);
      if (member.type !== type) fail(`${type}s alone in the multi geometry`, member.type);
      return (member as unknown as { coordinates: C }).coordinates;
    });
  }

  function readHeader(): { kind: number; ordinates: number; heights: boolean } {
    const order = u8();
    if (order > 1) fail('a byte order of 0 or 1', String(order));
    little = order === 1;
    const type = u32();
    const base = type % EWKB_SRID;
    if ((type & EWKB_SRID) !== 0) srid = u32();
    const iso = Math.floor(base / 1000);
    if (iso > 3) fail('a geometry type below 4000', String(base));
    const heights = (type & EWKB_Z) !== 0 || iso === 1 || iso === 3;
    const measures = (type & EWKB_M) !== 0 || iso === 2 || iso === 3;
    return { kind: base % 1000, ordinates: 2 + Number(heights) + Number(measures), heights };
  }

  function list<T>(leastBytes: number, item: () => T): T[] {
    const count = u32();
    if (count * leastBytes > view.byteLength - at) fail(`${count} items`, `${view.byteLength - at} bytes left`);
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(item());
    return items;
  }

  function readPosition(ordinates: number, heights: boolean): Position {
    need(ordinates * 8);
    const values: number[] = [];
    for (let i = 0; i < ordinates; i++) {
      if (i < (heights ? 3 : 2)) values.push(view.getFloat64(at, little));
      at += 8;
    }
    return values;
  }

  function u8(): number {
    need(1);
    return view.getUint8(at++);
  }

  function u32(): number {
    need(4);
    at += 4;
    return view.getUint32(at - 4, little);
  }

  function need(bytes: number): void {
    if (at + bytes > view.byteLength) fail(`${bytes} more bytes`, `the end after byte ${view.byteLength}`);
  }

  function fail(wanted: string, got: string): never {
    throw new WkbError(`WKB: wanted ${wanted}, got ${got} (byte ${at}).`);
  }
}
