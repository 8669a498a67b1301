import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Polygon } from '../geometry.ts';
import { type Crs, findCrs } from './find-crs.ts';
import { reprojectPolygon } from './reproject-polygon.ts';

const FIELD: Polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [-1, 51],
      [-0.99, 51],
      [-0.99, 51.01],
      [-1, 51.01],
      [-1, 51],
    ],
    [
      [-0.996, 51.004],
      [-0.996, 51.006],
      [-0.994, 51.006],
      [-0.994, 51.004],
      [-0.996, 51.004],
    ],
  ],
};

describe('taking a polygon to another CRS', () => {
  it('leaves it alone in EPSG:4326', () => {
    assert.equal(reprojectPolygon(FIELD, crsOf('EPSG:4326')), FIELD);
  });

  it('puts easting first, also where the authority puts northing first', () => {
    const [x, y] = at(reprojectPolygon(FIELD, crsOf('EPSG:27700')), 0, 0);
    // cs2cs, without the OSTN15 grid.
    assert.ok(Math.hypot(x - 470267.3425, y - 122765.5388) < 0.01, `${x} ${y}`);
    const [east, north] = at(reprojectPolygon(FIELD, crsOf('EPSG:3035')), 0, 0);
    assert.ok(east > 3_500_000 && east < 3_700_000 && north > 3_000_000 && north < 3_300_000, `${east} ${north}`);
  });

  it('keeps rings closed and in their directions', () => {
    const polygon = reprojectPolygon(FIELD, crsOf('EPSG:32630'));
    assert.ok(polygon);
    for (const [r, ring] of polygon.coordinates.entries()) {
      assert.deepEqual(ring[0], ring.at(-1));
      let twice = 0;
      for (let i = 1; i < ring.length; i++) twice += ring[i - 1][0] * ring[i][1] - ring[i][0] * ring[i - 1][1];
      assert.equal(twice > 0, r === 0);
    }
  });

  it('is null where the projection does not reach', () => {
    const triangle = (lon: number, lat: number): Polygon => ({
      type: 'Polygon',
      coordinates: [
        [
          [lon, lat],
          [lon + 0.1, lat],
          [lon, lat - 0.1],
          [lon, lat],
        ],
      ],
    });
    assert.equal(reprojectPolygon(triangle(10, 90), crsOf('EPSG:3857')), null);
    assert.equal(reprojectPolygon(triangle(0, 90), crsOf('EPSG:3031')), null);
    assert.equal(reprojectPolygon(triangle(-170, -52), crsOf('EPSG:3035')), null);
  });
});

function crsOf(text: string): Crs {
  const crs = findCrs(text);
  assert.ok(!('refused' in crs));
  return crs;
}

function at(polygon: Polygon | null, ring: number, vertex: number): readonly number[] {
  assert.ok(polygon);
  return polygon.coordinates[ring][vertex];
}
