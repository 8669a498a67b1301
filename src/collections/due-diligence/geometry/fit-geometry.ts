import type { MultiPoint, MultiPolygon, Point, Polygon, Position, Geometry } from '../../../geo/geometry.ts';
import { polygonArea } from '../../../geo/rings/polygon-area.ts';
import type { Finding } from '../finding.ts';
import { fitPolygon } from './fit-polygon.ts';
import type { GeometryTools } from './geometry-tools.ts';
import { failed, positionOf, positionsOf, readRings } from './read-positions.ts';
import { flat, SNAPS, type GridRing } from './snap-rings.ts';

/** Pairs of parts that are compared in one geometry. */
const MAX_PAIRS = 2_000;

export type FitMember = Point | MultiPoint | Polygon | MultiPolygon;

interface FitGeometry {
  /** Geometries as they are exported, one Feature each; empty where nothing is fit. */
  readonly members: readonly FitMember[];
  readonly findings: readonly Finding[];
  /** Geodesic hectares of the polygons as they are exported; null without polygons. */
  readonly areaHa: number | null;
}

/** Collections of collections deeper than this are refused. */
const MAX_DEPTH = 16;

/** Any GeoJSON geometry in the forms the EU information system takes; nothing is left out without a finding. Never throws. */
export function fitGeometry(geometry: unknown, tools: GeometryTools): FitGeometry {
  const findings: Finding[] = [];
  const members = fitMember(geometry, tools, findings, 0);
  if (members.length > 0) {
    downgrade(findings);
    const moved = countMoved(geometry, 0);
    if (moved > 0) findings.push({ rule: 'snapped', detail: snappedText(moved), fixed: true });
  }
  const rings = members.flatMap(exteriorsOf);
  const areaHa =
    rings.length === 0 ? null : rings.reduce((sum, ring) => sum + polygonArea([flat(ring)]).area, 0) / 10_000;
  return { members, findings, areaHa };
}

function snappedText(moved: number): string {
  return `${moved} ${moved === 1 ? 'position was' : 'positions were'} brought to 6 decimals, which moves ${moved === 1 ? 'it' : 'them'} by less than 16 cm.`;
}

/** Positions with more than 6 decimals. */
function countMoved(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH + 8) return 0;
  if (!Array.isArray(value)) {
    const { coordinates, geometries } = value as { coordinates?: unknown; geometries?: unknown };
    return countMoved(coordinates, depth + 1) + countMoved(geometries, depth + 1);
  }
  const [lon, lat] = value as unknown[];
  if (typeof lon === 'number' && typeof lat === 'number')
    return SNAPS.round(lon) === lon && SNAPS.round(lat) === lat ? 0 : 1;
  return value.reduce((sum: number, part: unknown) => sum + countMoved(part, depth + 1), 0);
}

/** The exterior rings of an exported geometry, which has no holes. */
export function exteriorsOf(member: FitMember): readonly GridRing[] {
  if (member.type === 'Polygon') return [member.coordinates[0] as GridRing];
  return member.type === 'MultiPolygon' ? member.coordinates.map(([ring]) => ring as GridRing) : [];
}

function fitMember(geometry: unknown, tools: GeometryTools, findings: Finding[], depth: number): readonly FitMember[] {
  if (geometry === null || geometry === undefined) return failed(findings, 'no-geometry', 'There is no geometry.');
  const { type, coordinates, geometries } = geometry as { type?: unknown; coordinates?: unknown; geometries?: unknown };
  switch (type) {
    case 'Point':
      return fitPoint(coordinates, findings);
    case 'MultiPoint':
      return fitMultiPoint(coordinates, findings);
    case 'Polygon':
      return fitPolygons([coordinates], tools, findings);
    case 'MultiPolygon':
      if (!Array.isArray(coordinates))
        return failed(findings, 'unreadable-coordinates', 'The MultiPolygon has no list of coordinates.');
      if (coordinates.length === 0) return failed(findings, 'no-geometry', 'The MultiPolygon is empty.');
      return fitPolygons(coordinates, tools, findings);
    case 'GeometryCollection':
      return fitCollection(geometries, tools, findings, depth);
    default:
      return failed(
        findings,
        'unsupported-type',
        `The geometry is ${typeof type === 'string' ? `a ${type.slice(0, 40)}` : 'of no type'}; taken are Point, MultiPoint, Polygon, MultiPolygon and GeometryCollection.`,
      );
  }
}

function fitCollection(
  members: unknown,
  tools: GeometryTools,
  findings: Finding[],
  depth: number,
): readonly FitMember[] {
  if (!Array.isArray(members) || members.length === 0)
    return failed(findings, 'no-geometry', 'The GeometryCollection is empty.');
  if (depth >= MAX_DEPTH)
    return failed(findings, 'unsupported-type', `Collections are nested more than ${MAX_DEPTH} deep.`);
  const all = members.flatMap((member) => fitMember(member, tools, findings, depth + 1));
  const out = depth === 0 ? measuredOf(all, findings) : all;
  if (depth === 0 && out.length > 1)
    findings.push({
      rule: 'parts-separated',
      detail: `The members of the collection are written as ${out.length} Features.`,
      fixed: true,
    });
  return out;
}

/**
 * What the plot is measured by: its polygons, or its points where it has none. A statement must not declare ground for a
 * point that nobody looked at; most of these only hold the label of an outline.
 */
