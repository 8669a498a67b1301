import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, boolean, nat, property, uint8Array } from 'fast-check';
import { parseWkb, WkbError } from './wkb.ts';
import { runs } from '../../../test/property-runs.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

// Written by shapely 2.0.6: shapely.to_wkb(geometry, hex=True, ...).
test('reads either byte order, heights and the SRID of EWKB as GEOS writes them', () => {
  assert.deepEqual(parseWkb(bytes('0101000000000000000000F03F0000000000000040')), {
    geometry: { type: 'Point', coordinates: [1, 2] },
    srid: null,
  });
  assert.deepEqual(parseWkb(bytes('00000000013FF00000000000004000000000000000')).geometry, {
    type: 'Point',
    coordinates: [1, 2],
  });
  assert.deepEqual(parseWkb(bytes('01010000A0E6100000000000000000F03F00000000000000400000000000000840')), {
    geometry: { type: 'Point', coordinates: [1, 2, 3] },
    srid: 4326,
  });
});

test('reads polygons inside a multi polygon', () => {
  const ring =
    '000000000000000000000000000000000000000000000000000000000000F03F000000000000F03F000000000000F03F00000000000000000000000000000000';
  const polygon = `01030000000100000004000000${ring}`;
  assert.deepEqual(parseWkb(bytes(`010600000001000000${polygon}`)).geometry, {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [0, 0],
          [0, 1],
          [1, 1],
          [0, 0],
        ],
      ],
    ],
  });
});

test('holds a count against the bytes that are there', () => {
  assert.throws(() => parseWkb(bytes('0102000000FFFFFFFF')), /wanted 4294967295 items, got 0 bytes left/);
});

test('refuses whatever bytes come with a WkbError and nothing else', () => {
  check(
    property(uint8Array({ maxLength: 200 }), nat(7), boolean(), (noise, kind, framed) => {
      const input = framed ? Uint8Array.from([1, kind, 0, 0, 0, 1, 0, 0, 0, ...noise]) : noise;
      try {
        parseWkb(input);
      } catch (error) {
        assert.ok(error instanceof WkbError, String(error));
      }
    }),
    { numRuns: runs(2_000) },
  );
});
