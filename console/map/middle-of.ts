/** As much of a GeoJSON geometry as is read here. */
interface Shape {
  readonly coordinates?: unknown;
  readonly geometries?: readonly unknown[];
}

/** The middle of the bounds of a geometry, or null without one that can be on a map. */
export function middleOf(geometry: Shape | null): readonly [lon: number, lat: number] | null {
  const box = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number];
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    const [lon, lat] = value as unknown[];
    if (typeof lon !== 'number' || typeof lat !== 'number') return value.forEach(visit);
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  };
  visit(geometry?.coordinates);
  for (const member of geometry?.geometries ?? []) visit((member as { coordinates?: unknown }).coordinates);
  const [lon, lat] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? [lon, lat] : null;
}
