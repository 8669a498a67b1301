import { utmProjection } from '../../geo/crs/utm.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import type { ThemeFeature } from '../themes/themes.ts';
import { DISTRICT, hashNoise, riverRow, standAt } from './district.ts';
import { round } from '../../geo/round.ts';

/** Places are columns and rows of 20 m from the district's upper left corner, and parts of them. */
type Cell = readonly [column: number, row: number];

const CELL_M = 20;
const CELLS = (DISTRICT.size * 10) / CELL_M;
/** Column of the middle of the town, of the road over the river, and place of the mill. */
const TOWN = 60;
const CROSSING = 200;
const MILL: Cell = [204, 206];

/** Roads, water, buildings and businesses of the sample district: a town with a jetty, villages, and a palm oil mill in its estate. */
export function* sampleFeatures(): Generator<ThemeFeature, void> {
  yield* roads();
  yield line(
    'water',
    'river',
    'river',
    'Sungai Contoh',
    along((column) => riverRow(column)),
  );
  yield* villages();
  yield* town();
  yield* mill();
}

function* roads(): Generator<ThemeFeature, void> {
  yield line(
    'roads',
    'main-road',
    'secondary',
    'Jalan Contoh',
    along((column) => riverRow(column) - 7),
  );
  const north: Cell = [CROSSING, riverRow(CROSSING) - 7];
  yield line('roads', 'bridge-road', 'tertiary', 'Jalan Kilang', [north, [CROSSING, 186], MILL]);
  for (let column = 168; column <= 240; column += 18)
    yield line('roads', `estate-${column}`, 'track', null, [
      [column, 186],
      [column, 240],
    ]);
  for (let row = 186; row <= 240; row += 18)
    yield line('roads', `estate-row-${row}`, 'track', null, [
      [168, row],
      [240, row],
    ]);
  for (let street = -3; street <= 3; street++) {
    const column = TOWN + street * 5;
    yield line('roads', `street-${street}`, 'residential', null, [
      [column, riverRow(TOWN) - 24],
      [column, riverRow(TOWN) - 8],
    ]);
  }
}

/** A house here and there where the land cover is a village. */
function* villages(): Generator<ThemeFeature, void> {
  let houses = 0;
  for (let row = 0; row < CELLS; row += 2)
    for (let column = 0; column < CELLS; column += 2) {
      if (standAt(column, row).cover !== 'village' || hashNoise(column, row, 71) > 0.45) continue;
      const at: Cell = [column + hashNoise(column, row, 72), row + hashNoise(column, row, 73)];
      yield building(`house-${column}-${row}`, 'house', null, at, 8 + 6 * hashNoise(column, row, 74), 9);
      houses++;
    }
  if (houses > 0) yield point('settlements', 'village-1', [30, riverRow(30) - 12], ['village', 'Kampung Contoh', 420]);
}

/** Houses along the streets, a jetty, warehouses and those who trade there. */
function* town(): Generator<ThemeFeature, void> {
  const south = riverRow(TOWN) - 8;
  for (let street = -3; street <= 3; street++)
    for (let house = 0; house < 16; house++)
      for (const side of [-0.8, 0.3])
        yield building(
          `town-${street}-${house}-${side}`,
          'residential',
          null,
          [TOWN + street * 5 + side, south - house],
          11,
          13,
        );
  yield point('settlements', 'town', [TOWN, south - 8], ['town', 'Pekan Contoh', 3_200]);
  const jetty: Cell = [TOWN + 2, riverRow(TOWN + 2) - 2.5];
  yield point('ports', 'jetty', jetty, ['harbour', 'Jeti Pekan Contoh']);
  const sheds = [
    {
      name: 'Gudang Getah Contoh',
      kinds: ['building=warehouse', 'office=cooperative'],
      names: 'Gudang Getah Contoh;Koperasi Getah',
    },
    {
      name: 'Gudang Koko Contoh',
      kinds: ['building=warehouse', 'shop=wholesale'],
      names: 'Gudang Koko Contoh;Kakao Contoh',
    },
    { name: 'Kilang Papan Contoh', kinds: ['craft=sawmill', 'building=industrial'], names: 'Kilang Papan Contoh' },
  ] as const;
  for (const [i, { name, kinds, names }] of sheds.entries()) {
    const at = shedAt(i);
    yield building(`shed-${i}`, kinds[0].includes('building') ? 'warehouse' : 'industrial', name, at, 30, 60);
    yield point('businesses', `shed-${i}`, [at[0] + 0.7, at[1] + 1.5], [kinds[0], name, kinds.join(' '), names]);
  }
}

