import { flatten, sizeFault } from './flat-positions.ts';
import type { Position } from '../geometry.ts';
import { createColumnMemory } from '../rings/ring-layout.ts';
import { insidePoint } from '../rings/inside-point.ts';
import { findRingFault, type RingFault, type RingFaultKind } from '../rings/ring-validity.ts';
import type { Bbox, LonLat, Shape } from './shape.ts';
import { isRecord } from '../../is-record.ts';
import {
  entryOf,
  memberInWords,
  membersInWords,
  foundInWords,
  placeInWords,
  withDetails,
  type Details,
  type GeometryPlace,
} from '../../messages/geometry-place.ts';
import { upperFirst } from '../../messages/in-words.ts';
import type { Params, Said } from '../../messages/said.ts';
import { round } from '../round.ts';

export type GeometryFaultCode =
  | 'null'
  | 'not_an_object'
  | 'unknown_type'
  | 'empty'
  | 'too_deep'
  | 'too_large'
  | 'bad_position'
  | 'out_of_range'
  | 'short_line'
  | 'open_ring'
  | RingFaultKind;

/** Why a geometry cannot be used: a stable code and one sentence that names what is wrong and where, in words. */
export interface GeometryFault {
  readonly code: GeometryFaultCode;
  readonly message: string;
  /** `where` is the place as a program finds it, `coordinates[0][3]`; `spot` the place in words, where it is not all of it. */
  readonly params: Params;
}

/** The fault as a sentence that has a code of its own. */
export function faultSentence({ code, params, message }: GeometryFault): Said {
  const isOfMember = code === 'null' && params['spot'] !== undefined;
  return { code: isOfMember ? 'fault.null_at' : `fault.${code}`, params, message };
}

type ShapeResult =
  | { readonly shape: Shape; readonly ignored: readonly GeometryFault[] }
  | { readonly shape: null; readonly fault: GeometryFault };

/** Thrown while a geometry is laid out; never leaves `toShape`. */
class Fault extends Error {
  readonly code: GeometryFaultCode;
  readonly params: Params;
  constructor(code: GeometryFaultCode, message: string, params: Params) {
    super(message);
    this.code = code;
    this.params = params;
  }
}

/** A fault at a place, which the words of its sentence follow. `more` is said of the place in other languages. */
function faultAt(code: GeometryFaultCode, at: GeometryPlace, words: string, more: Details = []): Fault {
  const place = placeInWords(at);
  const spot = withDetails(place, more);
  return new Fault(code, `${upperFirst(place.message)} ${words}`, { where: at.pointer, spot });
}

/** A fault of a geometry or a member as a whole. */
function faultOfAll(code: GeometryFaultCode, path: string, words: string, more: Details): Fault {
  const whole = memberInWords(path);
  const params = { where: whereOf(path), spot: withDetails(whole, more) };
  return new Fault(code, `${upperFirst(whole.message)} ${words}`, params);
}

function found(what: string): Details {
  return [['found', { what: foundInWords(what) }]];
}

function whereOf(path: string): string {
  return path === '' ? 'geometry' : path.slice(0, -1);
}

interface Parts {
  readonly points: number[];
  readonly lines: Float64Array[];
  readonly polygons: Float64Array[][];
  readonly ignored: GeometryFault[];
}

/** Geometry collections nested deeper than this are refused. */
const MAX_DEPTH = 16;

/**
 * Lays out a GeoJSON geometry (longitude and latitude in degrees on WGS84) for distance work, or says precisely why it
 * is invalid: null, empty, larger than `GEOMETRY_LIMITS`, unknown type, a coordinate that is no finite number or out of range, an open or too short
 * ring, a polygon that crosses or touches itself. Zero is a coordinate like any other. Heights are not read.
 *
 * Empty parts of a multi geometry are passed over. A geometry collection keeps its usable members and lists the faults
 * of the others in `ignored`; with nothing usable left it is invalid. Polygons of a MultiPolygon are validated one by one:
 * two that overlap each other are not a fault. Never throws, whatever the input.
 */
export function toShape(geometry: unknown): ShapeResult {
  const single = pointShape(geometry);
  if (single !== null) return single;
  const excess = sizeFault(geometry);
  if (excess !== null)
    return { shape: null, fault: faultIn(faultOfAll('too_large', '', `${excess.words}.`, excess.details)) };
  const parts: Parts = { points: [], lines: [], polygons: [], ignored: [] };
  try {
    collect(geometry, '', 0, parts);
    if (parts.points.length + parts.lines.length + parts.polygons.length === 0) throw nothingUsable(geometry, parts);
    return { shape: assemble(parts), ignored: parts.ignored };
  } catch (error) {
    if (error instanceof Fault) return { shape: null, fault: faultIn(error) };
    throw error;
  }
}

function faultIn({ code, message, params }: Fault): GeometryFault {
  return { code, message, params };
}

