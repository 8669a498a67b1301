import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseWkt, WktError } from './wkt.ts';
import { runs } from '../../../test/property-runs.ts';

describe('parseWkt', () => {
  const good: Readonly<Record<string, unknown>> = {
    'POINT(101.4478 0.5071)': { type: 'Point', coordinates: [101.4478, 0.5071] },
    ' point  ( 0\t0 ) ': { type: 'Point', coordinates: [0, 0] },
    'SRID=4326;POINT(-1.5e1 +.5)': { type: 'Point', coordinates: [-15, 0.5] },
    'srid = 4326 ; POINT Z (1 2 3)': { type: 'Point', coordinates: [1, 2, 3] },
    'POINTZM(1 2 3 4)': { type: 'Point', coordinates: [1, 2, 3] },
    'POINT M (1 2 9)': { type: 'Point', coordinates: [1, 2] },
    'POINT EMPTY': { type: 'Point', coordinates: [] },
    'LINESTRING (1 2, 3 4)': {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    'MULTIPOINT (1 2, 3 4)': {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    'MULTIPOINT ((1 2), (3 4))': {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    'POLYGON ((0 0, 1 0, 1 1, 0 0))': {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    'POLYGON EMPTY': { type: 'Polygon', coordinates: [] },
    'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), EMPTY)': {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
        [],
      ],
    },
    'MULTILINESTRING ((1 2, 3 4))': {
      type: 'MultiLineString',
      coordinates: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    'GEOMETRYCOLLECTION (POINT (1 2), GEOMETRYCOLLECTION EMPTY)': {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        { type: 'GeometryCollection', geometries: [] },
      ],
    },
  };
  for (const [text, geometry] of Object.entries(good))
    it(`reads ${text}`, () => assert.deepEqual(parseWkt(text), geometry));

  const bad: Readonly<Record<string, RegExp>> = {
    '': /wanted a WKT type.*at character 1, got the end of the text; the text is empty/,
    'POINT(101.4478, 0.5071)': /wanted a space between longitude and latitude at character 15, got ", 0.5071\)"/,
    'POINT(101.4478)': /wanted a latitude after the longitude at character 15/,
    'POINT(1 2': /wanted '\)' at character 10, got the end of the text/,
    'POINT(1 2) x': /wanted the end of the text at character 12/,
    'POINT Z (1 2)': /wanted 3 numbers in the position/,
    'POINT(nan 2)': /wanted a longitude at character 7, got "nan 2\)"/,
    'POINT(1e999 2)': /wanted a longitude at character 7/,
    'POINT(12abc 2)': /wanted a longitude/,
    'CIRCLE(1 2 3)': /wanted a WKT type such as POINT or POLYGON at character 1, got "CIRCLE\(1 2 3\)"/,
    'SRID=3857;POINT(1 2)': /wanted SRID=4326.*got SRID=3857/,
    '{"type":"Point","coordinates":[1,2]}': /looks like GeoJSON/,
    '0101000020E6100000000000000000F03F': /hexadecimal WKB/,
    '101.4, 0.5': /longitude first/,
    [`${'GEOMETRYCOLLECTION('.repeat(40)}POINT(1 2)${')'.repeat(40)}`]: /nested more than 16 deep/,
  };
  for (const [text, message] of Object.entries(bad)) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))} and says where`, () => {
      assert.throws(
        () => parseWkt(text),
        (error) => error instanceof WktError && message.test(error.message),
      );
    });
  }

  it('throws nothing but its own error, whatever the text', () => {
    const piece = fc.constantFrom(
      'POINT',
      'POLYGON',
      'MULTIPOINT',
      'GEOMETRYCOLLECTION',
      'EMPTY',
      'Z',
      'ZM',
      '(',
      ')',
      ',',
      ' ',
      '1',
      '-2.5',
      '1e5',
      ';',
      'SRID=4326',
      '=',
      '.',
      'x',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        ),
        (text) => {
          try {
            parseWkt(text);
          } catch (error) {
            assert.ok(error instanceof WktError, String(error));
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('reads back any point it is shown, to the last bit', () => {
    const degrees = fc.double({ min: -180, max: 180, noNaN: true });
    fc.assert(
      fc.property(degrees, degrees, (lon, lat) =>
        assert.deepEqual(parseWkt(`POINT(${lon} ${lat})`), { type: 'Point', coordinates: [lon + 0, lat + 0] }),
      ),
    );
  });
});
