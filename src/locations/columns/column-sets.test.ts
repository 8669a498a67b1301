import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normalizedTable } from '../../../test/normalized-table.ts';

type Cell = string | number | null;
/** Producer, country, place, area, and the columns that the first three come from. */
type Wanted = readonly [
  producer: string | null,
  country: string | null,
  place: string | null,
  area: number | null,
  columns: readonly [string | null, string | null, string | null],
];
interface ColumnSet {
  readonly head: string;
  readonly rows: readonly (readonly [cells: readonly Cell[], wanted: Wanted])[];
}

const numbered = (i: number): string => `F${String(i).padStart(3, '0')}`;
const OFFICIAL = ['ProducerName', 'ProducerCountry', 'ProductionPlace'] as const;
const AT = [6.1, 0.1];
/** Where no column says the country it is the one at the coordinates. */
const FOUND = null;

/** Every column set ends with lat and lon, which are at a place in Ghana. */
const SETS: readonly ColumnSet[] = [
  // Official columns, alone and in company.
  {
    head: 'ProducerName,ProducerCountry,ProductionPlace,Area',
    rows: Array.from({ length: 20 }, (_, i) => [
      [numbered(i), 'GH', 'Kg Baru', i + 1],
      [numbered(i), 'GH', 'Kg Baru', i + 1, OFFICIAL],
    ]),
  },
  {
    head: 'country,ProducerName,ProducerCountry,ProductionPlace,Area',
    rows: Array.from({ length: 20 }, (_, i) => [
      [i === 3 ? 'Peru' : '', numbered(i), 'GH', 'Kg Baru', 1],
      [numbered(i), 'GH', 'Kg Baru', 1, OFFICIAL],
    ]),
  },
  {
    head: 'ProducerName,ProducerCountry,country',
    rows: [
      [
        ['F000', '', 'Ghana'],
        ['F000', 'GH', null, null, ['ProducerName', 'country', null]],
      ],
      [
        ['F001', 'CI', 'Ghana'],
        ['F001', 'CI', null, null, ['ProducerName', 'ProducerCountry', null]],
      ],
      [
        ['F002', '', ''],
        ['F002', 'GH', null, null, ['ProducerName', FOUND, null]],
      ],
    ],
  },
  {
    head: 'ProducerName,Supplier',
    rows: [
      [
        ['A', 'B'],
        ['A', 'GH', null, null, ['ProducerName', FOUND, null]],
      ],
      [
        ['', 'B'],
        ['B', 'GH', null, null, ['Supplier', FOUND, null]],
      ],
      [
        ['n/a', 'B'],
        ['B', 'GH', null, null, ['Supplier', FOUND, null]],
      ],
    ],
  },
  {
    head: 'Farmer name,ProducerName',
    rows: [
      [
        ['Ama', 'Coop 7'],
        ['Coop 7', 'GH', null, null, ['ProducerName', FOUND, null]],
      ],
    ],
  },
  {
    head: 'ProducerName,Area',
    rows: [
      [
        [4711, 2.5],
        ['4711', 'GH', null, 2.5, ['ProducerName', FOUND, null]],
      ],
      [
        [4712, 3.5],
        ['4712', 'GH', null, 3.5, ['ProducerName', FOUND, null]],
      ],
    ],
  },
  {
    head: 'name,ProductionPlace,ProducerName',
    rows: [
      [
        ['Plot 1', 'Kumasi', 'Ama'],
        ['Ama', 'GH', 'Kumasi', null, ['ProducerName', FOUND, 'ProductionPlace']],
      ],
    ],
  },
  {
    head: 'name,ProductionPlace,ProducerName',
    rows: [
      [
        ['Plot 1', '', 'Ama'],
        ['Ama', 'GH', 'Plot 1', null, ['ProducerName', FOUND, 'name']],
      ],
    ],
  },
  { head: 'ProductionPlace', rows: [[['Kg Baru'], [null, 'GH', 'Kg Baru', null, [null, FOUND, 'ProductionPlace']]]] },
  {
    head: 'ProductionPlace,ProducerCountry',
    rows: [
      [
        ['Kg Baru', 'MY'],
        [null, 'MY', 'Kg Baru', null, [null, 'ProducerCountry', 'ProductionPlace']],
      ],
    ],
  },
  {
    head: 'Area,area_ha',
    rows: [
      [
        [2, 9],
        [null, 'GH', null, 2, [null, FOUND, null]],
      ],
      [
        ['', 9],
        [null, 'GH', null, 9, [null, FOUND, null]],
      ],
    ],
  },
  {
    head: 'area_ha,Area,hectares',
    rows: [
      [
        [9, 2, 8],
        [null, 'GH', null, 2, [null, FOUND, null]],
      ],
    ],
  },
  {
    head: 'Acres,Area',
    rows: [
      [
        [10, 2],
        [null, 'GH', null, 2, [null, FOUND, null]],
      ],
      [
        [10, ''],
        [null, 'GH', null, 4.0469, [null, FOUND, null]],
      ],
    ],
  },
  {
    head: 'producername,producercountry,productionplace',
    rows: [
      [
        ['Ama', 'CI', 'X'],
        ['Ama', 'CI', 'X', null, ['producername', 'producercountry', 'productionplace']],
      ],
    ],
  },
  {
    head: 'PRODUCER_NAME,PRODUCER_COUNTRY,PRODUCTION_PLACE',
    rows: [
      [
        [12, 'CIV', 'X'],
        ['12', 'CI', 'X', null, ['PRODUCER_NAME', 'PRODUCER_COUNTRY', 'PRODUCTION_PLACE']],
      ],
    ],
  },
  // As a shapefile cuts the names off.
  {
    head: 'ProducerNa,ProducerCo,Production,Area',
    rows: [
      [
        ['Ama', 'CI', 'X', 2],
        ['Ama', 'CI', 'X', 2, ['ProducerNa', 'ProducerCo', 'Production']],
      ],
    ],
  },
  {
    head: 'Production,Farmer',
    rows: [
      [
        [300, 'Ama'],
        ['Ama', 'GH', null, null, ['Farmer', FOUND, null]],
      ],
    ],
  },
  // Other people's words for the same.
  { head: 'Farmer', rows: [[['Ama'], ['Ama', 'GH', null, null, ['Farmer', FOUND, null]]]] },
  { head: 'Farmer', rows: [[[12], ['12', 'GH', null, null, ['Farmer', FOUND, null]]]] },
  { head: 'Supplier Name', rows: [[['Ltd'], ['Ltd', 'GH', null, null, ['Supplier Name', FOUND, null]]]] },
  { head: 'Company', rows: [[['Ltd'], ['Ltd', 'GH', null, null, ['Company', FOUND, null]]]] },
  {
    head: 'Nombre del productor,Finca',
    rows: [
      [
        ['Rosa', 'El Roble'],
        ['Rosa', 'GH', 'El Roble', null, ['Nombre del productor', FOUND, 'Finca']],
      ],
    ],
  },
  {
    head: 'Producteur,Localité',
    rows: [
      [
        ['Koffi', 'Divo'],
        ['Koffi', 'GH', 'Divo', null, ['Producteur', FOUND, 'Localité']],
      ],
    ],
  },
  {
    head: 'Produtor,Fazenda,Área',
    rows: [
      [
        ['Ana', 'Rita', 3],
        ['Ana', 'GH', 'Rita', 3, ['Produtor', FOUND, 'Fazenda']],
      ],
    ],
  },
  {
    head: 'Nama Petani,Desa,Luas (ha)',
    rows: [
      [
        ['Siti', 'Kg Baru', 2],
        ['Siti', 'GH', 'Kg Baru', 2, ['Nama Petani', FOUND, 'Desa']],
      ],
    ],
  },
  {
    head: 'Tên nông dân,Xã',
    rows: [
      [
        ['An', 'Ea'],
        ['An', 'GH', 'Ea', null, ['Tên nông dân', FOUND, 'Xã']],
      ],
    ],
  },
  // A plot's name is no producer, whatever else is there.
  { head: 'name', rows: [[['Plot 1'], [null, 'GH', 'Plot 1', null, [null, FOUND, 'name']]]] },
  {
    head: 'Plot name,Area',
    rows: [
      [
        ['P1', 2],
        [null, 'GH', 'P1', 2, [null, FOUND, 'Plot name']],
      ],
    ],
  },
  { head: 'Farm', rows: [[['Hilltop'], [null, 'GH', 'Hilltop', null, [null, FOUND, 'Farm']]]] },
  { head: 'village', rows: [[['Kg Baru'], [null, 'GH', 'Kg Baru', null, [null, FOUND, 'village']]]] },
  // Traits of producers are no producers.
  { head: 'Farmer phone', rows: [[['+233 24'], [null, 'GH', null, null, [null, FOUND, null]]]] },
  { head: 'Producer code', rows: [[['PX'], [null, 'GH', null, null, [null, FOUND, null]]]] },
  { head: 'Farmer gender', rows: [[['female'], [null, 'GH', null, null, [null, FOUND, null]]]] },
  { head: 'Producer price', rows: [[[2.5], [null, 'GH', null, null, [null, FOUND, null]]]] },
  {
    head: 'Farmer,Farmer phone,Farmer village',
    rows: [
      [
        ['Ama', '024', 'Divo'],
        ['Ama', 'GH', 'Divo', null, ['Farmer', FOUND, 'Farmer village']],
      ],
    ],
  },
  // Columns of one field, row by row.
  {
    head: 'Farmer,Cooperative,Company',
    rows: [
      [
        ['Ama', 'Coop', 'Ltd'],
        ['Ama', 'GH', null, null, ['Farmer', FOUND, null]],
      ],
      [
        ['', 'Coop', 'Ltd'],
        ['Ltd', 'GH', null, null, ['Company', FOUND, null]],
      ],
      [
        ['', 'Coop', ''],
        ['Coop', 'GH', null, null, ['Cooperative', FOUND, null]],
      ],
      [
        ['', '', ''],
        [null, 'GH', null, null, [null, FOUND, null]],
      ],
    ],
  },
  {
    head: 'País,Country',
    rows: [
      [
        ['Perú', ''],
        [null, 'PE', null, null, [null, 'País', null]],
      ],
      [
        ['', 'Peru'],
        [null, 'PE', null, null, [null, 'Country', null]],
      ],
    ],
  },
  {
    head: 'Village,District',
    rows: [
      [
        ['Divo', 'Lôh'],
        [null, 'GH', 'Divo', null, [null, FOUND, 'Village']],
      ],
      [
        ['', 'Lôh'],
        [null, 'GH', 'Lôh', null, [null, FOUND, 'District']],
      ],
    ],
  },
  {
    head: 'Mill country,country,Mill name,Plot ID,Area',
    rows: [
      [
        ['MY', 'Ghana', 'Lepar', 'P1', 2],
        [null, 'GH', null, 2, [null, 'country', null]],
      ],
    ],
  },
  // A country that is not known is not replaced in silence: the one at the coordinates is named as such.
  {
    head: 'ProducerCountry,country',
    rows: [
      [
        ['Atlantis', 'Peru'],
        [null, 'GH', null, null, [null, FOUND, null]],
      ],
    ],
  },
];

