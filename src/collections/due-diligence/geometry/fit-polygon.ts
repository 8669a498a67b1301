import type { Geometry, Position } from '../../../geo/geometry.ts';
import { findRingFault, type RingFaultKind } from '../../../geo/rings/ring-validity.ts';
import type { Finding, Rule } from '../finding.ts';
import type { GeometryTools } from './geometry-tools.ts';
import { area, splitHoles } from './split-holes.ts';
import { flat, gridFault, snapRings, survivesTruncation, type GridRing } from './snap-rings.ts';

interface FitPolygon {
  /** Polygons without holes, each one ring, counter-clockwise; empty where the polygon cannot be made fit. */
  readonly rings: readonly GridRing[];
  readonly findings: readonly Finding[];
}

/** A polygon that crosses itself is only put right where that changes its area by less than this share. */
const TRUSTED_CHANGE = 0.01;
const MAX_ROUNDS = 4;

/** Which rule a fault of a ring breaks. */
const FAULT_RULES = {
  short_ring: 'straight-line',
  crossing: 'crossing-lines',
  overlap: 'overlapping-sides',
  self_touch: 'crossing-lines',
  hole_outside: 'doughnut',
  hole_in_hole: 'doughnut',
  disconnected_interior: 'doughnut',
} as const satisfies Record<RingFaultKind, Rule>;

/**
 * Makes a polygon fit for the EU information system: 6 decimals, no repeated vertices, valid both where decimals are
 * rounded and where they are cut off, and without holes, which are not read.
 */
export function fitPolygon(rings: readonly (readonly Position[])[], tools: GeometryTools): FitPolygon {
  const findings: Finding[] = [];
  if (rings.some(isOpen))
    findings.push(fixedBy('open-polygon', 'A ring was open; its first position was repeated at the end.'));
  if (isStraight(rings[0]))
    return unfit(findings, 'straight-line', 'The positions of the polygon lie on a straight line.');
  const polygons = snapValid(rings, tools, findings);
  if (polygons === null) return { rings: [], findings };
  const parts: GridRing[] = [];
  for (const polygon of polygons) {
    if (polygon.length === 1) parts.push(counterClockwise(polygon[0]));
    else {
      const split = splitHoles(polygon, tools);
      if (split === null || split.some((ring) => gridFault([ring]) !== null))
        return unfit(findings, 'doughnut', 'The polygon has holes and could not be cut into polygons without.');
      findings.push(
        fixedBy(
          'doughnut',
          `${polygon.length - 1} ${polygon.length === 2 ? 'hole is' : 'holes are'} not read by the information system: the polygon was cut into ${split.length} polygons around ${polygon.length === 2 ? 'it' : 'them'}.`,
        ),
      );
      parts.push(...split);
    }
  }
  if (!parts.every((ring) => survivesTruncation([ring])))
    findings.push({
      rule: 'float-truncation',
      detail: 'The polygon is valid with its 6 decimals, but not for a reader that cuts them off with rounding errors.',
      fixed: false,
    });
  return { rings: parts, findings };
}

/** The polygon on the grid as valid polygons; null, with the reason among the findings, when there is none. */
function snapValid(
  rings: readonly (readonly Position[])[],
  tools: GeometryTools,
  findings: Finding[],
): GridRing[][] | null {
  const rounded = dropEmpty(snapRings(rings, 'round'), rings, findings);
  const isSound = gridFault(rounded) === null && rounded.length > 0;
  if (isSound && survivesTruncation(rounded)) return [rounded];
  const truncated = dropEmpty(snapRings(rings, 'truncate'), rings, []);
  if (truncated.length > 0 && gridFault(truncated) === null && survivesTruncation(truncated)) return [truncated];
  if (isSound) return [rounded];
  const fault = rounded.length === 0 ? null : gridFault(rounded);
  if (fault === null) {
    findings.push({
      rule: 'repeated-positions',
      detail: 'With 6 decimals fewer than 3 different positions are left.',
      fixed: false,
    });
    return null;
  }
  const where = `near [${fault.at.map((value) => Number(value.toFixed(6))).join(', ')}]`;
  // A fault that the polygon did not have with all of its decimals is one of the cut.
  const rule = findRingFault(rings.map(closedFlat)) === null ? 'repeated-positions' : FAULT_RULES[fault.kind];
  const repaired = repair(rounded, tools);
  if (repaired === null) {
    findings.push({
      rule,
      detail: `The polygon breaks the rules ${where} (${fault.kind.replaceAll('_', ' ')}) and no repair can be trusted.`,
      fixed: false,
    });
    return null;
  }
  findings.push(
    fixedBy(
      rule,
      `The polygon broke the rules ${where} (${fault.kind.replaceAll('_', ' ')}); lines were cut apart there, which gives ${repaired.length} ${repaired.length === 1 ? 'polygon' : 'polygons'}.`,
    ),
  );
  return repaired;
}

