import type { Bbox } from '../../geo/shapes/shape.ts';

/** The deepest zoom that is made; map programs enlarge it beyond. */
export const MAX_TILE_ZOOM = 16;
/** Units of a tile each way, and how many it reaches over its edges. */
export const TILE_EXTENT = 4_096;
export const TILE_BUFFER = 64;

/** Column and row of the square scheme of the web, from the north-west. */
export interface TileId {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Whether there is such a tile. */
export function isTile({ z, x, y }: TileId): boolean {
  return z >= 0 && z <= MAX_TILE_ZOOM && x >= 0 && y >= 0 && x < 2 ** z && y < 2 ** z;
}

/** The ground of a tile with what reaches over its edges, `over` of a tile on each side, in degrees; kept within the world. */
export function tileBounds({ z, x, y }: TileId, over: number = TILE_BUFFER / TILE_EXTENT): Bbox {
  return [
    Math.max(-180, longitudeOf(x - over, z)),
    latitudeOf(y + 1 + over, z),
    Math.min(180, longitudeOf(x + 1 + over, z)),
    latitudeOf(y - over, z),
  ];
}

function longitudeOf(x: number, z: number): number {
  return (x / 2 ** z) * 360 - 180;
}

function latitudeOf(y: number, z: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;
}

/** A place in units of a tile: east from its left edge, south from its top. */
export function tileUnits(lon: number, lat: number, { z, x, y }: TileId): readonly [number, number] {
  const sin = Math.max(-0.9999, Math.min(0.9999, Math.sin((lat * Math.PI) / 180)));
  const worldX = (lon + 180) / 360;
  const worldY = 0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI);
  return [(worldX * 2 ** z - x) * TILE_EXTENT, (worldY * 2 ** z - y) * TILE_EXTENT];
}

/** The longitude and latitude of a place in units of a tile. */
export function tilePlace(u: number, v: number, { z, x, y }: TileId): readonly [number, number] {
  return [longitudeOf(x + u / TILE_EXTENT, z), latitudeOf(y + v / TILE_EXTENT, z)];
}
