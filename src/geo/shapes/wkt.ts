import type { Geometry, Position } from '../geometry.ts';
import { takeLargeGeometryTurn } from './large-geometry.ts';

/** A text that is not the WKT wanted; the message names what was wanted, what came and where. */
export class WktError extends Error {
  /** Characters before the place of the error. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'WktError';
    this.position = position;
  }
}

/** Most levels of GEOMETRYCOLLECTION inside each other. */
const MAX_DEPTH = 16;

/** The ordinates after a type's name: how many numbers a position has, and whether the third is a measure. */
interface Layout {
  readonly min: number;
  readonly max: number;
  readonly measureOnly: boolean;
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
  '': { min: 2, max: 4, measureOnly: false },
  Z: { min: 3, max: 3, measureOnly: false },
  M: { min: 3, max: 3, measureOnly: true },
  ZM: { min: 4, max: 4, measureOnly: false },
};

/**
 * Reads WKT (OGC 06-103r4; any case, Z, M and ZM, EMPTY, both spellings of MULTIPOINT) or EWKT with `SRID=4326;` as a
 * GeoJSON geometry: longitude first, degrees on WGS84. Heights are kept, measures dropped. Whether rings close and
 * coordinates are in range is not checked here; EMPTY gives a geometry without coordinates.
 *
 * @throws WktError that names what was wanted, what came, and at which character (from 1).
 */
export function parseWkt(text: string): Geometry {
  takeLargeGeometryTurn(text.length);
  const reader = createReader(text);
  readSrid(reader);
  const geometry = readGeometry(reader, 0);
  if (reader.peek() !== '') reader.fail('the end of the text');
  return geometry;
}

type Reader = ReturnType<typeof createReader>;

function readSrid(reader: Reader): void {
  if (!reader.takeWord('SRID')) return;
  reader.expect('=');
  const srid = reader.takeNumber('a number after SRID=');
  if (srid !== 4326) throw new WktError(`WKT: wanted SRID=4326 (WGS84 longitude and latitude), got SRID=${srid}.`, 0);
  reader.expect(';');
}

function readGeometry(reader: Reader, depth: number): Geometry {
  if (depth > MAX_DEPTH)
    throw new WktError(`WKT: geometry collections are nested more than ${MAX_DEPTH} deep.`, reader.position());
  const [name, layout] = readType(reader);
  if (name === 'GEOMETRYCOLLECTION') {
    return {
      type: 'GeometryCollection',
      geometries: reader.takeWord('EMPTY') ? [] : listOf(reader, () => readGeometry(reader, depth + 1)),
    };
  }
  if (reader.takeWord('EMPTY')) return { type: TYPES[name], coordinates: [] };
  return readCoordinates(reader, name, layout);
}

const TYPES = {
  POINT: 'Point',
  MULTIPOINT: 'MultiPoint',
  LINESTRING: 'LineString',
  MULTILINESTRING: 'MultiLineString',
  POLYGON: 'Polygon',
  MULTIPOLYGON: 'MultiPolygon',
} as const;

type TypeName = keyof typeof TYPES;

function readCoordinates(reader: Reader, name: TypeName, layout: Layout): Geometry {
  const position = (): Position => readPosition(reader, layout);
  const positions = (): Position[] => listOf(reader, position);
  switch (name) {
    case 'POINT': {
      reader.expect('(');
      const coordinates = position();
      reader.expect(')');
      return { type: 'Point', coordinates };
    }
    case 'MULTIPOINT':
      return {
        type: 'MultiPoint',
        coordinates: listOf(reader, () => (reader.peek() === '(' ? wrapped(reader, position) : position())),
      };
    case 'LINESTRING':
      return { type: 'LineString', coordinates: positions() };
    case 'MULTILINESTRING':
      return { type: 'MultiLineString', coordinates: listOf(reader, () => orEmpty(reader, positions)) };
    case 'POLYGON':
      return { type: 'Polygon', coordinates: listOf(reader, () => orEmpty(reader, positions)) };
    case 'MULTIPOLYGON':
      return {
        type: 'MultiPolygon',
        coordinates: listOf(reader, () => orEmpty(reader, () => listOf(reader, () => orEmpty(reader, positions)))),
      };
  }
}

function readType(reader: Reader): ['GEOMETRYCOLLECTION', Layout] | [TypeName, Layout] {
  const at = reader.position();
  const word = reader.takeAnyWord();
  const match = /^(GEOMETRYCOLLECTION|(?:MULTI)?(?:POINT|LINESTRING|POLYGON))(ZM|Z|M)?$/.exec(word);
  if (match === null) return reader.fail('a WKT type such as POINT or POLYGON', at);
  const apart = match[2] ?? ['ZM', 'Z', 'M'].find((suffix) => reader.takeWord(suffix)) ?? '';
  return [match[1] as TypeName, LAYOUTS[apart] as Layout];
}

function readPosition(reader: Reader, layout: Layout): Position {
  const start = reader.position();
  const values = [reader.takeNumber('a longitude')];
  if (reader.peek() === ',') return reader.fail('a space between longitude and latitude');
  while (values.length < layout.max && reader.atNumber()) values.push(reader.takeNumber('a coordinate'));
  if (values.length < 2) return reader.fail('a latitude after the longitude');
  if (values.length < layout.min)
    return reader.fail(`${layout.min} numbers in the position that begins at character ${start + 1}`);
  return values.slice(0, layout.measureOnly ? 2 : 3);
}

function listOf<T>(reader: Reader, item: () => T): T[] {
  reader.expect('(');
  const items = [item()];
  while (reader.peek() === ',') {
    reader.expect(',');
    items.push(item());
  }
  reader.expect(')', "',' or ')'");
  return items;
}

function wrapped<T>(reader: Reader, item: () => T): T {
  reader.expect('(');
  const value = item();
  reader.expect(')');
  return value;
}

function orEmpty<T>(reader: Reader, item: () => T[]): T[] {
  return reader.takeWord('EMPTY') ? [] : item();
}

function createReader(text: string) {
  const space = /\s*/y;
  const word = /[a-z]+/iy;
  const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\w.])/iy;
  let at = 0;

  return { peek, position, expect, takeWord, takeAnyWord, takeNumber, atNumber, fail };

  function match(pattern: RegExp): string {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? '';
  }

  /** Passes over white space and returns where the next token begins. */
  function position(): number {
    at += match(space).length;
    return at;
  }

  /** The next character, or an empty text at the end. */
  function peek(): string {
    return text.charAt(position());
  }

  function expect(symbol: string, wanted = `'${symbol}'`): void {
    if (peek() !== symbol) fail(wanted);
    at++;
  }

  function takeWord(wanted: string): boolean {
    position();
    const found = match(word);
    if (found.toUpperCase() !== wanted) return false;
    at += found.length;
    return true;
  }

  function takeAnyWord(): string {
    position();
    const found = match(word);
    at += found.length;
    return found.toUpperCase();
  }

  function atNumber(): boolean {
    return /[\d+\-.]/.test(peek());
  }

  function takeNumber(wanted: string): number {
    position();
    const found = match(number);
    const value = Number(found);
    if (found === '' || !Number.isFinite(value)) return fail(wanted);
    at += found.length;
    return value;
  }

  function fail(wanted: string, where = position()): never {
    const rest = text.slice(where, where + 24);
    const got = rest === '' ? 'the end of the text' : JSON.stringify(rest);
    throw new WktError(`WKT: wanted ${wanted} at character ${where + 1}, got ${got}${hint(text)}.`, where);
  }
}