/** Without the rings that have no area left; an exterior without area leaves nothing. */
function dropEmpty(snapped: GridRing[], rings: readonly (readonly Position[])[], findings: Finding[]): GridRing[] {
  const repeated =
    rings.reduce((sum, ring) => sum + ring.length, 0) - snapped.reduce((sum, ring) => sum + ring.length, 0);
  if (snapped[0].length === 0) return [];
  if (repeated > 0 && !rings.some(isOpen))
    findings.push(
      fixedBy(
        'repeated-positions',
        `${repeated} ${repeated === 1 ? 'position' : 'positions'} that repeated others with 6 decimals left out.`,
      ),
    );
  return snapped.filter((ring) => ring.length > 0);
}

function repair(rings: readonly GridRing[], tools: GeometryTools): GridRing[][] | null {
  let polygons: (readonly (readonly Position[])[])[] = [rings];
  const before =
    Math.abs(signedArea(rings[0])) - rings.slice(1).reduce((sum, ring) => sum + Math.abs(signedArea(ring)), 0);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const valid = tools.makeValid({ type: 'MultiPolygon', coordinates: polygons });
    polygons = polygonsOf(valid)
      .map((polygon) => snapRings(polygon, 'round').filter((ring, i) => i === 0 || ring.length > 0))
      .filter(([exterior]) => exterior.length > 0 && area([exterior]) > 0);
    const snapped = polygons as GridRing[][];
    if (snapped.length === 0) return null;
    if (!snapped.every((polygon) => gridFault(polygon) === null)) continue;
    const after = snapped.reduce((sum, polygon) => sum + area(polygon), 0);
    return Math.abs(after - before) <= TRUSTED_CHANGE * Math.max(after, before) ? snapped : null;
  }
  return null;
}

function polygonsOf(geometry: Geometry | null): (readonly (readonly Position[])[])[] {
  if (geometry?.type === 'Polygon') return [geometry.coordinates];
  if (geometry?.type === 'MultiPolygon') return [...geometry.coordinates];
  return geometry?.type === 'GeometryCollection' ? geometry.geometries.flatMap(polygonsOf) : [];
}

function isOpen(ring: readonly Position[]): boolean {
  const [first, last] = [ring[0], ring.at(-1)];
  return first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1]);
}

function closedFlat(ring: readonly Position[]): Float64Array {
  const closed = isOpen(ring) ? [...ring, ring[0]] : ring;
  return Float64Array.from(closed.flatMap(([lon, lat]) => [lon, lat]));
}

/** Whether no three positions span an area; decided on what came in, to a hair. */
function isStraight(ring: readonly Position[]): boolean {
  const [origin] = ring;
  const far = ring.reduce((best, at) => (distance2(origin, at) > distance2(origin, best) ? at : best), origin);
  const length2 = distance2(origin, far);
  return ring.every(([x, y]) => {
    const cross = (far[0] - origin[0]) * (y - origin[1]) - (far[1] - origin[1]) * (x - origin[0]);
    return Math.abs(cross) <= 1e-12 * length2;
  });
}

function distance2(a: Position, b: Position): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2;
}

function counterClockwise(ring: GridRing): GridRing {
  return signedArea(ring) < 0 ? ring.toReversed() : ring;
}

function signedArea(ring: GridRing): number {
  const values = flat(ring);
  const [x, y] = values;
  let twice = 0;
  for (let i = 0; i + 3 < values.length; i += 2)
    twice += (values[i] - x) * (values[i + 3] - y) - (values[i + 2] - x) * (values[i + 1] - y);
  return twice / 2;
}

function fixedBy(rule: Rule, detail: string): Finding {
  return { rule, detail, fixed: true };
}

function unfit(findings: readonly Finding[], rule: Rule, detail: string): FitPolygon {
  return { rings: [], findings: [...findings, { rule, detail, fixed: false }] };
}
