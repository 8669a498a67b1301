import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { geodesicDistanceM } from '../ellipsoid.ts';
import { polygonArea } from '../rings/polygon-area.ts';
import { circleOf, groundOf, layOutPlot } from './plot-ground.ts';
import { runs } from '../../../test/property-runs.ts';

const NOWHERE = new Float64Array(0);
const ring = (...places: number[]): Float64Array => Float64Array.from(places);

describe('circleOf', () => {
  it('takes the hectares that were stated, all round at the same distance', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -84, max: 84, noNaN: true }),
        fc.constantFrom(0.0001, 0.1, 4, 50, 10_000),
        (lon, lat, hectares) => {
          const circle = circleOf(lon, lat, hectares);
          const { area } = polygonArea([circle]);
          assert.ok(Math.abs(area / 10_000 - hectares) <= 1e-6 * hectares, `${area / 10_000}, wanted ${hectares}`);
          const radius = Math.sqrt((hectares * 10_000) / Math.PI);
          for (let i = 0; i < circle.length; i += 16) {
            const far = geodesicDistanceM(lon, lat, circle[i]!, circle[i + 1]!);
            assert.ok(Math.abs(far - radius) < 0.003 * radius, `${far} m, wanted ${radius}`);
          }
        },
      ),
    );
  });

  it('is closed and has 64 corners', () => {
    const circle = circleOf(7, 50, 4);
    assert.equal(circle.length, 130);
    assert.deepEqual([circle[128], circle[129]], [circle[0], circle[1]]);
  });
});

describe('groundOf', () => {
  it('takes polygons where there are any, and points else', () => {
    const square = ring(1, 1, 1.001, 1, 1.001, 1.001, 1, 1.001, 1, 1);
    const both = groundOf({ polygons: [[square]], points: ring(5, 5) }, 3);
    assert.deepEqual([both?.kind, both?.parts.length], ['polygon', 1]);
    assert.ok(Math.abs((both?.areaHa ?? 0) - 1.2307) < 1e-3);
    const two = groundOf({ polygons: [], points: ring(5, 5, 6, 6) }, 3);
    assert.deepEqual([two?.kind, two?.parts.length], ['circle', 2]);
    assert.ok(Math.abs((two?.areaHa ?? 0) - 3) < 1e-5);
    assert.ok(Math.abs((groundOf({ polygons: [], points: ring(5, 5, 6, 6) }, null)?.areaHa ?? 0) - 8) < 1e-5);
  });

  it('is null without area', () => {
    assert.equal(groundOf({ polygons: [], points: NOWHERE }, null), null);
    assert.equal(groundOf({ polygons: [[ring(1, 1, 2, 2, 1, 1)]], points: NOWHERE }, null), null);
  });

  it('shows a polygon over the antimeridian from both sides', () => {
    const across = ring(179.9, 0, -179.9, 0, -179.9, 0.1, 179.9, 0.1, 179.9, 0);
    const ground = groundOf({ polygons: [[across]], points: NOWHERE }, null);
    assert.equal(ground?.parts.length, 2);
    const boxes = ground?.parts.map(({ bbox: [west, , east] }) => [Math.round(west * 10), Math.round(east * 10)]);
    assert.deepEqual(boxes, [
      [1799, 1801],
      [-1801, -1799],
    ]);
  });
});

describe('layOutPlot', () => {
  it('lays out what GeoJSON has, holes and parts, and gives a sentence for what it has not', () => {
    const box = (at: number) => [
      [at, 0],
      [at + 1, 0],
      [at + 1, 1],
      [at, 1],
      [at, 0],
    ];
    const multi = { type: 'MultiPolygon', coordinates: [[box(0), box(0.2)], [box(5)]] };
    const ground = layOutPlot(multi, null);
    assert.ok(typeof ground !== 'string');
    assert.deepEqual(
      ground.parts.map(({ rings }) => rings.length),
      [2, 1],
    );
    for (const geometry of [
      null,
      7,
      {},
      { type: 'Polygon', coordinates: [] },
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
          ],
        ],
      },
    ])
      assert.equal(typeof layOutPlot(geometry, null), 'string', JSON.stringify(geometry));
    assert.match(String(layOutPlot({ type: 'Point', coordinates: [0, 0] }, 0)), /above 0 ha, got 0/);
  });

  it('never throws, whatever it is given', () => {
    const type = fc.constantFrom('Polygon', 'MultiPolygon', 'Point', 'MultiPoint', 'GeometryCollection', 'x');
    const coordinates = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.array(fc.array(fc.oneof(fc.double(), fc.integer()), { maxLength: 3 }))),
    );
    fc.assert(
      fc.property(fc.record({ type, coordinates }), fc.option(fc.double()), (geometry, stated) => {
        const ground = layOutPlot(geometry, stated);
        assert.ok(typeof ground === 'string' ? ground.length > 0 : ground.areaHa > 0);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