function hint(text: string): string {
  if (text.trim() === '') return '; the text is empty';
  if (/^\s*[{[]/.test(text)) return '; this looks like GeoJSON, wanted WKT such as POINT (101.4478 0.5071)';
  if (/^\s*0[01][0-9a-f]{8,}/i.test(text)) return '; this looks like hexadecimal WKB, wanted WKT text';
  if (/^\s*-?\d/.test(text)) return '; wanted WKT such as POINT (101.4478 0.5071), longitude first';
  return '';
}

const WKT_START =
  /^\s*(SRID\s*=\s*\d+\s*;\s*)?(MULTI)?(POINT|LINESTRING|POLYGON)\s*(Z|M|ZM)?\s*(\(|EMPTY)|^\s*(SRID\s*=\s*\d+\s*;\s*)?GEOMETRYCOLLECTION/i;

/** Whether a text begins as WKT or EWKT does. */
export function startsAsWkt(text: string): boolean {
  return WKT_START.test(text);
}

/** Whether a line is one geometry as WKT or EWKT, quoted or not, and nothing else. */
export function isWktLine(line: string): boolean {
  const text = line.trim().replaceAll(/^"|"$/g, '');
  if (!startsAsWkt(text)) return false;
  if (/EMPTY$/i.test(text)) return !text.includes('(');
  let depth = 0;
  for (let i = text.indexOf('('); i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i === text.length - 1;
  }
  return false;
}
