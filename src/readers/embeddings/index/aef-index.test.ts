import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latticeProjection } from '../../../geo/outline/lattice.ts';
import { packSlimIndex, slimIndex } from './pack.ts';
import { openAefIndex, type AefIndex } from './aef-index.ts';
import { toPixel } from '../zone-raster/degrees.ts';
import { pixelsOf, zoneLattice, type Bounds } from '../zone-raster/lattice.ts';

const SIDE = 81_920;

interface File {
  readonly path?: string;
  readonly epsg: number;
  readonly year?: number;
  readonly utm: Bounds;
  readonly footprint?: Bounds | null;
}

function indexOf(...files: File[]): AefIndex {
  const rows = files.map(({ path = 'a.tiff', epsg, year = 2024, utm, footprint = null }) => {
    return { path, year, epsg, rect: pixelsOf(zoneLattice(epsg), utm), footprint };
  });
  return openAefIndex(packSlimIndex('aef', 'key', slimIndex(rows), { sourceVersion: '1' }));
}

/** A file of 82 km that has the place in its middle. */
function around(epsg: number, lon: number, lat: number): Bounds {
  const xy = new Float64Array(2);
  latticeProjection(`EPSG:${epsg}`).toXY(lon, lat, xy, 0);
  const [x, y] = [Math.round(xy[0] / 10) * 10, Math.round(xy[1] / 10) * 10];
  return [x - SIDE / 2, y - SIDE / 2, x + SIDE / 2, y + SIDE / 2];
}

test('a place is found in the newest year that covers it, decided for each place', () => {
  const index = indexOf(
    { epsg: 32_616, year: 2023, utm: around(32_616, -87, 44) },
    { epsg: 32_616, year: 2023, utm: around(32_616, -86, 44) },
    { epsg: 32_616, year: 2024, utm: around(32_616, -87, 44) },
  );
  assert.equal(index.at(-87, 44)?.year, 2024);
  assert.equal(index.at(-86, 44)?.year, 2023);
  assert.equal(index.at(-85, 44), null);
  assert.deepEqual(index.at(-87, 44), { epsg: 32_616, year: 2024, ...toPixel(zoneLattice(32_616), -87, 44) });
});

test('a place in the files of two zones is taken from its own', () => {
  const index = indexOf({ epsg: 32_616, utm: around(32_616, -84, 44) }, { epsg: 32_617, utm: around(32_617, -84, 44) });
  assert.equal(index.at(-84.001, 44)?.epsg, 32_616);
  assert.equal(index.at(-83.999, 44)?.epsg, 32_617);
  assert.equal(index.at(-84, 44)?.epsg, 32_617);
});

test('a place that only the neighbouring zone has is taken from there', () => {
  const index = indexOf({ epsg: 32_616, utm: around(32_616, -84, 44) });
  assert.equal(index.at(-83.9, 44)?.epsg, 32_616);
});

test('footprints decide where zones do not follow the longitude: Norway and Svalbard', () => {
  const index = indexOf(
    { epsg: 32_631, utm: around(32_631, 3.2, 60.4), footprint: [1, 60, 3, 61] },
    { epsg: 32_632, utm: around(32_632, 3.4, 60.4), footprint: [3, 60, 4.2, 61] },
    { epsg: 32_633, utm: around(32_633, 20.8, 78.5), footprint: [18, 78, 21, 79] },
    { epsg: 32_635, utm: around(32_635, 21.1, 78.5), footprint: [21, 78, 23, 79] },
  );
  assert.equal(index.at(3.3, 60.4)?.epsg, 32_632);
  assert.equal(index.at(2.9, 60.4)?.epsg, 32_631);
  assert.equal(index.at(20.9, 78.5)?.epsg, 32_633);
  assert.equal(index.at(21.1, 78.5)?.epsg, 32_635);
});

test('the antimeridian is no edge', () => {
  const index = indexOf(
    { epsg: 32_660, utm: around(32_660, 180, -17 + 34), footprint: [179.6, 16, -179.6, 18] },
    { epsg: 32_601, utm: around(32_601, -179.9, 17), footprint: [-180.3, 16, -179.5, 18] },
  );
  assert.equal(index.at(179.9, 17)?.epsg, 32_660);
  assert.equal(index.at(-179.9, 17)?.epsg, 32_601);
  assert.equal(index.at(180, 17)?.epsg, 32_601);
  assert.equal(index.at(-180, 17)?.epsg, 32_601);
  assert.deepEqual(
    index.touching([179.99, 16.9, -179.99, 17.1], null).map(({ epsg }) => epsg),
    [32_601, 32_660],
  );
  assert.deepEqual(index.touching([170, 16.9, 171, 17.1], null), []);
});

test('the equator belongs to the north, and files that reach over it are used', () => {
  const north = { epsg: 32_632, utm: [500_000, -SIDE, 500_000 + SIDE, SIDE] } as const;
  const south = { epsg: 32_732, utm: [500_000, 10_000_000 - SIDE, 500_000 + SIDE, 10_000_000 + SIDE] } as const;
  const both = indexOf(north, south);
  assert.equal(both.at(9.2, 0)?.epsg, 32_632);
  assert.equal(both.at(9.2, 0.1)?.epsg, 32_632);
  assert.equal(both.at(9.2, -0.1)?.epsg, 32_732);
  assert.equal(indexOf(north).at(9.2, -0.1)?.epsg, 32_632);
  assert.equal(indexOf(south).at(9.2, 0.1)?.epsg, 32_732);
});

test('places at 65 degrees north and beyond are found, two zones away if need be', () => {
  assert.equal(indexOf({ epsg: 32_635, utm: around(32_635, 24.5, 65.5) }).at(24.1, 65.5)?.epsg, 32_635);
  const far = indexOf({ epsg: 32_633, utm: around(32_633, 22, 82) });
  assert.equal(far.at(24.2, 82.1)?.epsg, 32_633);
  assert.equal(far.at(15, 90), null);
  assert.equal(far.at(15, -90), null);
});

test('a box finds the zones of one year that touch it', () => {
  const index = indexOf(
    { epsg: 32_616, year: 2024, utm: around(32_616, -84.2, 44) },
    { epsg: 32_617, year: 2024, utm: around(32_617, -83.8, 44) },
    { epsg: 32_617, year: 2023, utm: around(32_617, -80, 44) },
  );
  const zones = (bbox: Bounds, year: number | null): string[] =>
    index.touching(bbox, year).map((group) => `${group.epsg} ${group.year}`);
  assert.deepEqual(zones([-84.1, 43.9, -83.9, 44.1], null), ['32616 2024', '32617 2024']);
  assert.deepEqual(zones([-84.6, 43.9, -84.5, 44.1], 2024), ['32616 2024']);
  assert.deepEqual(zones([-80.1, 43.9, -79.9, 44.1], null), ['32617 2023']);
  assert.deepEqual(zones([-80.1, 43.9, -79.9, 44.1], 2024), []);
  assert.deepEqual(zones([-180, -90, 180, 90], 2023), ['32617 2023']);
  assert.deepEqual(zones([10, 43.9, 11, 44.1], null), []);
});
