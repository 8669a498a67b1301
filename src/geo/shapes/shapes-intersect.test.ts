import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { runs } from '../../../test/property-runs.ts';
import type { Geometry, Position } from '../geometry.ts';
import { openGeos } from '../partition/open-geos.ts';
import { groundOfBox, groundOfGeometry, shapesIntersect } from './shapes-intersect.ts';

let geos: Awaited<ReturnType<typeof openGeos>>;
before(async () => {
  geos = await openGeos();
});

function byGeos(a: Geometry, b: Geometry): boolean {
  const pointers = [a, b].map((geometry) =>
    geojsonToGeosGeom(geometry as Parameters<typeof geojsonToGeosGeom>[0], geos),
  );
  try {
    return Number(geos.GEOSIntersects(pointers[0] as never, pointers[1] as never)) === 1;
  } finally {
    for (const pointer of pointers) geos.GEOSGeom_destroy(pointer as never);
  }
}

/** Small whole numbers, so that shapes often touch at corners and along edges. */
const place = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }));

/** A polygon around a middle, by angle: it never crosses itself. Sometimes with a hole. */
const polygon = fc
  .tuple(place, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 8 }), fc.boolean())
  .map(([[x, y], reaches, isHollow]): Geometry => {
    const ring = (share: number): Position[] => {
      const corners = reaches.map((reach, i): Position => {
        const turn = (i / reaches.length) * 2 * Math.PI;
        return [x + reach * share * Math.cos(turn), y + reach * share * Math.sin(turn)];
      });
      return [...corners, corners[0]];
    };
    return { type: 'Polygon', coordinates: isHollow ? [ring(1), ring(0.5)] : [ring(1)] };
  });
const square = fc
  .tuple(place, fc.integer({ min: 1, max: 5 }), fc.boolean())
  .map(([[x, y], side, isHollow]): Geometry => {
    const ring = (by: number): Position[] => [
      [x + by, y + by],
      [x + side - by, y + by],
      [x + side - by, y + side - by],
      [x + by, y + side - by],
      [x + by, y + by],
    ];
    return { type: 'Polygon', coordinates: isHollow && side > 2 ? [ring(0), ring(1)] : [ring(0)] };
  });
const line = fc
  .array(place, { minLength: 2, maxLength: 5 })
  .filter(([first, ...rest]) => rest.some(([x, y]) => x !== first[0] || y !== first[1]))
  .map((coordinates): Geometry => ({ type: 'LineString', coordinates }));
const point = place.map((coordinates): Geometry => ({ type: 'Point', coordinates }));
const geometry = fc.oneof(point, line, square, polygon);

describe('whether two shapes share a place', () => {
  it('is what GEOS says, touching corners and edges, holes and shapes inside each other included', () => {
    fc.assert(
      fc.property(geometry, geometry, (a, b) => {
        const grounds = [groundOfGeometry(a)!, groundOfGeometry(b)!];
        const expected = byGeos(a, b);
        assert.equal(shapesIntersect(grounds[0], grounds[1]), expected);
        assert.equal(shapesIntersect(grounds[1], grounds[0]), expected);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('is so of the parts of a collection, and of a box around or inside a shape', () => {
    const parts: Geometry = {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [50, 50] },
        {
          type: 'MultiPolygon',
          coordinates: [
            [
              [
                [0, 0],
                [4, 0],
                [4, 4],
                [0, 4],
                [0, 0],
              ],
            ],
          ],
        },
      ],
    };
    const ground = groundOfGeometry(parts)!;
    assert.deepEqual(ground.bbox, [0, 0, 50, 50]);
    for (const [box, expected] of [
      [[1, 1, 2, 2], true],
      [[-10, -10, 60, 60], true],
      [[4, 4, 5, 5], true],
      [[50, 50, 51, 51], true],
      [[20, 20, 30, 30], false],
    ] as const)
      assert.equal(shapesIntersect(ground, groundOfBox(box)), expected, String(box));
  });

  it('is null for what has no place', () => {
    assert.equal(groundOfGeometry({ type: 'Point', coordinates: [] }), null);
    assert.equal(groundOfGeometry({ type: 'MultiPolygon', coordinates: [] }), null);
    assert.equal(groundOfGeometry({ type: 'Point', coordinates: [Number.NaN, 0] }), null);
  });
});
