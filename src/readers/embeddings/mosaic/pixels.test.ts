import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { MOSAIC } from '../../../../test/contracts/embeddings/mosaic.ts';
import { latticeProjection } from '../../../geo/outline/lattice.ts';
import { openMosaicPixels } from './pixels.ts';
import { toPixel } from '../zone-raster/degrees.ts';
import { zoneLattice } from '../zone-raster/lattice.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(300);
const WORLD = {
  width: MOSAIC.width,
  height: MOSAIC.height,
  west: MOSAIC.west,
  north: MOSAIC.north,
  pixelWidth: MOSAIC.pixel,
  pixelHeight: MOSAIC.pixel,
};
/** Degrees of 5 cm: how far from a pixel's edge a place must be for its pixel to be beyond doubt. */
const DOUBT = 4.5e-7;

const places = fc
  .tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -80, max: 83, noNaN: true }))
  .map(([lon, lat]) => {
    const zone = Math.min(60, Math.floor((lon + 180) / 6) + 1);
    const lattice = zoneLattice((lat >= 0 ? 32_600 : 32_700) + zone);
    const { x, y } = toPixel(lattice, lon, lat);
    return { lattice, x: Math.floor(x), y: Math.floor(y) };
  });

test('a pixel of a zone is found on the mosaic where its centre is projected exactly', () => {
  const exact = new Float64Array(2);
  const found = new Int32Array(2 * 70);
  let checked = 0;
  fc.assert(
    fc.property(places, ({ lattice, x, y }) => {
      openMosaicPixels(WORLD, lattice, x, y, 70, 1).locate(x, y, 70, found);
      const [a, , c, , e, f] = lattice.transform;
      for (let i = 0; i < 70; i++) {
        latticeProjection(lattice.crs).toLonLat(a * (x + i + 0.5) + c, e * (y + 0.5) + f, exact, 0);
        const lon = exact[0] - 360 * Math.floor((exact[0] + 180) / 360);
        const column = (lon - MOSAIC.west) / MOSAIC.pixel;
        const row = (MOSAIC.north - exact[1]) / MOSAIC.pixel;
        const east = DOUBT / Math.cos((exact[1] * Math.PI) / 180) / MOSAIC.pixel;
        const isClear = Math.floor(column - east) === Math.floor(column + east);
        if (!isClear || Math.floor(row - DOUBT / MOSAIC.pixel) !== Math.floor(row + DOUBT / MOSAIC.pixel)) continue;
        assert.deepEqual([found[2 * i], found[2 * i + 1]], [Math.floor(column), Math.floor(row)]);
        checked++;
      }
    }),
    { numRuns: RUNS },
  );
  assert.ok(checked > 30 * RUNS, `only ${checked} were beyond doubt`);
});

test('what a pixel gets does not depend on the window it is read in', () => {
  const alone = new Int32Array(2);
  const among = new Int32Array(2 * 300);
  const shifts = fc.tuple(fc.nat(299), fc.nat(299));
  fc.assert(
    fc.property(places, shifts, ({ lattice, x, y }, [left, up]) => {
      openMosaicPixels(WORLD, lattice, x, y, 1, 1).locate(x, y, 1, alone);
      openMosaicPixels(WORLD, lattice, x - left, y - up, 300, 300).locate(x - left, y, 300, among);
      assert.deepEqual([among[2 * left], among[2 * left + 1]], [...alone]);
    }),
  );
});

test('a window runs on over the antimeridian', () => {
  for (const lattice of [zoneLattice(32_660), zoneLattice(32_601)]) {
    const { x, y } = toPixel(lattice, lattice.crs === 'EPSG:32660' ? 179.9999 : -179.9999, 65);
    const found = new Int32Array(2 * 40);
    const left = Math.floor(x) - 20;
    openMosaicPixels(WORLD, lattice, left, Math.floor(y), 40, 1).locate(left, Math.floor(y), 40, found);
    const columns = Array.from({ length: 40 }, (_, i) => found[2 * i]);
    assert.ok(columns.every((column) => column >= 0));
    assert.ok(Math.max(...columns) > 4_007_000 && Math.min(...columns) < 100, String(columns));
  }
});

test('beyond the mosaic there are no pixels', () => {
  const found = new Int32Array(2);
  for (const [epsg, lat] of [
    [32_633, 83.9],
    [32_733, -83.7],
  ]) {
    const lattice = zoneLattice(epsg);
    const { x, y } = toPixel(lattice, 15, lat);
    openMosaicPixels(WORLD, lattice, Math.floor(x), Math.floor(y), 1, 1).locate(Math.floor(x), Math.floor(y), 1, found);
    assert.deepEqual([...found], [-1, -1]);
  }
});
