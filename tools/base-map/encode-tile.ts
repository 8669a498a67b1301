import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Vertices } from './clip-ring.ts';
import type { Polygon } from './valid-polygons.ts';
import { TILE_UNITS } from './world-units.ts';

/** What one tile holds, in units of the world at its zoom. */
export interface TileContent {
  readonly water: readonly Polygon[];
  /** Lakes whose shores are 1 to 4 km off at places. */
  readonly lakes: readonly Polygon[];
  readonly borders: readonly Vertices[];
  readonly places: readonly TilePlace[];
}

export interface TilePlace {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly people: number;
}

const [POINT, LINE, POLYGON] = [1, 2, 3] as const;

/** A tile as Mapbox Vector Tile, version 2. Layers without features are left out; places carry `rank`, 0 for the largest, by which labels give way. */
export function encodeTile({ water, lakes, borders, places }: TileContent, x: number, y: number): Uint8Array {
  const [left, top] = [x * TILE_UNITS, y * TILE_UNITS];
  const pairs = (line: Vertices): [number, number][] => {
    const out: [number, number][] = [];
    for (let i = 0; i < line.length; i += 2) out.push([line[i] - left, line[i + 1] - top]);
    return out;
  };
  const area = (polygon: Polygon) => ({ type: POLYGON, geometry: polygon.map(pairs), tags: null });
  const layers = {
    water: water.map(area),
    lakes: lakes.map(area),
    borders: borders.map((line) => ({ type: LINE, geometry: [pairs(line)], tags: null })),
    places: places.map(({ x: px, y: py, name, people }) => ({
      type: POINT,
      geometry: pairs([px, py]),
      tags: { name, people, rank: Math.round(100 - 10 * Math.log10(people + 1)) },
    })),
  };
  const filled = Object.entries(layers).filter(([, features]) => features.length > 0);
  return fromGeojsonVt(
    Object.fromEntries(filled.map(([name, features]) => [name, { features }])) as unknown as Parameters<
      typeof fromGeojsonVt
    >[0],
    { version: 2, extent: TILE_UNITS },
  );
}
