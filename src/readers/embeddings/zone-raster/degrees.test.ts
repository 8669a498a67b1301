import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { latticeProjection } from '../../../geo/outline/lattice.ts';
import { compareZones, fromMeridian, pixelsOfDegrees, standardZone, toPixel } from './degrees.ts';
import { cornerOn, holdsPixel, isInside, type PixelRect, pixelsOf, placeOn, zoneLattice } from './lattice.ts';

const zone = fc.integer({ min: 1, max: 60 }).chain((n) => fc.constantFrom(32_600 + n, 32_700 + n));

test('a place and its pixel are the same place', () => {
  const out = new Float64Array(2);
  fc.assert(
    fc.property(
      zone,
      fc.double({ min: -4, max: 4, noNaN: true }),
      fc.double({ min: 0, max: 83, noNaN: true }),
      (epsg, offset, lat) => {
        const lattice = zoneLattice(epsg);
        const [lon, signed] = [(epsg % 100) * 6 - 183 + offset, epsg < 32_700 ? lat : -lat];
        for (const turned of [lon, lon + 360, lon - 360]) {
          const { x, y } = toPixel(lattice, turned, signed);
          latticeProjection(lattice.crs).toLonLat(10 * x, 10_200_000 - 10 * y, out, 0);
          assert.ok(
            Math.abs(out[0] - lon) * Math.cos((lat * Math.PI) / 180) < 1e-8 && Math.abs(out[1] - signed) < 1e-8,
          );
          assert.ok(isInside(lattice, { left: Math.floor(x), top: Math.floor(y), right: x + 1, bottom: y + 1 }));
        }
      },
    ),
  );
});

test('every place of a box lies in the pixels of the box', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      zone,
      fc.double({ min: -6, max: 6, noNaN: true }),
      fc.double({ min: -79, max: 80, noNaN: true }),
      fc.double({ min: 0.001, max: 4, noNaN: true }),
      fc.array(fc.tuple(unit, unit), { minLength: 1, maxLength: 8 }),
      (epsg, offset, south, size, places) => {
        const lattice = zoneLattice(epsg);
        const wrap = (lon: number): number => lon - 360 * Math.floor((lon + 180) / 360);
        const west = (epsg % 100) * 6 - 183 + offset;
        const rect: PixelRect | null = pixelsOfDegrees(lattice, [wrap(west), south, wrap(west + size), south + size]);
        assert.ok(rect !== null);
        // Sides bulge between the points that are projected: less than 1 % of the box.
        const slack = 2 + 0.01 * (rect.right - rect.left);
        for (const [u, v] of places) {
          const { x, y } = toPixel(lattice, west + u * size, south + v * size);
          const grown: PixelRect = {
            left: rect.left - slack,
            top: rect.top - slack,
            right: rect.right + slack,
            bottom: rect.bottom + slack,
          };
          assert.ok(holdsPixel(grown, x, y));
        }
      },
    ),
  );
});

test('a box on the other side of the world, or next to the reach of a zone, has no pixels', () => {
  const lattice = zoneLattice(32_601);
  assert.equal(pixelsOfDegrees(lattice, [0, 10, 20, 20]), null);
  assert.notEqual(pixelsOfDegrees(lattice, [179, 10, -179, 20]), null);
  assert.equal(pixelsOfDegrees(lattice, [-179, 10, 150, 20]) === null, false);
  assert.equal(pixelsOfDegrees(lattice, [-160, 10, 160, 20]), null);
  assert.notEqual(pixelsOfDegrees(lattice, [-180, -90, 180, 90]), null);
});

test('a raster in degrees over the antimeridian is in one piece', () => {
  const lattice = { crs: 'EPSG:4326', width: 2_000, height: 1_000, transform: [0.001, 0, 179, 0, -0.001, 10] } as const;
  const close = ({ x, y }: { x: number; y: number }, column: number, row: number): void =>
    assert.ok(Math.abs(x - column) < 1e-6 && Math.abs(y - row) < 1e-6, `${x}, ${y}`);
  close(toPixel(lattice, 179.5, 9.5), 500, 500);
  close(toPixel(lattice, -179.5, 9.5), 1_500, 500);
  close(toPixel(lattice, 180.5, 9.5), 1_500, 500);
  const rect = pixelsOfDegrees(lattice, [179.9, 9, -179.9, 9.5]);
  assert.ok(rect !== null && Math.abs(rect.left - 900) <= 1 && Math.abs(rect.right - 1_100) <= 1);
});

