import type { Neighbour } from './neighbours.ts';

/** Vertices that are drawn of a geometry that is not fit. */
const MAX_VERTICES = 20_000;

/** What can be drawn of any value that was meant as a geometry: its lists of positions in range. Never throws. */
export function readOutline(geometry: unknown): Pick<Neighbour, 'rings' | 'points'> {
  const rings: Float64Array[] = [];
  const points: (readonly [number, number])[] = [];
  let left = MAX_VERTICES;
  const visit = (value: unknown, depth: number): void => {
    if (depth > 24 || left <= 0 || typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) {
      const { type, coordinates, geometries } = value as {
        type?: unknown;
        coordinates?: unknown;
        geometries?: unknown;
      };
      if (type === 'MultiPoint' && Array.isArray(coordinates))
        for (const at of coordinates.filter(isPosition).slice(0, left)) points.push([at[0], at[1]]);
      else if (isPosition(coordinates)) points.push([coordinates[0], coordinates[1]]);
      else visit(coordinates, depth + 1);
      visit(geometries, depth + 1);
      return;
    }
    const positions = value.filter(isPosition).slice(0, left);
    if (positions.length > 0) {
      left -= positions.length;
      if (positions.length === 1) points.push([positions[0][0], positions[0][1]]);
      else rings.push(Float64Array.from(positions.flatMap(([lon, lat]) => [lon, lat])));
    } else for (const part of value) visit(part, depth + 1);
  };
  visit(geometry, 0);
  return { rings, points };
}

function isPosition(value: unknown): value is [number, number, ...unknown[]] {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'number' &&
    typeof value[1] === 'number' &&
    Math.abs(value[0]) <= 180 &&
    Math.abs(value[1]) <= 90
  );
}
