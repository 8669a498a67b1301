import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Polygon, Position } from '../geometry.ts';
import { type Crs, findCrs } from './find-crs.ts';
import { openProjection } from './open-projection.ts';
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

  it('bends a long straight edge with the projection, the same from both ends', () => {
    const [west, east, south, north] = [-0.9, -0.8, 51, 51.1];
    const corners = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    const square: Polygon = { type: 'Polygon', coordinates: [corners] };
    const [ring] = reprojectPolygon(square, crsOf('EPSG:32630'))?.coordinates ?? [];
    const projection = openProjection(crsOf('EPSG:32630'));
    const place = new Float64Array(2);
    for (let i = 0; i <= 1000; i++) {
      projection.toXY(west + ((east - west) * i) / 1000, south, place, 0);
      const misses = ring.slice(1).map((end, v) => distanceToEdge(place, ring[v], end));
      assert.ok(Math.min(...misses) < 0.0015, `${Math.min(...misses)} m off`);
    }
    // Two straight edges for a parallel of 7 km would be metres off; a vertex every metre would be waste.
    assert.ok(ring.length > 20 && ring.length < 600, `${ring.length} vertices`);
    const mirrored: Polygon = { type: 'Polygon', coordinates: [corners.toReversed()] };
    const [back] = reprojectPolygon(mirrored, crsOf('EPSG:32630'))?.coordinates ?? [];
    assert.deepEqual(new Set(back.map(String)), new Set(ring.map(String)));
    assert.equal(reprojectPolygon(square, crsOf('EPSG:3857'))?.coordinates[0].length, 5);
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

  it('is null across the antimeridian where the projection ends there, and whole where it does not', () => {
    const [west, east] = [179.995, 180.004];
    const across: Polygon = {
      type: 'Polygon',
      coordinates: [
        [
          [west, 10],
          [east, 10],
          [east, 10.01],
          [west, 10.01],
          [west, 10],
        ],
      ],
    };
    for (const crs of ['EPSG:3857', 'EPSG:6933']) assert.equal(reprojectPolygon(across, crsOf(crs)), null);
    assert.deepEqual(reprojectPolygon(across, crsOf('EPSG:4269')), across);
    for (const crs of ['EPSG:32601', 'EPSG:32660', 'EPSG:3832']) {
      const easts = reprojectPolygon(across, crsOf(crs))?.coordinates[0].map(([x]) => x) ?? [];
      assert.ok(Math.abs(Math.max(...easts) - Math.min(...easts) - 1000) < 10, crs);
    }
  });
});

function crsOf(text: string): Crs {
  const crs = findCrs(text);
  assert.ok(!('refused' in crs));
  return crs;
}

function distanceToEdge([x, y]: Float64Array, [ax, ay]: Position, [bx, by]: Position): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(ax + along * dx - x, ay + along * dy - y);
}

function at(polygon: Polygon | null, ring: number, vertex: number): readonly number[] {
  assert.ok(polygon);
  return polygon.coordinates[ring][vertex];
}
