import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, constantFrom, double, integer, property, string } from 'fast-check';
import { findAreaUnit, HECTARE, parseArea } from './parse-area.ts';
import { parseCoordinate, parsePair } from './parse-coordinate.ts';
import { parseGeometryCell, looksLikeGeometry } from './parse-geometry.ts';
import { parseLocationType, typeOfName } from './parse-location-type.ts';
import { decimalSignOf, parseNumber } from './parse-number.ts';
import { anyCharacter } from '../../../test/any-character.ts';
import { runs } from '../../../test/property-runs.ts';

test('reads numbers as people write them', () => {
  const cases: [string, number | undefined][] = [
    ['1234.5', 1234.5],
    ['1.234,5', 1234.5],
    ['1,234.5', 1234.5],
    ['1 234,5', 1234.5],
    ['1.234.567', 1234567],
    ['-7,5', -7.5],
    ['−7.5', -7.5],
    ['12,345,678', 12345678],
    ['0,125', 0.125],
    ['1e3', 1000],
    ['12a', undefined],
    ['1,23,4', undefined],
    ['', undefined],
  ];
  for (const [text, wanted] of cases) assert.equal(parseNumber(text)?.value, wanted, text);
  assert.deepEqual(parseNumber('1,234'), { value: 1234, decimals: 0, ambiguous: true });
  assert.equal(parseNumber('1,234', ',')?.value, 1.234);
  assert.equal(parseNumber('1.234', ',')?.value, 1234);
  assert.equal(decimalSignOf(['1,25', '3,5', '1,234']), ',');
});

test('tells what a place is by the words of its name, in plain letters as in any', () => {
  const word = constantFrom(
    'Finca',
    'mill',
    'oil mill',
    'POM',
    'Lote',
    'kho',
    'Kebun',
    '12',
    'x',
    'farm.',
    'silo-2',
    'mills',
  );
  check(
    property(array(word, { maxLength: 4 }), constantFrom(' ', '', ', ', "'"), (words, between) => {
      const name = words.join(between);
      // An underscore stands for a space, and is none of the plain letters.
      assert.equal(typeOfName(name), typeOfName(`_${name}`), JSON.stringify(name));
    }),
    { numRuns: runs(2_000) },
  );
  assert.deepEqual(['Finca 3', 'Molino San Jose', 'Fincas', 'Mill farm', ''].map(typeOfName), [
    'plot',
    'facility',
    null,
    null,
    null,
  ]);
});

test('reads coordinates in every usual writing', () => {
  const cases: [string, number, string | null][] = [
    ['3.525253', 3.525253, null],
    ['-7,312715', -7.312715, null],
    ['101,447', 101.447, null],
    ['3.525253 N', 3.525253, 'latitude'],
    ['S 3.5', -3.5, 'latitude'],
    ['-3.5 S', -3.5, 'latitude'],
    ['113°21\'27.1"E', 113 + 21 / 60 + 27.1 / 3600, 'longitude'],
    ['3° 31\' 30,9" N', 3 + 31 / 60 + 30.9 / 3600, 'latitude'],
    ['3º31′30″S', -(3 + 31 / 60 + 30 / 3600), 'latitude'],
    ['-75 34 12.5', -(75 + 34 / 60 + 12.5 / 3600), null],
    ['75d34m12s W', -(75 + 34 / 60 + 12 / 3600), 'longitude'],
    ["03°31.515' N", 3 + 31.515 / 60, 'latitude'],
    ['75:34:12 O', -(75 + 34 / 60 + 12 / 3600), 'longitude'],
    ['0° 30\' 0" LS', -0.5, 'latitude'],
    ['101.5 BT', 101.5, 'longitude'],
    ['Lat: 4.5', 4.5, null],
    ['13.75°', 13.75, null],
  ];
  for (const [text, value, axis] of cases) {
    const parsed = parseCoordinate(text);
    assert.ok(parsed !== null, text);
    assert.ok(Math.abs(parsed.value - value) < 1e-12, `${text}: ${parsed.value}`);
    assert.equal(parsed.axis, axis, text);
  }
  for (const text of ['', 'N', 'n/a', '3°75\'00"', 'Riau', '12 Main Street', '3.5.2'])
    assert.equal(parseCoordinate(text), null, text);
});

