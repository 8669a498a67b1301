/** The deepest zoom that has tiles of its own; nearer views draw these larger. */
export const MAX_ZOOM = 5;
/** Units along an edge of a tile: MapLibre's own, so that it rounds nothing. */
export const TILE_UNITS = 8192;
/** Units around the world at `MAX_ZOOM`: 153 m each at the equator. */
export const WORLD_UNITS = TILE_UNITS * 2 ** MAX_ZOOM;

/** Web Mercator as whole units from the west and the north; latitudes beyond its square lie on its edge. */
export function toUnits(lon: number, lat: number): readonly [x: number, y: number] {
  const sine = Math.sin((lat * Math.PI) / 180);
  const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  return [Math.round((lon / 360 + 0.5) * WORLD_UNITS), Math.round(Math.max(0, Math.min(1, y)) * WORLD_UNITS)];
}
