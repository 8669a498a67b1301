import { geodesicDistanceM } from '../../../geo/ellipsoid.ts';
import type { Geometry, Position } from '../../../geo/geometry.ts';
import { takeLargeGeometryTurn } from '../../../geo/shapes/large-geometry.ts';
import type { SourceFeature, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { atRow, FILE_LIMITS, malformed, refuseVertices, tooLarge } from './file-limits.ts';
import { readXml, type XmlHandler, xmlRows } from './read-xml.ts';

/** Named values of one waypoint, route or track. */
const MAX_VALUES = 1_000;
/** A walk around a plot ends where it began, give or take what a phone is off by. */
const CLOSED_M = 20;
/** Of its length; a longer gap is a side of the plot that nobody walked. */
const CLOSED_SHARE = 0.05;

interface GpxPart {
  /** Names the part in messages. */
  readonly what: string;
  read(): AsyncIterable<Uint8Array>;
}

/**
 * GPX as a table of waypoints, routes and tracks, in the order of the file, streamed. A waypoint is a point. A route or a
 * track that ends where it began, within `CLOSED_M`, is an outline; any other is a line.
 */
export function gpxFile(parts: readonly GpxPart[], close: () => Promise<void>): SourceFile {
  return {
    format: 'gpx',
    tables: parts.map((part) => ({
      kind: 'features',
      name: parts.length === 1 ? null : part.what,
      features: () =>
        xmlRows(readXml<Item | 'gpx'>(part.read(), part.what, items), 'gpx', toFeature, () =>
          malformed('not_gpx', `wanted GPX in ${part.what}, got other XML`),
        ),
    })),
    remarks: [],
    close,
  };
}

/** A waypoint has one part of one position; a track has a part for each segment. */
interface Item {
  readonly kind: 'waypoint' | 'route' | 'track';
  readonly parts: Position[][];
  readonly values: Map<string, string>;
  positions: number;
  /** The first position that is none, as it stands in the file. */
  unreadable: string | null;
}

const KINDS: Readonly<Record<string, Item['kind']>> = { wpt: 'waypoint', rte: 'route', trk: 'track' };
const POINTS = new Set(['rtept', 'trkpt']);

function items(emit: (item: Item | 'gpx') => void): XmlHandler {
  const path: string[] = [];
  let item: Item | null = null;
  /** Inside a point of a route or track, whose own name, height and time are not those of the whole. */
  let inPoint = false;
  let text = '';
  let isLeaf = false;
  return {
    open(name, attributes) {
      path.push(name);
      [text, isLeaf] = ['', true];
      if (path.length === 1 && name === 'gpx') emit('gpx');
      const kind = path.length === 2 && path[0] === 'gpx' ? KINDS[name] : undefined;
      if (kind !== undefined) {
        item = { kind, parts: kind === 'track' ? [] : [[]], values: new Map(), positions: 0, unreadable: null };
        if (kind === 'waypoint') addPosition(item, attributes);
      } else if (item === null || inPoint) return;
      else if (name === 'trkseg') item.parts.push([]);
      else if (POINTS.has(name)) {
        inPoint = true;
        if (item.parts.length === 0) item.parts.push([]);
        addPosition(item, attributes);
      } else if (name === 'link') setValue(item, 'link', attributes['href'] ?? '');
    },
    text(piece) {
      if (item !== null && !inPoint) text += piece;
    },
    close(name) {
      path.pop();
      if (item === null) return;
      if (path.length === 1) {
        emit(item);
        item = null;
      } else if (POINTS.has(name)) inPoint = false;
      else if (isLeaf && !inPoint && path.at(-1) !== 'link') setValue(item, name, text);
      [text, isLeaf] = ['', false];
    },
  };
}

function addPosition(item: Item, attributes: Readonly<Record<string, string>>): void {
  const [lon = '', lat = ''] = [attributes['lon'], attributes['lat']];
  const [x, y] = [lon, lat].map((text) => (text.trim() === '' ? NaN : Number(text)));
  // Counted on beyond the limit, so that the message says how many there are.
  if (++item.positions > FILE_LIMITS.vertices) return;
  if (Number.isFinite(x) && Number.isFinite(y)) item.parts.at(-1)!.push([x!, y!]);
  else item.unreadable ??= `${lon},${lat}`;
}

function setValue({ values }: Item, name: string, text: string): void {
  const value = text.trim();
  if (value === '' || name === '__proto__' || values.has(name)) return;
  if (values.size >= MAX_VALUES)
    throw tooLarge(`A place of the GPX file has too many values; wanted at most ${MAX_VALUES}.`);
  values.set(name, value);
}

function toFeature(item: Item, row: number): SourceFeature {
  const notes: SourceNote[] = [];
  const properties = { ...Object.fromEntries(item.values), gpx: item.kind };
  const geometry = geometryOf(item, row, notes);
  return { row, geometry, properties, ...(notes.length === 0 ? {} : { notes }) };
}

function geometryOf({ kind, parts, positions, unreadable }: Item, row: number, notes: SourceNote[]): Geometry | null {
  try {
    refuseVertices(positions);
  } catch (error) {
    throw atRow(error, row);
  }
  if (unreadable !== null) {
    const got = JSON.stringify(unreadable.slice(0, 60));
    notes.push({ code: 'unreadable_record', blanks: { reason: `wanted longitude,latitude, got ${got}` } });
    return null;
  }
  // About what a position takes as text.
  takeLargeGeometryTurn(positions * 16);
  const walked = parts.map(withoutRepeats).filter(({ length }) => length > 0);
  const [first] = walked;
  if (first === undefined) return null;
  if (kind === 'waypoint') return { type: 'Point', coordinates: first[0]! };
  const gaps = walked.map(gapOf);
  if (gaps.includes(null))
    return walked.length === 1
      ? { type: 'LineString', coordinates: first }
      : { type: 'MultiLineString', coordinates: walked };
  const gap = Math.max(...(gaps as number[]));
  if (gap > 0) notes.push({ code: 'outline_closed', blanks: { metres: Math.max(1, Math.round(gap)) } });
  const outlines = walked.map(closed);
  return outlines.length === 1
    ? { type: 'Polygon', coordinates: outlines }
    : { type: 'MultiPolygon', coordinates: outlines.map((outline) => [outline]) };
}

/** A phone that stands still notes the same position again and again. */
function withoutRepeats(line: readonly Position[]): readonly Position[] {
  return line.filter((at, i) => i === 0 || !isSame(at, line[i - 1]!));
}

/** Metres from the end of an outline to its beginning; null where the line is no outline. */
function gapOf(line: readonly Position[]): number | null {
  const [first, last] = [line[0]!, line.at(-1)!];
  if (isSame(first, last)) return line.length > 3 ? 0 : null;
  if (line.length < 3) return null;
  const gap = geodesicDistanceM(last[0], last[1], first[0], first[1]);
  return gap <= CLOSED_M && gap <= CLOSED_SHARE * lengthOf(line) ? gap : null;
}

function lengthOf(line: readonly Position[]): number {
  let length = 0;
  for (let i = 1; i < line.length; i++)
    length += geodesicDistanceM(line[i - 1]![0], line[i - 1]![1], line[i]![0], line[i]![1]);
  return length;
}

function closed(line: readonly Position[]): readonly Position[] {
  return isSame(line[0]!, line.at(-1)!) ? line : [...line, line[0]!];
}

function isSame(a: Position, b: Position): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
