import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { detectColumns } from './detect-columns.ts';
import { FIELDS, SYNONYMS } from './fields.ts';
import { findHeader, foldName } from './header.ts';

const WORDS = {
  countryCode: (text: string) =>
    ({ ghana: 'GH', indonesia: 'ID', peru: 'PE', brasil: 'BR', gh: 'GH' })[text.toLowerCase()] ?? null,
  commodity: () => null,
};

function found(table: Readonly<Record<string, readonly unknown[]>>, mapping = {}) {
  const samples = Object.entries(table).map(([column, values]) => ({ column, values }));
  return Object.fromEntries(detectColumns(samples, mapping, WORDS).map(({ column, field }) => [column, field]));
}

describe('columns', () => {
  const values = {
    id: ['A1', 'A2'],
    name: ['Alpha', 'Beta'],
    lat: [1.5, 2.5],
    lon: [101.5, 102.5],
    area: [2.5, 3],
    place: ['Kumasi', 'Bogor'],
  };
  const languages: Readonly<Record<string, readonly string[]>> = {
    English: ['Plot ID', 'Farmer Name', 'Latitude', 'Longitude', 'Area (ha)', 'Village'],
    Spanish: ['Código', 'Nombre del productor', 'Latitud', 'Longitud', 'Superficie (ha)', 'Municipio'],
    French: ['Identifiant', 'Producteur', 'LATITUDE', 'LONGITUDE', 'Superficie', 'Localité'],
    Portuguese: ['Código', 'Nome do produtor', 'latitude', 'longitude', 'Área (hectares)', 'Município'],
    Indonesian: ['Kode Kebun', 'Nama Petani', 'Lintang', 'Bujur', 'Luas (ha)', 'Desa'],
    Vietnamese: ['Mã số', 'Tên nông dân', 'Vĩ độ', 'Kinh độ', 'Diện tích', 'Xã'],
    Thai: ['รหัส', 'ชื่อเกษตรกร', 'ละติจูด', 'ลองจิจูด', 'พื้นที่', 'ตำบล'],
  };
  for (const [language, headings] of Object.entries(languages))
    test(`are known in ${language}`, () => {
      const columns = Object.fromEntries(headings.map((heading, i) => [heading, Object.values(values)[i]]));
      assert.deepEqual(Object.values(found(columns)), [
        'location_id',
        'supplier_name',
        'latitude',
        'longitude',
        'area',
        'locality',
      ]);
    });

  test('need values that fit: X and Y in metres are no longitude and latitude', () => {
    assert.deepEqual(found({ X: [12_618_902.8], Y: [392_677.2] }), { X: 'easting', Y: 'northing' });
    assert.deepEqual(found({ X: [101.5], Y: [0.5] }), { X: 'longitude', Y: 'latitude' });
  });

  test('keep their meaning where the heading can mean nothing else and the values are bad', () => {
    assert.deepEqual(found({ Latitude: [0.5, 1.5], Longitude: [300.2345, 999] }), {
      Latitude: 'latitude',
      Longitude: 'longitude',
    });
    assert.deepEqual(found({ lat: [4.5], lon: [200] }), { lat: 'latitude', lon: 'longitude' });
    assert.deepEqual(found({ lat: [4.5], long: ['yes'] }), { lat: 'latitude', long: null });
    assert.deepEqual(found({ 'GPS Longitude (WGS84)': ['abc'] }), { 'GPS Longitude (WGS84)': 'longitude' });
    assert.deepEqual(found({ 'Latitude/Longitude': ['nowhere'] }), { 'Latitude/Longitude': null });
    assert.deepEqual(found({ x: ['abc'] }), { x: null });
  });

  test('of administrative regions are known by every usual heading', () => {
    for (const heading of [
      'Admin region',
      'Administrative Region',
      'admin_area',
      'ADM1_EN',
      'NAME_1',
      'State/Province',
    ])
      assert.deepEqual(found({ [heading]: ['Ashanti', 'Volta'] }), { [heading]: 'admin1' });
  });

  test('are found by values alone where these are distinctive', () => {
    assert.deepEqual(
      found({ a: ['POINT (1 2)'], b: ['Ghana', 'Peru', 'Ghana', 'Indonesia', 'Brasil'], c: ['some', 'text'] }),
      { a: 'geometry', b: 'country', c: null },
    );
    assert.deepEqual(found({ stuff: ['3.5, 101.5', '3.6, 101.7'] }), { stuff: 'coordinates' });
  });

  test('without headings are coordinates where two neighbours hold degrees with decimals', () => {
    const pair = { column_1: ['Mill A', 'Mill B'], column_2: [4.58, '4.59'], column_3: ['102.61', 102.62] };
    assert.deepEqual(found(pair), { column_1: null, column_2: 'latitude', column_3: 'longitude' });
    assert.deepEqual(found(pair, { column_2: 'longitude', column_3: 'latitude' }), {
      column_1: null,
      column_2: 'longitude',
      column_3: 'latitude',
    });
    // Shares, whole numbers and metres are none, nor is what has a heading.
    for (const values of [[4, 5], [412_000.25], ['a'], []])
      assert.deepEqual(found({ ...pair, column_3: values }), { column_1: null, column_2: null, column_3: null });
    assert.deepEqual(found({ yield: [4.58], column_2: [102.61] }), { yield: null, column_2: null });
    // Next to a column that says where a row is, decimals mean something else.
    assert.deepEqual(found({ ...pair, column_4: ['POINT (102 4)'] }), {
      column_1: null,
      column_2: null,
      column_3: null,
      column_4: 'geometry',
    });
  });

  test('of one field complete each other in the order of confidence, and the mapping closes its field', () => {
    assert.deepEqual(found({ Lat: [1], Latitude: [2], Longitude: [3] }), {
      Lat: 'latitude',
      Latitude: 'latitude',
      Longitude: 'longitude',
    });
    const samples = [
      { column: 'Company', values: ['Cocoa Ltd'] },
      { column: 'Supplier', values: ['Kofi'] },
      { column: 'ProducerName', values: ['F000'] },
    ];
    assert.deepEqual(
      detectColumns(samples, {}, WORDS).map(({ order, why }) => [order, why.replace(/^.*? fit\. /, '')]),
      [
        [3, 'Read where "ProducerName" and "Supplier" are empty.'],
        [2, 'Read where "ProducerName" is empty.'],
        [1, 'Rows that leave it empty take "Supplier" then "Company".'],
      ],
    );
    assert.deepEqual(found({ Latitude: [1], other: [2] }, { Latitude: null, other: 'latitude' }), {
      Latitude: null,
      other: 'latitude',
    });
    assert.deepEqual(found({ Supplier: ['a'], Company: ['b'] }, { Company: 'supplier_name' }), {
      Supplier: null,
      Company: 'supplier_name',
    });
  });

  test('whose heading only holds a name complete nothing: the country of a mill is not that of the plot', () => {
    assert.deepEqual(found({ country: ['Ghana'], 'Mill country': ['Peru'], 'Mill latitude': [3], latitude: [1] }), {
      country: 'country',
      'Mill country': null,
      'Mill latitude': null,
      latitude: 'latitude',
    });
  });

  test('of traits are no names: phones, codes and countries of producers', () => {
    const columns = {
      'Farmer phone': ['+233 24', '0244'],
      'Supplier country': ['Ghana', 'Ghana'],
      'Producer type': ['smallholder', 'smallholder'],
      'Farmer gender': ['female', 'male'],
      'Producer price': [2.5, 3],
    };
    assert.deepEqual(Object.values(found(columns)), [null, 'country', null, null, null]);
  });

  test('are explained', () => {
    const [finding] = detectColumns([{ column: 'GPS Latitude', values: [1.5, 'x', 2.5, 3.5] }], {}, WORDS);
    assert.equal(finding.field, 'latitude');
    assert.match(finding.why, /^The name is one for latitude and 75 % of the first 4 values fit\.$/);
  });

  test('have no name that stands for two fields by its first place in both lists', () => {
    const firsts = FIELDS.map((field) => foldName(SYNONYMS[field][0]));
    assert.equal(new Set(firsts).size, FIELDS.length);
  });
});

