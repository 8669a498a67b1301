/** How much one geometry may hold, so that work on it ends soon. */
export const GEOMETRY_LIMITS = { vertices: 1_000_000, parts: 50_000 } as const;

interface GeometrySize {
  readonly vertices: number;
  /** Lists of positions (lines, rings, sets of points) and members of collections. */
  readonly parts: number;
}

/** Arrays and collections inside each other that are followed; what is deeper is no geometry. */
const MAX_DEPTH = 20;

/** Counts without looking at a single coordinate, whatever stands where a geometry was expected. */
export function geometrySize(geometry: unknown): GeometrySize {
  const size = { vertices: 0, parts: 0 };
  countGeometry(geometry, 0, size);
  return size;
}

/** What a geometry has too much of, as the end of a sentence; null where it keeps to the limits. */
export function sizeFault(geometry: unknown): string | null {
  const { vertices, parts } = geometrySize(geometry);
  if (vertices > GEOMETRY_LIMITS.vertices)
    return `has ${vertices} vertices; wanted at most ${GEOMETRY_LIMITS.vertices} (file_vertices in /limits)`;
  if (parts > GEOMETRY_LIMITS.parts)
    return `has ${parts} parts; wanted at most ${GEOMETRY_LIMITS.parts} (file_parts in /limits)`;
  return null;
}

interface Counts {
  vertices: number;
  parts: number;
}

function countGeometry(geometry: unknown, depth: number, out: Counts): void {
  if (typeof geometry !== 'object' || geometry === null || depth > MAX_DEPTH) return;
  const { coordinates, geometries } = geometry as { readonly coordinates?: unknown; readonly geometries?: unknown };
  if (Array.isArray(coordinates)) countPositions(coordinates, 0, out);
  if (!Array.isArray(geometries)) return;
  out.parts += geometries.length;
  for (const member of geometries) countGeometry(member, depth + 1, out);
}

function countPositions(list: readonly unknown[], depth: number, out: Counts): void {
  const [first] = list;
  if (!Array.isArray(first)) {
    if (list.length > 0) out.vertices++;
  } else if (!Array.isArray(first[0]) || depth > MAX_DEPTH) {
    out.vertices += list.length;
    out.parts++;
  } else {
    for (const part of list) if (Array.isArray(part)) countPositions(part, depth + 1, out);
  }
}
