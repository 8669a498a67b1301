import type { Feature, FeatureCollection, Polygon, Position } from 'geojson';

/** Degrees each way of one cell of the detailed map. */
const CELL = 5;
/** Cells kept decoded. */
const KEPT = 40;
/** Zoom from which the detailed cells are shown in place of the world. */
const DETAIL_ZOOM = 6;

export interface View {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly zoom: number;
}

let world: Promise<{ readonly data: BaseMapData; readonly piece: WorldPiece }> | null = null;
let cellNames: Promise<ReadonlySet<string>> | null = null;
const cells = new Map<string, Promise<BaseMapData>>();

const MAP = '/console/map';

async function read<T>(name: string): Promise<T> {
  const response = await fetch(`${MAP}/${name}.json`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return (await response.json()) as T;
}

export function worldMap() {
  world ??= read<WorldPiece>('world').then((piece) => ({ data: decodePiece(piece), piece }));
  world.catch(() => (world = null));
  return world;
}

/** What to draw for a view, and a name of it: the same name, the same data. */
export async function baseMapFor(view: View): Promise<{ readonly key: string; readonly data: BaseMapData }> {
  const coarse = await worldMap();
  if (view.zoom < DETAIL_ZOOM) return { key: 'world', data: coarse.data };
  const names = await cellsOf(view);
  const parts = await Promise.all(names.map(cellMap));
  return { key: names.join(' '), data: joined(parts) };
}

async function cellsOf({ west, south, east, north }: View): Promise<string[]> {
  cellNames ??= read<string[]>('cells').then((list) => new Set(list));
  const known = await cellNames;
  const names: string[] = [];
  for (let x = Math.floor(west / CELL) * CELL; x < east; x += CELL)
    for (let y = Math.floor(Math.max(south, -90) / CELL) * CELL; y < Math.min(north, 90); y += CELL) {
      const turned = ((((x + 180) % 360) + 360) % 360) - 180;
      if (known.has(`${turned}_${y}`)) names.push(`${turned}_${y}`);
    }
  return names;
}

function cellMap(name: string): Promise<BaseMapData> {
  const kept = cells.get(name) ?? read<MapPiece>(`cells/${name}`).then(decodePiece);
  cells.delete(name);
  cells.set(name, kept);
  kept.catch(() => cells.delete(name));
  for (const oldest of cells.keys()) {
    if (cells.size <= KEPT) break;
    cells.delete(oldest);
  }
  return kept;
}

function joined(parts: readonly BaseMapData[]): BaseMapData {
  const all = (name: keyof BaseMapData): FeatureCollection => ({
    type: 'FeatureCollection',
    features: parts.flatMap((part) => part[name].features),
  });
  return { water: all('water'), borders: all('borders'), places: all('places') };
}

/** A frame of a box, for maps that show an area. */
export function boxPolygon([west, south, east, north]: readonly [number, number, number, number]): Feature<Polygon> {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
}

/** What the base map draws, as the sources of the style. */
interface BaseMapData {
  readonly water: FeatureCollection;
  readonly borders: FeatureCollection;
  readonly places: FeatureCollection;
}

/** One piece of the base map as it is served: thousandths of a degree, each pair the difference to the one before. */
interface MapPiece {
  readonly water: readonly (readonly (readonly number[])[])[];
  readonly borders: readonly (readonly number[])[];
  readonly places: readonly (readonly [x: number, y: number, name: string, people: number])[];
}

interface WorldPiece extends MapPiece {
  readonly countries: readonly (readonly [code: string, lon: number, lat: number, people: number])[];
}

const STEPS = 1_000;

/** A piece as GeoJSON. Places carry `rank`, 0 for the largest, by which labels give way. */
function decodePiece({ water, borders, places }: MapPiece): BaseMapData {
  return {
    water: collection([{ type: 'MultiPolygon', coordinates: water.map((rings) => rings.map(positions)) }, {}]),
    borders: collection([{ type: 'MultiLineString', coordinates: borders.map(positions) }, {}]),
    places: collection(
      ...places.map(
        ([x, y, name, people]) =>
          [
            { type: 'Point' as const, coordinates: [x / STEPS, y / STEPS] as Position },
            { name, people, rank: Math.round(100 - 10 * Math.log10(people + 1)) },
          ] satisfies Item,
      ),
    ),
  };
}

type Item = [geometry: FeatureCollection['features'][number]['geometry'], properties: object];

function collection(...items: readonly Item[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: items.map(([geometry, properties]) => ({ type: 'Feature', geometry, properties: { ...properties } })),
  };
}

function positions(numbers: readonly number[]): Position[] {
  const out: Position[] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < numbers.length; i += 2) {
    x += numbers[i] ?? 0;
    y += numbers[i + 1] ?? 0;
    out.push([x / STEPS, y / STEPS]);
  }
  return out;
}