/** The one case that comes by the million, without lists in between. Anything out of the ordinary is left to the long way. */
function pointShape(geometry: unknown): ShapeResult | null {
  if (!isRecord(geometry) || geometry['type'] !== 'Point') return null;
  const position = geometry['coordinates'];
  if (!Array.isArray(position)) return null;
  const [lon, lat] = position as unknown[];
  if (typeof lon !== 'number' || typeof lat !== 'number') return null;
  if (!(Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) return null;
  return {
    shape: {
      points: Float64Array.of(lon, lat),
      lines: [],
      polygons: [],
      bbox: [lon, lat, lon, lat],
      inside: [lon, lat],
    },
    ignored: [],
  };
}

function collect(geometry: unknown, path: string, depth: number, parts: Parts): void {
  if (geometry === null || geometry === undefined) {
    const wanted = 'wanted a point, a line or an outline.';
    if (path !== '') throw faultOfAll('null', path, `has no geometry; ${wanted}`, []);
    throw new Fault('null', `There is no geometry; ${wanted}`, { where: whereOf(path) });
  }
  if (!isRecord(geometry)) {
    const what = describe(geometry);
    throw faultOfAll('not_an_object', path, `is ${what}; wanted a GeoJSON geometry object.`, found(what));
  }
  const type = geometry['type'];
  if (type === 'GeometryCollection') return collectMembers(geometry['geometries'], path, depth, parts);
  const read = typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read === undefined) {
    const details: Details = [...found(describe(type)), ['types', { types: TYPES }]];
    throw faultOfAll('unknown_type', path, `has the type ${describe(type)}; wanted one of ${TYPES}.`, details);
  }
  const at: GeometryPlace = { pointer: `${path}coordinates`, type: type as string };
  const coordinates = geometry['coordinates'];
  if (!Array.isArray(coordinates))
    throw new Fault(
      'bad_position',
      `The coordinates of the ${type as string} are ${describe(coordinates)}; wanted a list.`,
      {
        where: at.pointer,
        spot: withDetails(placeInWords(at), found(describe(coordinates))),
      },
    );
  read(coordinates, at, parts);
}

function collectMembers(members: unknown, path: string, depth: number, parts: Parts): void {
  if (!Array.isArray(members)) {
    const spot = membersInWords(path);
    const words = `${upperFirst(spot.message)} are ${describe(members)}; wanted a list of geometries.`;
    const params = { where: `${path}geometries`, spot: withDetails(spot, found(describe(members))) };
    throw new Fault('bad_position', words, params);
  }
  if (depth >= MAX_DEPTH)
    throw new Fault('too_deep', `Geometry collections are nested more than ${MAX_DEPTH} deep.`, {
      where: whereOf(path),
      count: MAX_DEPTH,
    });
  for (const [i, member] of members.entries()) {
    const own: Parts = { points: [], lines: [], polygons: [], ignored: parts.ignored };
    try {
      collect(member, `${path}geometries[${i}].`, depth + 1, own);
    } catch (error) {
      if (!(error instanceof Fault) || error.code === 'too_deep') throw error;
      parts.ignored.push(faultIn(error));
      continue;
    }
    for (const value of own.points) parts.points.push(value);
    for (const line of own.lines) parts.lines.push(line);
    for (const polygon of own.polygons) parts.polygons.push(polygon);
  }
}

type Reader = (coordinates: readonly unknown[], at: GeometryPlace, parts: Parts) => void;

const READERS: Readonly<Record<string, Reader>> = {
  Point: (coordinates, at, parts) => {
    if (coordinates.length > 0) for (const value of flat([coordinates], at, () => at)) parts.points.push(value);
  },
  MultiPoint: (coordinates, at, parts) => {
    for (const value of flat(coordinates, at)) parts.points.push(value);
  },
  LineString: line,
  MultiLineString: (coordinates, at, parts) => eachPart(coordinates, at, (part, where) => line(part, where, parts)),
  Polygon: polygon,
  MultiPolygon: (coordinates, at, parts) => eachPart(coordinates, at, (part, where) => polygon(part, where, parts)),
};

const TYPES = [...Object.keys(READERS), 'GeometryCollection'].join(', ');

function eachPart(
  parts: readonly unknown[],
  at: GeometryPlace,
  read: (part: readonly unknown[], where: GeometryPlace) => void,
): void {
  for (const [i, part] of parts.entries()) {
    const where = entryOf(at, i);
    if (!Array.isArray(part))
      throw faultAt('bad_position', where, `is ${describe(part)}; wanted a list.`, found(describe(part)));
    read(part, where);
  }
}

function line(positions: readonly unknown[], at: GeometryPlace, parts: Parts): void {
  if (positions.length === 0) return;
  const values = flat(positions, at);
  if (values.length < 4)
    throw faultAt('short_line', at, 'has 1 position; wanted 2 or more.', [['positions', { count: 1 }]]);
  parts.lines.push(values);
}

function polygon(rings: readonly unknown[], at: GeometryPlace, parts: Parts): void {
  if (rings.length === 0) return;
  const flatRings: Float64Array[] = [];
  eachPart(rings, at, (positions, where) => flatRings.push(ring(positions, where)));
  const fault = findRingFault(flatRings);
  if (fault !== null) throw ringFault(fault, entryOf(at, fault.ring), flatRings[fault.ring]!);
  parts.polygons.push(flatRings);
}