function measuredOf(members: readonly FitMember[], findings: Finding[]): readonly FitMember[] {
  const outlines = members.filter(({ type }) => type === 'Polygon' || type === 'MultiPolygon');
  const left = members.length - outlines.length;
  if (outlines.length === 0 || left === 0) return members;
  findings.push({
    rule: 'points-left-out',
    detail: `${left === 1 ? 'A point next to the outlines was' : `Points next to the outlines (${left}) were`} left out, because outlines alone are measured; a place outside of them needs a row of its own.`,
    fixed: false,
  });
  return outlines;
}

function fitPoint(coordinates: unknown, findings: Finding[]): FitMember[] {
  const isWrapped = Array.isArray(coordinates) && coordinates.length === 1 && Array.isArray(coordinates[0]);
  const at = positionOf(isWrapped ? (coordinates as unknown[])[0] : coordinates, findings);
  if (at === null) return [];
  if (isWrapped)
    findings.push({
      rule: 'point-in-a-list',
      detail: 'The position of the point stood in a list; it was taken out.',
      fixed: true,
    });
  return [{ type: 'Point', coordinates: snapped(at) }];
}

function fitMultiPoint(coordinates: unknown, findings: Finding[]): FitMember[] {
  if (!Array.isArray(coordinates) || coordinates.length === 0)
    return failed(findings, 'no-geometry', 'The MultiPoint is empty.');
  const positions = positionsOf(coordinates, findings);
  if (positions === null) return [];
  const places = new Map(positions.map((at) => [snapped(at).join(), snapped(at)]));
  if (places.size < positions.length)
    findings.push({
      rule: 'repeated-positions',
      detail: `${positions.length - places.size} positions that repeated others with 6 decimals left out.`,
      fixed: true,
    });
  const unique = [...places.values()];
  return unique.length === 1
    ? [{ type: 'Point', coordinates: unique[0] }]
    : [{ type: 'MultiPoint', coordinates: unique }];
}

function fitPolygons(polygons: readonly unknown[], tools: GeometryTools, findings: Finding[]): FitMember[] {
  const rings: GridRing[] = [];
  let isWhole = true;
  for (const polygon of polygons) {
    const read = readRings(polygon, findings);
    if (read === null) continue;
    const fit = fitPolygon(read, tools);
    findings.push(...fit.findings);
    isWhole &&= fit.rings.length === 1;
    rings.push(...fit.rings);
  }
  if (rings.length === 0) return [];
  if (rings.length === 1) return [{ type: 'Polygon', coordinates: rings }];
  const areDistinct = haveDistinctBoxes(rings);
  if (!areDistinct && partsOverlap(rings, tools))
    findings.push({
      rule: 'parts-overlap',
      detail: 'Parts of the plot lie on each other; their ground is counted twice.',
      fixed: false,
    });
  if (isWhole && areDistinct) return [{ type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) }];
  findings.push({
    rule: 'parts-separated',
    detail: `Polygons that lie close together are written as ${rings.length} Features, because the parts of one MultiPolygon must not share a side.`,
    fixed: true,
  });
  return rings.map((ring) => ({ type: 'Polygon', coordinates: [ring] }));
}

function snapped([lon, lat]: Position): Position {
  return [SNAPS.round(lon) + 0, SNAPS.round(lat) + 0];
}

/** What is wrong with a part does not keep the rest back; it is reported as a part that was left out. */
function downgrade(findings: Finding[]): void {
  for (const [i, finding] of findings.entries()) {
    if (finding.fixed || !PART_RULES.has(finding.rule)) continue;
    findings[i] = {
      rule: 'part-left-out',
      detail: `A part of the geometry was left out. ${finding.detail}`,
      fixed: false,
    };
  }
}

const PART_RULES: ReadonlySet<Finding['rule']> = new Set([
  'no-geometry',
  'unsupported-type',
  'unreadable-coordinates',
  'out-of-range',
  'straight-line',
  'repeated-positions',
  'crossing-lines',
  'overlapping-sides',
  'doughnut',
] as const);

/** Whether no two boxes touch: then the polygons in them share nothing. Swept from west to east. */
function haveDistinctBoxes(rings: readonly GridRing[]): boolean {
  const boxes = rings.map(boxOf).toSorted((a, b) => a[0] - b[0]);
  let open: (typeof boxes)[number][] = [];
  for (const box of boxes) {
    open = open.filter(([, , east]) => east >= box[0]);
    if (open.some(([, south, , north]) => south <= box[3] && box[1] <= north)) return false;
    open.push(box);
  }
  return true;
}

function boxOf(ring: GridRing): [west: number, south: number, east: number, north: number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of ring) {
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  }
  return box;
}

/** Whether any two parts have ground of more than a square metre in common. Of very many parts not all pairs are compared. */
function partsOverlap(rings: readonly GridRing[], tools: GeometryTools): boolean {
  let pairs = 0;
  for (const [i, a] of rings.entries())
    for (const b of rings.slice(i + 1)) {
      if (haveDistinctBoxes([a, b])) continue;
      if (++pairs > MAX_PAIRS) return false;
      const common = tools.intersection({ type: 'Polygon', coordinates: [a] }, { type: 'Polygon', coordinates: [b] });
      if (hasArea(common)) return true;
    }
  return false;
}

function hasArea(geometry: Geometry | null): boolean {
  if (geometry?.type === 'GeometryCollection') return geometry.geometries.some(hasArea);
  if (geometry?.type === 'MultiPolygon')
    return geometry.coordinates.some((coordinates) => hasArea({ type: 'Polygon', coordinates }));
  if (geometry?.type !== 'Polygon' || geometry.coordinates.length === 0) return false;
  return polygonArea(geometry.coordinates.map((ring) => flat(ring as GridRing))).area > 1;
}
