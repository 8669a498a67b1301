import type { Geometry, Position } from '../../geo/geometry.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import { measureGeometry } from '../measure-geometry.ts';
import type { Overlay } from './geos.ts';

interface Repaired {
  readonly geometry: Geometry;
  /** What was changed, in order; never empty. */
  readonly log: readonly string[];
}

/**
 * Repairs what is plainly meant: a point in one bracket too many, rings that are not closed, repeated vertices, and rings
 * that cross or touch themselves; with `trustedOnly` those only where that changes the area by less than 1 %. Null when there is nothing to repair or no repair that can be trusted.
 */
export function repairGeometry(geometry: unknown, overlay: Overlay, trustedOnly = false): Repaired | null {
  if (measureGeometry(geometry).shape !== null) return null;
  const { type, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown };
  if (type === 'Point') return unwrapPoint(coordinates);
  if (type !== 'Polygon' && type !== 'MultiPolygon') return null;
  const log: string[] = [];
  const rings = tidy(coordinates, type === 'Polygon' ? 1 : 2, log);
  if (rings === null) return null;
  const tidied = { type, coordinates: rings } as Geometry;
  const after = measureGeometry(tidied);
  if (after.shape !== null) return log.length === 0 ? null : { geometry: tidied, log };
  if (after.fault.code === 'out_of_range' || after.fault.code === 'bad_position') return null;
  const valid = polygonsOf(overlay.makeValid(tidied));
  if (valid === null || measureGeometry(valid).shape === null) return null;
  if (trustedOnly && !isNearlySame(tidied, valid)) return null;
  const parts = valid.type === 'MultiPolygon' ? valid.coordinates.length : 1;
  return {
    geometry: valid,
    log: [
      ...log,
      `lines that crossed or touched were cut apart, which gives ${parts} ${parts === 1 ? 'polygon' : 'polygons'}`,
    ],
  };
}

/** Share of the area that a trusted repair may change. */
const TRUSTED_CHANGE = 0.01;

/** By the area that rings enclose with sign: what crosses itself by more than a hair encloses less than its parts. */
function isNearlySame(before: Geometry, after: Geometry): boolean {
  const [one, other] = [areaOf(before), areaOf(after)];
  return Math.abs(one - other) <= TRUSTED_CHANGE * Math.max(one, other);
}

function areaOf(geometry: Geometry): number {
  const polygons =
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.type === 'MultiPolygon' ? geometry.coordinates : [];
  return polygons.reduce((sum, rings) => {
    const sizes = rings.map((ring) =>
      Math.abs(polygonArea([Float64Array.from(ring.flatMap(([x, y]) => [x, y]))]).area),
    );
    return sum + sizes.reduce((rest, size, i) => (i === 0 ? size : rest - size), 0);
  }, 0);
}

function unwrapPoint(coordinates: unknown): Repaired | null {
  const inner: unknown = Array.isArray(coordinates) && coordinates.length === 1 ? coordinates[0] : null;
  const geometry = { type: 'Point', coordinates: inner } as Geometry;
  if (!Array.isArray(inner) || measureGeometry(geometry).shape === null) return null;
  return { geometry, log: ['the position of the point was taken out of a list'] };
}

/** Closed rings without repeated vertices; null for anything that is not a list of rings. */
function tidy(value: unknown, depth: number, log: string[]): unknown[] | null {
  if (!Array.isArray(value)) return null;
  const out: unknown[] = [];
  for (const part of value as unknown[]) {
    const done = depth > 1 ? tidy(part, depth - 1, log) : tidyRing(part, log);
    if (done === null) return null;
    if (done.length > 0) out.push(done);
  }
  return out;
}

function tidyRing(ring: unknown, log: string[]): Position[] | null {
  if (
    !Array.isArray(ring) ||
    !ring.every((at) => Array.isArray(at) && at.length >= 2 && at.every((value) => typeof value === 'number'))
  )
    return null;
  const positions = ring as Position[];
  const kept = positions.filter((at, i) => i === 0 || at[0] !== positions[i - 1][0] || at[1] !== positions[i - 1][1]);
  const dropped = positions.length - kept.length;
  if (dropped > 0) log.push(`${dropped} repeated ${dropped === 1 ? 'vertex was' : 'vertices were'} left out`);
  const [first, last] = [kept[0], kept.at(-1)];
  if (first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1])) {
    kept.push(first);
    log.push('a ring was closed');
  }
  if (kept.length >= 4) return kept;
  log.push('a ring of fewer than 3 different vertices was left out');
  return [];
}

/** The polygons of what GEOS gives, which may hold lines and points that were left over. */
function polygonsOf(geometry: Geometry | null): Extract<Geometry, { type: 'Polygon' | 'MultiPolygon' }> | null {
  if (geometry === null) return null;
  if (geometry.type === 'Polygon' || geometry.type === 'MultiPolygon') return geometry;
  if (geometry.type !== 'GeometryCollection') return null;
  const coordinates = geometry.geometries.flatMap((member) =>
    member.type === 'Polygon' ? [member.coordinates] : member.type === 'MultiPolygon' ? member.coordinates : [],
  );
  return coordinates.length === 0 ? null : { type: 'MultiPolygon', coordinates };
}
