import type { Position } from '../../../geo/geometry.ts';
import type { Finding } from '../finding.ts';

/** The rings of a polygon without empty holes; null when one cannot be read, which is reported. */
export function readRings(polygon: unknown, findings: Finding[]): Position[][] | null {
  if (!Array.isArray(polygon) || polygon.length === 0 || !polygon.every(Array.isArray)) {
    failed(findings, 'unreadable-coordinates', 'A polygon is not a list of rings.');
    return null;
  }
  const rings: Position[][] = [];
  for (const ring of polygon as unknown[][]) {
    const positions = positionsOf(ring, findings);
    if (positions === null) return null;
    if (positions.length === 0 && rings.length === 0) {
      failed(findings, 'no-geometry', 'A polygon is empty.');
      return null;
    }
    if (positions.length > 0) rings.push(positions);
  }
  return rings;
}

/** Positions in degrees; null when one is none, which is reported. */
export function positionsOf(list: readonly unknown[], findings: Finding[]): Position[] | null {
  const out: Position[] = [];
  for (const entry of list) {
    const at = positionOf(entry, findings);
    if (at === null) return null;
    out.push(at);
  }
  return out;
}

/** A position in degrees, heights left out; null when it is none, which is reported. */
export function positionOf(entry: unknown, findings: Finding[]): Position | null {
  const [lon, lat] = Array.isArray(entry) ? (entry as unknown[]) : [];
  if (typeof lon !== 'number' || typeof lat !== 'number' || !Number.isFinite(lon) || !Number.isFinite(lat)) {
    failed(findings, 'unreadable-coordinates', 'A position is no pair of numbers [longitude, latitude].');
    return null;
  }
  if (Math.abs(lon) > 180 || Math.abs(lat) > 90) {
    const hint =
      Math.abs(lat) > 90 && Math.abs(lat) <= 180 && Math.abs(lon) <= 90
        ? '; longitude and latitude may be exchanged'
        : '';
    failed(
      findings,
      'out-of-range',
      `The position [${lon}, ${lat}] is out of range: longitudes reach to 180, latitudes to 90${hint}.`,
    );
    return null;
  }
  return [lon, lat];
}

/** Says why something is left out. */
export function failed(findings: Finding[], rule: Finding['rule'], detail: string): [] {
  findings.push({ rule, detail, fixed: false });
  return [];
}