test('a file lies on the lattice of its zone or is refused with both places', () => {
  const lattice = zoneLattice(32_616);
  const file = { crs: 'EPSG:32616', width: 97, height: 97, transform: [10, 0, 354_030, 0, -10, 4_911_010] } as const;
  assert.deepEqual(placeOn(lattice, file, 'a.tif'), { left: 35_403, top: 528_899, right: 35_500, bottom: 528_996 });
  assert.deepEqual(pixelsOf(lattice, [354_030, 4_910_040, 355_000, 4_911_010]), placeOn(lattice, file, 'a.tif'));
  const refused = (over: Partial<typeof file> | { transform: readonly number[]; crs?: string }): string => {
    const other = { ...file, ...over } as typeof file;
    assert.equal(cornerOn(lattice, other), null);
    try {
      placeOn(lattice, other, 'a.tif');
    } catch (error) {
      return (error as Error).message;
    }
    return assert.fail('it was placed');
  };
  assert.match(
    refused({ transform: [10, 0, 354_035, 0, -10, 4_911_010] }),
    /a\.tif: wanted pixels of 10 x 10 in EPSG:32616 .* got pixels of 10 x 10 in EPSG:32616 from 354035, 4911010/,
  );
  assert.match(refused({ transform: [20, 0, 354_030, 0, -20, 4_911_010] }), /got pixels of 20 x 20/);
  // Nearly 10 m: by the far side of the file it is off by more than a thousandth of a pixel.
  assert.match(refused({ transform: [10.001, 0, 354_030, 0, -10.001, 4_911_010] }), /got pixels of 10\.001/);
  assert.match(refused({ transform: file.transform, crs: 'EPSG:32617' }), /in EPSG:32617/);
});

test('the standard zone is that of the longitude, over the antimeridian and the equator too', () => {
  const cases: [lon: number, lat: number, epsg: number][] = [
    [-180, 10, 32_601],
    [180, 10, 32_601],
    [179.999, 10, 32_660],
    [-180.001, 10, 32_660],
    [539.9, 10, 32_660],
    [0, 0, 32_631],
    [-1e-9, 0, 32_630],
    [0, -1e-9, 32_731],
    [5.9, 60, 32_631],
    [6, 60, 32_632],
    [24.5, 65.5, 32_635],
    [-68, -20, 32_719],
  ];
  for (const [lon, lat, epsg] of cases) assert.equal(standardZone(lon, lat), epsg, `${lon}, ${lat}`);
});

test('the distance to a central meridian goes the short way round', () => {
  assert.equal(fromMeridian(-179, 32_660), 4);
  assert.equal(fromMeridian(179, 32_601), -4);
  assert.equal(fromMeridian(9, 32_632), 0);
  assert.ok(Number.isNaN(fromMeridian(9, 4326)));
});

test('a zone with a footprint there comes first, then the standard one, then the nearest, then the hemisphere', () => {
  const order = (lon: number, lat: number, ...zones: [epsg: number, inFootprint: boolean][]): number[] =>
    zones
      .map(([epsg, inFootprint]) => ({ epsg, inFootprint }))
      .toSorted(compareZones(lon, lat))
      .map(({ epsg }) => epsg);
  assert.deepEqual(order(5.9, 50, [32_632, true], [32_631, true]), [32_631, 32_632]);
  // Southern Norway: the files of zone 32 reach to 3 degrees east, those of zone 31 end there.
  assert.deepEqual(order(5.3, 60.4, [32_631, false], [32_632, true]), [32_632, 32_631]);
  // Svalbard has no zone 34: 33 and 35 meet at 21 degrees east.
  assert.deepEqual(order(20.5, 78.5, [32_635, true], [32_633, true]), [32_633, 32_635]);
  assert.deepEqual(order(10, -0.01, [32_632, true], [32_732, true]), [32_732, 32_632]);
  assert.deepEqual(order(10, 0, [32_732, true], [32_632, true]), [32_632, 32_732]);
  assert.deepEqual(order(12, -0.01, [32_632, true], [32_733, true], [32_732, true]), [32_733, 32_732, 32_632]);
  assert.deepEqual(order(10, 50, [4326, true], [32_634, true]), [32_634, 4326]);
});