test('comes back from degrees, minutes and seconds to a tenth of a millimetre', () => {
  check(
    property(
      integer({ min: 0, max: 179 }),
      integer({ min: 0, max: 59 }),
      double({ min: 0, max: 59.9999, noNaN: true }),
      (d, m, s) => {
        const seconds = Number(s.toFixed(5));
        const value = d + m / 60 + seconds / 3600;
        assert.ok(Math.abs((parseCoordinate(`${d}°${m}'${seconds}"W`)?.value ?? 0) + value) < 1e-9);
      },
    ),
  );
});

test('reads pairs in one cell', () => {
  const gps = parsePair('S12 2.783 W77 2.568');
  assert.deepEqual([gps?.first.axis, gps?.second.axis], ['latitude', 'longitude']);
  assert.ok(Math.abs((gps?.first.value ?? 0) + 12.04638333) < 1e-8);
  const cases: [string, [number, number]][] = [
    ['3.525253, 113.357533', [3.525253, 113.357533]],
    ['(3.5 113.3)', [3.5, 113.3]],
    ['3,52; 113,35', [3.52, 113.35]],
    ['3,52 113,35', [3.52, 113.35]],
    ['3,52, 113,35', [3.52, 113.35]],
    ["3°30'N 113°30'E", [3.5, 113.5]],
    ['3.5S/113.5E', [-3.5, 113.5]],
    ['-3 -60', [-3, -60]],
  ];
  for (const [text, wanted] of cases) {
    const pair = parsePair(text);
    assert.deepEqual([pair?.first.value, pair?.second.value], wanted, text);
  }
  for (const text of ['3.5', '12 Main Street, Springfield', '1,2,3', '']) assert.equal(parsePair(text), null, text);
});

test('does not take the unit of seconds for the south', () => {
  const cases: [string, number, string | null][] = [
    ['4d34m55s', 4.581944, null],
    ['4D34M55S', 4.581944, null],
    ['102d36m44s', 102.612222, null],
    ['4d34m55sS', -4.581944, 'latitude'],
    ['4d 34m 55s N', 4.581944, 'latitude'],
    ['4d 34m 55 S', -4.581944, 'latitude'],
    ['4 deg 34 min 55 sec S', -4.581944, 'latitude'],
  ];
  for (const [text, value, axis] of cases) {
    const parsed = parseCoordinate(text);
    assert.deepEqual([parsed?.value.toFixed(6), parsed?.axis], [value.toFixed(6), axis], text);
  }
});

test('reads places of map links and of surveys', () => {
  const links = [
    'https://www.google.com/maps/place/X/@4.5,102.6,15z/data=!3m1!4b1!4m6!3m5!1s0x0:0x0!8m2!3d4.5821!4d102.6124!16s',
    'https://www.google.com/maps/search/?api=1&query=4.5821%2C102.6124',
    'https://maps.google.com/?q=loc:4.5821,102.6124',
    'https://www.openstreetmap.org/?mlat=4.5821&mlon=102.6124#map=12/4.5/102.6',
    'geo:4.5821,102.6124?z=12',
  ];
  for (const link of links) {
    const pair = parsePair(link);
    assert.deepEqual([pair?.first.value, pair?.second.value, pair?.first.axis], [4.5821, 102.6124, 'latitude'], link);
  }
  // The middle of a view is not the place that somebody meant, and a short link names none.
  for (const link of ['https://www.google.com/maps/@4.5821,102.6124,15z', 'https://maps.app.goo.gl/abc'])
    assert.equal(parsePair(link), null, link);
  for (const point of ['4.5821 102.6124 35.0 4.9', '4.5821 102.6124 0 0', '4.5821,102.6124,35']) {
    const pair = parsePair(point);
    assert.deepEqual([pair?.first.value, pair?.second.value], [4.5821, 102.6124], point);
  }
  const ring = '7.9377 -11.5845 0.0 0.0;7.9324 -11.5902 0.0 0.0;7.9321 -11.5802 0.0 0.0';
  assert.ok(looksLikeGeometry(ring));
  assert.deepEqual(parseGeometryCell(`${ring};7.9377 -11.5845 0.0 0.0`), {
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [-11.5845, 7.9377],
          [-11.5902, 7.9324],
          [-11.5802, 7.9321],
          [-11.5845, 7.9377],
        ],
      ],
    },
  });
  const line = parseGeometryCell(`${ring};`);
  assert.ok('geometry' in line && line.geometry.type === 'LineString' && line.geometry.coordinates.length === 3);
  assert.match(JSON.stringify(parseGeometryCell(`${ring};7.9 x`)), /One of its points cannot be read/);
  // Degrees and minutes with a semicolon between them are a pair.
  assert.ok(!looksLikeGeometry('4 34.917; 102 36.740'));
});

