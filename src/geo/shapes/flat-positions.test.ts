import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GEOMETRY_LIMITS, geometrySize, sizeFault } from './flat-positions.ts';
import { toShape } from './to-shape.ts';

const SQUARE = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
];

describe('the size of a geometry', () => {
  for (const [geometry, vertices, parts] of [
    [{ type: 'Point', coordinates: [1, 2] }, 1, 0],
    [{ type: 'Point', coordinates: [] }, 0, 0],
    [{ type: 'LineString', coordinates: SQUARE }, 4, 1],
    [{ type: 'Polygon', coordinates: [SQUARE, SQUARE] }, 8, 2],
    [{ type: 'MultiPolygon', coordinates: [[SQUARE], [SQUARE, SQUARE]] }, 12, 3],
    [{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }, null, 7] }, 1, 3],
    [null, 0, 0],
    ['a text', 0, 0],
    [{ type: 'Polygon', coordinates: 'nothing' }, 0, 0],
  ] as const)
    test(`counts ${vertices} vertices and ${parts} parts in ${JSON.stringify(geometry)?.slice(0, 60)}`, () => {
      assert.deepEqual(geometrySize(geometry), { vertices, parts });
    });

  test('is no fault at the limits and one beyond them, which is named', () => {
    const lines = (count: number) => ({
      type: 'MultiLineString',
      coordinates: Array.from({ length: count }, () => SQUARE),
    });
    const points = (count: number) => ({
      type: 'MultiPoint',
      coordinates: Array.from({ length: count }, () => [1, 2]),
    });
    assert.equal(sizeFault(lines(GEOMETRY_LIMITS.parts)), null);
    assert.equal(sizeFault(points(GEOMETRY_LIMITS.vertices)), null);
    assert.match(
      sizeFault(lines(GEOMETRY_LIMITS.parts + 1))?.words ?? '',
      /50001 parts; wanted at most 50000 \(file_parts/,
    );
    const { shape, ...rest } = toShape(points(GEOMETRY_LIMITS.vertices + 1));
    assert.equal(shape, null);
    assert.match(JSON.stringify(rest), /1000001 vertices; wanted at most 1000000 \(file_vertices in \/limits\)/);
  });

  test('is found of a geometry nested deeper than any program can follow', () => {
    let nested: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    assert.equal(sizeFault({ type: 'Polygon', coordinates: nested }), null);
  });
});