/** Upper left corner of a warehouse. */
function shedAt(i: number): Cell {
  return [TOWN + 20 + 4 * i, riverRow(TOWN + 20) - 12];
}

/** The mill, its tanks and the ground it stands on. */
function* mill(): Generator<ThemeFeature, void> {
  const [column, row] = MILL;
  const name = 'Kilang Sawit Contoh';
  const ground = ring([column - 4, row - 4], 240, 200);
  yield {
    theme: 'industrial',
    geometry: { type: 'polygon', rings: [ground] },
    values: ['sample/mill-ground', 'works', name],
  };
  yield building('mill', 'industrial', name, [column - 2, row - 2], 80, 50);
  yield building('mill-tank-1', 'storage_tank', null, [column + 3, row - 2], 20, 20);
  yield building('mill-tank-2', 'storage_tank', null, [column + 3, row], 20, 20);
  yield point(
    'businesses',
    'mill',
    [column, row - 0.7],
    ['industrial=palm_oil_mill', name, 'industrial=palm_oil_mill man_made=works', name],
  );
}

function along(rowOf: (column: number) => number): Cell[] {
  return Array.from({ length: CELLS / 4 + 1 }, (_, i) => [i * 4, rowOf(i * 4)] as const);
}

function line(
  theme: 'roads' | 'water',
  id: string,
  kind: string,
  name: string | null,
  cells: readonly Cell[],
): ThemeFeature {
  return { theme, geometry: { type: 'lineString', line: toDegrees(cells) }, values: [`sample/${id}`, kind, name] };
}

function point(
  theme: 'businesses' | 'ports' | 'settlements',
  id: string,
  at: Cell,
  values: readonly (string | number)[],
): ThemeFeature {
  const [lon, lat] = toDegrees([at]);
  return { theme, geometry: { type: 'point', lon, lat }, values: [`sample/${id}`, ...values] };
}

/** A house with its upper left corner at a place, sides in metres. */
function building(id: string, kind: string, name: string | null, at: Cell, width: number, depth: number): ThemeFeature {
  const rings = [ring(at, width, depth)];
  const isIndustrial = kind === 'house' || kind === 'residential' ? 0 : 1;
  const area = round(polygonArea(rings).area, 2);
  return {
    theme: 'buildings',
    geometry: { type: 'polygon', rings },
    values: [`sample/${id}`, kind, name, isIndustrial, area],
  };
}

function ring([column, row]: Cell, width: number, depth: number): Float64Array {
  const [right, bottom] = [column + width / CELL_M, row + depth / CELL_M];
  return toDegrees([
    [column, bottom],
    [right, bottom],
    [right, row],
    [column, row],
    [column, bottom],
  ]);
}

const ZONE_48_NORTH = utmProjection(48, true);

/** Longitude and latitude in turn, rounded to 1e-7 degree as packs keep them. */
function toDegrees(cells: readonly Cell[]): Float64Array {
  const flat = new Float64Array(cells.length * 2);
  for (const [i, [column, row]] of cells.entries())
    ZONE_48_NORTH.toLonLat(DISTRICT.west + column * CELL_M, DISTRICT.north - row * CELL_M, flat, 2 * i);
  return flat.map((degrees) => round(degrees, 7));
}

function placeAt(cell: Cell): readonly [lon: number, lat: number] {
  const [lon, lat] = toDegrees([cell]);
  return [lon, lat];
}

/** Where the mill and the three warehouses stand, in degrees. */
export const MILL_AT = placeAt(MILL);
export const SHEDS_AT = [0, 1, 2].map((i) => placeAt([shedAt(i)[0] + 0.7, shedAt(i)[1] + 1.5]));