describe('column sets', () => {
  it('are forty or more', () => assert.ok(SETS.length >= 40, String(SETS.length)));

  for (const { head, rows } of SETS)
    it(`${head} give the producer, country, place and area of each row, and the column of each`, async () => {
      const table = [`${head},lat,lon`.split(','), ...rows.map(([cells]) => [...cells, ...AT])];
      const { locations, summary } = await normalizedTable(table, { locationType: 'plot' });
      assert.deepEqual(
        locations.map(({ properties: { eudr, eudr_origin: from } }) => [
          eudr.ProducerName,
          eudr.ProducerCountry,
          eudr.ProductionPlace,
          eudr.Area,
          [from.ProducerName, from.ProducerCountry, from.ProductionPlace].map((origin) =>
            origin?.from === 'column' ? origin.column : null,
          ),
        ]),
        rows.map(([, wanted]) => wanted),
      );
      for (const { properties } of locations) {
        const isMissing = properties.warnings.some(({ code }) => code === 'producer_missing');
        assert.equal(isMissing, properties.eudr.ProducerName === null);
        for (const [name, value] of Object.entries(properties.eudr))
          assert.equal(properties.eudr_origin[name as keyof typeof properties.eudr] === null, value === null, name);
      }
      const said = summary.tables[0]!.columns.filter(({ order }) => order !== undefined);
      for (const { why } of said) assert.match(why, /Rows that leave it empty take|Read where .* empty\./);
    });
});
