import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { detectColumns } from './detect-columns.ts';
import { FIELDS, SYNONYMS } from './fields.ts';
import { foldName } from './fold-name.ts';
import { findHeader } from './header.ts';

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
    assert.deepEqual(found({ latitude: ['north', 'unknown'] }), { latitude: null });
  });

  test('are found by values alone where these are telling', () => {
    assert.deepEqual(
      found({ a: ['POINT (1 2)'], b: ['Ghana', 'Peru', 'Ghana', 'Indonesia', 'Brasil'], c: ['some', 'text'] }),
      { a: 'geometry', b: 'country', c: null },
    );
    assert.deepEqual(found({ stuff: ['3.5, 101.5', '3.6, 101.7'] }), { stuff: 'coordinates' });
  });

  test('are given to one field each, the surest first, and the mapping wins', () => {
    assert.deepEqual(found({ Lat: [1], Latitude: [2], Longitude: [3] }), {
      Lat: null,
      Latitude: 'latitude',
      Longitude: 'longitude',
    });
    assert.deepEqual(found({ Latitude: [1], other: [2] }, { Latitude: null, other: 'latitude' }), {
      Latitude: null,
      other: 'latitude',
    });
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
    assert.deepEqual(findHeader(rows(['Lat', 'Lat', null], [1, 2, 3])).names, ['Lat', 'Lat (2)', 'column_3']);
  });
});