test('reads areas with their units, and local ones by country', () => {
  assert.equal(parseArea('2,5 ha', HECTARE, null, null)?.hectares, 2.5);
  assert.equal(parseArea('10 acres', HECTARE, null, null)?.hectares.toFixed(10), '4.0468564224');
  assert.equal(parseArea('25.000 m²', HECTARE, ',', null)?.hectares, 2.5);
  const { hectares, ambiguous } = parseArea('25.000 m²', HECTARE, null, null)!;
  assert.deepEqual([hectares, ambiguous], [2.5, true], 'not 25 square metres');
  assert.equal(parseArea('25.000 m²', HECTARE, '.', null)?.hectares, 0.0025);
  assert.equal(
    parseArea(40.125, { name: 'square metre', hectares: 0.0001 }, null, null)?.hectares.toFixed(7),
    '0.0040125',
  );
  assert.equal(parseArea('2.500', HECTARE, null, null)?.hectares, 2.5);
  assert.equal(parseArea(10, { name: 'rai', hectares: 0.16 }, null, null)?.hectares, 1.6);
  assert.equal(parseArea('3 manzanas', HECTARE, null, 'NI')?.hectares, 3 * 0.7026);
  assert.deepEqual(parseArea('1 bigha', HECTARE, null, 'BD')?.unit, { name: 'bigha', hectares: 0.1338 });
  assert.equal(parseArea('large', HECTARE, null, null), null);
  assert.equal(parseArea('3 leagues', HECTARE, null, null), null);
  assert.equal(findAreaUnit('Área (manzanas)', null)?.name, 'manzana');
  assert.equal(findAreaUnit('Plot size in sq. m', null)?.name, 'square metre');
  assert.equal(findAreaUnit('พื้นที่ (ไร่)', null)?.name, 'rai');
  assert.equal(findAreaUnit('Area', null), null);
});

test('reads geometry in a cell, whatever its form and SRID', () => {
  const at = (value: unknown) => {
    assert.ok(looksLikeGeometry(value), String(value));
    return parseGeometryCell(value);
  };
  const point = { geometry: { type: 'Point', coordinates: [1, 2] } };
  assert.deepEqual(at('POINT (1 2)'), point);
  assert.deepEqual(at('SRID=4326;POINT(1 2)'), point);
  assert.deepEqual(at('0101000000000000000000F03F0000000000000040'), point);
  assert.deepEqual(at('{"type":"Point","coordinates":[1,2]}'), point);
  const utm = at('SRID=32648;POINT(500000 0)');
  assert.ok('geometry' in utm && utm.geometry.type === 'Point' && Math.abs(utm.geometry.coordinates[0] - 105) < 1e-9);
  assert.match(JSON.stringify(at('POLYGON((0 0,')), /reason/);
});

test('distinguishes facilities from plots', () => {
  const cases: [string, string | null][] = [
    ['Aggregation point (warehouse, silo, mill etc.)', 'facility'],
    ['Point of production (farm, ranch, plantation, etc.)', 'plot'],
    ['Country of production', null],
    ['Unknown', null],
    ['finca', 'plot'],
    ['Centro de acopio', 'facility'],
    ['kebun', 'plot'],
    ['PKS / pabrik', 'facility'],
  ];
  for (const [text, wanted] of cases) assert.equal(parseLocationType(text), wanted, text);
});

test('never throws and never takes long, whatever the text', () => {
  check(
    property(string({ unit: anyCharacter, maxLength: 300 }), (text) => {
      parseNumber(text);
      parseCoordinate(text);
      parsePair(text);
      parseArea(text, HECTARE, null, null);
      if (looksLikeGeometry(text)) parseGeometryCell(text);
      parseLocationType(text);
    }),
    { numRuns: runs(2_000) },
  );
});
