import type { Feature, Polygon } from '../../geo/geometry.ts';
import { utmProjection } from '../../geo/crs/utm.ts';
import { type CellHistory, DISTRICT, historyAt } from './district.ts';
import { round } from '../../geo/round.ts';

/** Cells of 20 m each way, and of a smallholder's plot: 1.44 ha. */
const CELLS = DISTRICT.size / 2;
const SMALLHOLDING = 6;
/** Columns, rows and side of the blocks of the estate, in cells. */
const ESTATE = { columns: [168, 186, 204, 222], row: 186, block: 18 } as const;
/** Cells that outlines keep from the edges of what they outline. */
const INSET = 0.3;
/** The palm oil mill of the district, as its pack has it. */
const MILL = [204, 206] as const;

/** Kinds of smallholdings: what all cells of one are. */
const KINDS = [
  { label: 'rubber, not felled since', commodity: 'rubber', count: 3, is: is('rubber', (year) => year <= 2020) },
  { label: 'rubber, felled since 2021', commodity: 'rubber', count: 2, is: is('rubber', (year) => year > 2020) },
  {
    label: 'farm on forest lost since',
    commodity: 'cocoa',
    count: 2,
    is: is('farmland', (year) => year > 2020),
  },
  { label: 'farm of before 2021', commodity: 'cocoa', count: 4, is: is('farmland', (year) => year <= 2020) },
  { label: 'logged forest', commodity: 'timber', count: 2, is: is('logged', () => true) },
] as const;

/** Where no map of the world has data, with a network or without. */
const ANTARCTIC: Polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [0, -75],
      [0.004, -75],
      [0.004, -74.999],
      [0, -74.999],
      [0, -75],
    ],
  ],
};

/** The name that marks everything made here as made up. */
const SAMPLE_SUPPLIER = 'Synthetic Cooperative (describes nobody)';

const ZONE_48_NORTH = utmProjection(48, true);

/**
 * A made-up collection of the sample district, the same every time: blocks of an estate that grew over the cut-off date,
 * smallholdings of every kind, two points with areas, a mill, and what real files have too: a plot that no dataset covers, an
 * outline that crosses itself, and a row without a place.
 */
export function samplePlots(): readonly Feature[] {
  const outlines = [...estateBlocks(), ...smallholdings()];
  const mill = place(MILL[0], MILL[1]);
  return [
    ...outlines.map(({ label, commodity, box: [left, top, right, bottom] }, i) =>
      plot(i + 1, label, commodity, { type: 'Polygon', coordinates: [rectangle(left, top, right, bottom)] }),
    ),
    plot(outlines.length + 1, 'point of 2 ha', 'palm', { type: 'Point', coordinates: place(196, 192) }, 2),
    plot(outlines.length + 2, 'point of 3 ha', 'palm', { type: 'Point', coordinates: place(232, 200) }, 3),
    plot(outlines.length + 3, 'plot in Antarctica, outside all data', 'timber', ANTARCTIC, undefined, 'AQ'),
    plot(outlines.length + 4, 'broken outline', 'cocoa', {
      type: 'Polygon',
      coordinates: [[place(100, 230), place(108, 238), place(108, 230), place(100, 238), place(100, 230)]],
    }),
    plot(outlines.length + 5, 'without a place', 'cocoa', null),
    {
      type: 'Feature',
      id: 'M-001',
      geometry: { type: 'Point', coordinates: mill },
      properties: {
        location_id: 'M-001',
        location_type: 'facility',
        name: 'Kilang Sawit Contoh (synthetic)',
        supplier_name: SAMPLE_SUPPLIER,
        country: 'MY',
        commodity_type: 'palm',
      },
    },
  ];
}

interface Outline {
  readonly label: string;
  readonly commodity: string;
  /** Left, top, right and bottom in cells. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
}

function is(cover: CellHistory['cover'], hasYear: (lossYear: number) => boolean): (cell: CellHistory) => boolean {
  return (cell) => cell.cover === cover && hasYear(cell.lossYear);
}

function estateBlocks(): Outline[] {
  const { columns, row, block } = ESTATE;
  return columns.map((column) => ({
    label: `block cleared in ${historyAt(column + block / 2, row + block / 2).lossYear}`,
    commodity: 'palm',
    box: [column, row, column + block, row + block],
  }));
}

/** The first places of each kind, from north to south and west to east, that lie apart. */
function smallholdings(): Outline[] {
  const found: Outline[] = [];
  for (const { label, commodity, count, is: fits } of KINDS) {
    let left = count;
    for (let row = 4; row + SMALLHOLDING < CELLS && left > 0; row += SMALLHOLDING + 2)
      for (let column = 12; column + SMALLHOLDING < CELLS && left > 0; column += SMALLHOLDING + 2) {
        if (!everyCell(column, row, fits)) continue;
        found.push({ label, commodity, box: [column, row, column + SMALLHOLDING, row + SMALLHOLDING] });
        left--;
        column += 4 * SMALLHOLDING;
      }
  }
  return found;
}

function everyCell(column: number, row: number, fits: (cell: CellHistory) => boolean): boolean {
  for (let y = row; y < row + SMALLHOLDING; y++)
    for (let x = column; x < column + SMALLHOLDING; x++) if (!fits(historyAt(x, y))) return false;
  return true;
}

function plot(
  number: number,
  label: string,
  commodity: string,
  geometry: Feature['geometry'],
  areaHa?: number,
  country = 'MY',
): Feature {
  const id = `S-${String(number).padStart(3, '0')}`;
  return {
    type: 'Feature',
    id,
    geometry,
    properties: {
      location_id: id,
      location_type: 'plot',
      name: `Synthetic ${label}`,
      supplier_name: SAMPLE_SUPPLIER,
      country,
      commodity_type: commodity,
      ...(areaHa === undefined ? {} : { area_ha: areaHa }),
      synthetic: true,
    },
  };
}

/** Counter-clockwise and closed, a little inside its cells, so that no neighbour shows in it. */
function rectangle(west: number, north: number, east: number, south: number): (readonly [number, number])[] {
  const [left, top, right, bottom] = [west + INSET, north + INSET, east - INSET, south - INSET];
  return [place(left, bottom), place(right, bottom), place(right, top), place(left, top), place(left, bottom)];
}

/** Longitude and latitude of a corner of a cell, to seven decimals. Cells begin half a cell before the district. */
function place(column: number, row: number): readonly [lon: number, lat: number] {
  const at = new Float64Array(2);
  ZONE_48_NORTH.toLonLat(DISTRICT.west - 10 + column * 20, DISTRICT.north + 10 - row * 20, at, 0);
  return [round(at[0]!, 7), round(at[1]!, 7)];
}