describe('the header', () => {
  const rows = (...cells: unknown[][]) => cells.map((row, i) => ({ row: i + 1, cells: row }));

  test('is found below titles and notes, and takes the text above an empty cell', () => {
    const header = findHeader(
      rows(
        ['Supplier list 2024', null, null, null],
        ['Please fill in. All fields are required. Thanks.', null, null, null],
        [null, null, 'GPS', null],
        ['Farm', 'Country', 'Latitude', 'Longitude'],
        ['Alpha', 'Ghana', 6.5, -1.5],
        ['Beta', 'Ghana', 6.6, -1.6],
      ),
    );
    assert.deepEqual(header, { row: 4, names: ['Farm', 'Country', 'Latitude', 'Longitude'] });
  });

  test('is none in a table of data alone, and no name is given twice', () => {
    assert.deepEqual(findHeader(rows([1, 2.5], [2, 3.5])), { row: 0, names: ['column_1', 'column_2'] });
    // A first row of data is none either, however many names it has.
    for (const first of [
      ['Mill A', 'Kampar', 'palm', '4.58', '102.61'],
      ['Mill A', 'POINT (102.61 4.58)'],
      ['SRID=4326;POINT(102.61 4.58)'],
    ])
      assert.equal(findHeader(rows(first, first)).row, 0);
    assert.deepEqual(findHeader(rows(['Plot', 'Owner', '2024'], ['A', 'B', 2])).names, ['Plot', 'Owner', '2024']);
    assert.deepEqual(findHeader(rows(['Lat', 'Lat', null], [1, 2, 3])).names, ['Lat', 'Lat (2)', 'column_3']);
  });
});
