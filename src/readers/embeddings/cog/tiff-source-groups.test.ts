import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupTiffFiles, type TiffHeader } from './tiff-source-groups.ts';

function header(
  path: string,
  x: number,
  y: number,
  over: { crs?: string; pixel?: number; size?: number } = {},
): TiffHeader {
  const { crs = 'EPSG:32616', pixel = 10, size = 100 } = over;
  return { path, lattice: { crs, width: size, height: size, transform: [pixel, 0, x, 0, -pixel, y] } };
}

test('files on one lattice are one raster that holds just them, in the order they are given', () => {
  const [group, ...others] = groupTiffFiles([
    header('/d/b.tif', 501_000, 4_900_000),
    header('/d/a.tif', 500_000, 4_901_000),
  ]);
  assert.deepEqual(others, []);
  assert.deepEqual(group, {
    id: 'EPSG:32616',
    lattice: { crs: 'EPSG:32616', width: 200, height: 200, transform: [10, 0, 500_000, 0, -10, 4_901_000] },
    files: [
      { path: '/d/b.tif', rect: { left: 100, top: 100, right: 200, bottom: 200 } },
      { path: '/d/a.tif', rect: { left: 0, top: 0, right: 100, bottom: 100 } },
    ],
  });
});

test('a file alone is a raster as it is', () => {
  const one = header('/d/a.tif', 0.25, 10, { crs: 'EPSG:4326', pixel: 0.0001 });
  const [group] = groupTiffFiles([one]);
  assert.deepEqual(group.lattice, one.lattice);
  assert.deepEqual(group.files, [{ path: '/d/a.tif', rect: { left: 0, top: 0, right: 100, bottom: 100 } }]);
});

test('files on other lattices are rasters of their own, named apart', () => {
  const groups = groupTiffFiles([
    header('/d/a.tif', 500_000, 4_900_000),
    header('/d/b.tif', 500_005, 4_900_000),
    header('/d/c.tif', 500_000, 4_900_000, { pixel: 20 }),
    header('/d/d.tif', 500_000, 4_900_000, { crs: 'EPSG:32617' }),
    header('/d/e.tif', 501_005, 4_900_000),
  ]);
  assert.deepEqual(
    groups.map(({ id, files }) => [id, files.length]),
    [
      ['EPSG:32616 a.tif', 1],
      ['EPSG:32616 b.tif', 2],
      ['EPSG:32616 c.tif', 1],
      ['EPSG:32617', 1],
    ],
  );
});