function ring(positions: readonly unknown[], at: GeometryPlace): Float64Array {
  const values = flat(positions, at);
  const count = values.length / 2;
  if (count > 0 && (values[0] !== values[values.length - 2] || values[1] !== values[values.length - 1])) {
    const [first, last] = [position(values, 0), position(values, count - 1)];
    const words = `is open: it begins at ${first} and ends at ${last}; wanted the same position.`;
    throw faultAt('open_ring', at, words, [['ends', { first, last }]]);
  }
  if (count < 4)
    throw faultAt(
      'short_ring',
      at,
      `has ${count} ${count === 1 ? 'position' : 'positions'}; wanted 4 or more, the last equal to the first.`,
      [['positions', { count }]],
    );
  return values;
}

function flat(positions: readonly unknown[], at: GeometryPlace, placeOf = (i: number) => entryOf(at, i)): Float64Array {
  const count = positions.length * 2;
  const out = createColumnMemory(8 * count).doubles(count);
  const bad = flatten(positions, out);
  if (bad === null) return out;
  throw faultAt(bad.code, placeOf(bad.index), bad.words, bad.details);
}

const RING_FAULTS: Readonly<Record<RingFaultKind, string>> = {
  short_ring: 'has fewer than 3 different corners',
  crossing: 'crosses itself or another ring',
  overlap: 'runs twice along the same line',
  self_touch: 'touches itself',
  hole_outside: 'lies outside the outline',
  hole_in_hole: 'lies inside another hole',
  disconnected_interior: 'touches other rings so that the inside falls into separate pieces',
};

/** Of degrees in messages: a tenth of a metre. */
const DECIMALS = 6;

function ringFault({ kind, at, vertex }: RingFault, place: GeometryPlace, { length }: Float64Array): Fault {
  const [lon, lat] = at.map((degrees) => String(round(degrees, DECIMALS))) as [string, string];
  const corners = length / 2 - 1;
  // The last position of a ring is its first.
  const corner = (vertex % corners) + 1;
  return faultAt(
    kind,
    place,
    `${RING_FAULTS[kind]} at longitude ${lon}, latitude ${lat}, near corner ${corner} of ${corners}.`,
    [
      ['at', { lon, lat }],
      ['near', { corner, corners }],
    ],
  );
}

function nothingUsable(geometry: unknown, parts: Parts): Fault {
  const type = (geometry as { type: string }).type;
  const [first] = parts.ignored;
  if (first === undefined)
    return new Fault('empty', `The ${type} is empty; wanted at least one position.`, { where: whereOf('') });
  return new Fault(first.code, `The GeometryCollection has no usable member. ${first.message}`, first.params);
}

function assemble(parts: Parts): Shape {
  return {
    points: Float64Array.from(parts.points),
    lines: parts.lines,
    polygons: parts.polygons,
    bbox: boundsOf(parts),
    inside: innerPoint(parts),
  };
}

function boundsOf({ points, lines, polygons }: Parts): Bbox {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const values of [points, ...lines, ...polygons.flat()]) {
    for (let i = 0; i < values.length; i += 2) {
      const [lon, lat] = [values[i] ?? 0, values[i + 1] ?? 0];
      if (lon < west) west = lon;
      if (lon > east) east = lon;
      if (lat < south) south = lat;
      if (lat > north) north = lat;
    }
  }
  return [west, south, east, north];
}

function innerPoint({ points, lines, polygons }: Parts): LonLat {
  const [firstPolygon] = polygons;
  if (firstPolygon !== undefined) {
    const largest = polygons.length === 1 ? firstPolygon : polygons.reduce((a, b) => (area(b) > area(a) ? b : a));
    return insidePoint(largest);
  }
  const longest = lines.reduce<Float64Array | null>((a, b) => (a === null || b.length > a.length ? b : a), null);
  if (longest === null) return [points[0] ?? 0, points[1] ?? 0];
  const middle = 2 * Math.floor(longest.length / 4);
  return [longest[middle] ?? 0, longest[middle + 1] ?? 0];
}

/** Area of the exterior less the holes in degrees squared, narrowed by the cosine of the latitude: only good for comparing. */
function area(rings: readonly Float64Array[]): number {
  const sizes = rings.map((ring) => {
    let doubled = 0;
    for (let i = 0; i + 3 < ring.length; i += 2)
      doubled += (ring[i] - ring[0]) * (ring[i + 3] - ring[1]) - (ring[i + 2] - ring[0]) * (ring[i + 1] - ring[1]);
    return Math.abs(doubled) * Math.cos((ring[1] * Math.PI) / 180);
  });
  return sizes.reduce((rest, size, i) => (i === 0 ? size : rest - size), 0);
}

function position(values: Float64Array, index: number): string {
  return JSON.stringify([values[2 * index], values[2 * index + 1]] satisfies Position);
}

function describe(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value).slice(0, 40)}`;
}
