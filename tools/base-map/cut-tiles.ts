import type { BaseMap } from './base-map.ts';
import { clipLine } from './clip-line.ts';
import { boxOfVertices, clipToBox, type Box, type Vertices } from './clip-ring.ts';
import type { TileContent, TilePlace } from './encode-tile.ts';
import { roundCorners } from './round-corners.ts';
import { simplifyLine } from './simplify-line.ts';
import { twiceArea, type CutPolygon, type Polygon } from './valid-polygons.ts';
import { MAX_ZOOM, TILE_UNITS } from './world-units.ts';

/** Tiles reach this far over their edges, so that lines are drawn whole: 4 pixels. */
const BUFFER = 64;
/** Lines may be off by this much: half a pixel where a tile is drawn largest. The deepest zoom has every vertex. */
const TOLERANCE = 4;
/** Lines and islands smaller than this both ways are left out above the deepest zoom: 2 pixels where a tile is drawn largest. */
const LEAST = 16;
/**
 * Square units of the smallest lakes. Above the deepest zoom, 4 square pixels where a tile is drawn largest. At the deepest, what
 * is smaller has three or four corners in the source, whose grid has cells of half a kilometre: shards and no shores.
 */
const LEAST_AREA = 256;
const LEAST_AREA_DEEPEST = 128;
/** People of the smallest settlements in the tiles of a zoom; none above. The style shows fewer. */
const PEOPLE: Readonly<Record<number, number>> = { 3: 2_000_000, 4: 700_000, 5: 0 };

type Visit = (zoom: number, x: number, y: number, content: TileContent) => void;

interface Layers {
  readonly water: readonly Polygon[];
  readonly lakes: readonly Polygon[];
  readonly borders: readonly Vertices[];
  readonly places: readonly TilePlace[];
}

/** Every tile from `MAX_ZOOM` to 0, those of a zoom next to one another. */
export function cutTiles({ water, lakes, borders, places }: BaseMap, cutPolygon: CutPolygon, visit: Visit): void {
  const large = water.filter(isLarge(LEAST_AREA_DEEPEST));
  let layers: Layers = { water: large.map((polygon) => polygon.map(roundCorners)), lakes, borders, places };
  for (let zoom = MAX_ZOOM; zoom >= 0; zoom--) {
    if (zoom < MAX_ZOOM) layers = coarser(layers);
    const least = PEOPLE[zoom] ?? Infinity;
    descend({ ...layers, places: layers.places.filter(({ people }) => people >= least) }, [0, 0, 0], {
      zoom,
      cutPolygon,
      visit,
    });
  }
}

/** The same at the zoom above: half as many units, and fewer vertices. Errors of all zooms below add up to twice the tolerance at most. */
function coarser({ water, lakes, borders, places }: Layers): Layers {
  return {
    water: water.flatMap(coarserPolygon).filter(isLarge(LEAST_AREA)),
    lakes: lakes.flatMap(coarserPolygon).filter(isLarge(LEAST_AREA)),
    borders: borders.flatMap(coarserLine),
    places: places.map((place) => ({ ...place, x: Math.round(place.x / 2), y: Math.round(place.y / 2) })),
  };
}

function isLarge(least: number): (polygon: Polygon) => boolean {
  return ([exterior]) => twiceArea(exterior) >= 2 * least;
}

function coarserPolygon([exterior, ...holes]: Polygon): Polygon[] {
  const drawn = coarserRing(exterior);
  return drawn.length === 0 ? [] : [[...drawn, ...holes.flatMap(coarserRing)]];
}

function coarserRing(ring: Vertices): Vertices[] {
  return coarserLine(ring).filter(({ length }) => length >= 8);
}

/** None, or the one. */
function coarserLine(line: Vertices): Vertices[] {
  const [minX, minY, maxX, maxY] = boxOfVertices(line).map((value) => Math.round(value / 2));
  if (Math.max(maxX - minX, maxY - minY) < LEAST) return [];
  return [
    simplifyLine(
      Array.from(line, (value) => Math.round(value / 2)),
      TOLERANCE,
    ),
  ];
}

interface DescendOptions {
  readonly zoom: number;
  readonly cutPolygon: CutPolygon;
  readonly visit: Visit;
}

/** Cuts what lies in a tile into the tiles of a deeper zoom, a quarter at a time. */
function descend(layers: Layers, [depth, x, y]: readonly [number, number, number], options: DescendOptions): void {
  const { zoom, cutPolygon, visit } = options;
  const edge = TILE_UNITS * 2 ** (zoom - depth);
  const box = [x * edge - BUFFER, y * edge - BUFFER, (x + 1) * edge + BUFFER, (y + 1) * edge + BUFFER] as const;
  const inside = clipped(layers, box, depth === 0);
  if (depth === zoom) {
    const own = inside.places.filter((place) => Math.floor(place.x / edge) === x && Math.floor(place.y / edge) === y);
    const cut = (polygons: readonly Polygon[]): Polygon[] => polygons.flatMap((polygon) => cutPolygon(polygon, box));
    visit(zoom, x, y, { ...inside, water: cut(inside.water), lakes: cut(inside.lakes), places: own });
    return;
  }
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const)
    descend(inside, [depth + 1, 2 * x + dx, 2 * y + dy], options);
}

function clipped({ water, lakes, borders, places }: Layers, box: Box, isWorld: boolean): Layers {
  if (isWorld) return { water, lakes, borders, places };
  const [minX, minY, maxX, maxY] = box;
  return {
    water: water.flatMap((polygon) => clippedPolygon(polygon, box)),
    lakes: lakes.flatMap((polygon) => clippedPolygon(polygon, box)),
    borders: borders.flatMap((line) => clippedLine(line, box)),
    places: places.filter(({ x, y }) => x >= minX && x <= maxX && y >= minY && y <= maxY),
  };
}

/** None, or the one. */
function clippedPolygon([exterior, ...holes]: Polygon, box: Box): Polygon[] {
  const part = clipToBox(exterior, box);
  if (part.length < 8) return [];
  return [[part, ...holes.map((hole) => clipToBox(hole, box)).filter(({ length }) => length >= 8)]];
}

function clippedLine(line: Vertices, box: Box): Vertices[] {
  const [west, north, east, south] = boxOfVertices(line);
  const [minX, minY, maxX, maxY] = box;
  if (west > maxX || east < minX || north > maxY || south < minY) return [];
  if (west >= minX && east <= maxX && north >= minY && south <= maxY) return [line];
  return clipLine(line, box);
}
