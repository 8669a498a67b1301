import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pointInPolygon } from '../../../geo/rings/point-in-polygon.ts';
import { seededRandom } from '../../../geo/seeded-random.ts';
import { DataOutline } from './data-outline.ts';

describe('DataOutline', () => {
  it('holds the ground of the data, small gaps too, and leaves out the ends of lines that run out of it', () => {
    const outline = new DataOutline();
    const random = seededRandom(3);
    for (let i = 0; i < 20_000; i++) {
      const [lon, lat] = [20 + random() * 0.5, -3 + random() * 0.3];
      const isGap = lon > 20.2 && lon < 20.23 && lat > -2.9 && lat < -2.88;
      if (!isGap) outline.add(lon, lat);
    }
    for (let i = 0; i < 40; i++) outline.add(20.5 + i * 0.02, -2.85);
    const polygons = outline.polygons(null) ?? [];
    const holds = (lon: number, lat: number): boolean => polygons.some((rings) => pointInPolygon(rings, lon, lat));
    for (const [lon, lat] of [
      [20.01, -2.99],
      [20.25, -2.85],
      [20.215, -2.89],
      [20.49, -2.71],
    ])
      assert.ok(holds(lon, lat), `${lon}, ${lat}`);
    for (const [lon, lat] of [
      [20.9, -2.85],
      [21.2, -2.85],
      [19.95, -2.9],
      [20.3, -2.6],
    ])
      assert.ok(!holds(lon, lat), `${lon}, ${lat}`);
  });

  it('ends at the box the data was cut from', () => {
    const outline = new DataOutline();
    for (let i = 0; i < 5_000; i++) outline.add(10 + (i % 100) * 0.002, 4 + Math.floor(i / 100) * 0.004);
    const polygons = outline.polygons([10.033, 4.027, 10.1, 4.1]) ?? [];
    for (const [ring] of polygons)
      for (let i = 0; i < ring.length; i += 2)
        assert.ok(ring[i] >= 10.033 && ring[i] <= 10.1 && ring[i + 1] >= 4.027 && ring[i + 1] <= 4.1);
    assert.ok(polygons.some((rings) => pointInPolygon(rings, 10.06, 4.06)));
  });

  it('keeps a bounded number of cells however far the data reaches', () => {
    const outline = new DataOutline();
    const random = seededRandom(9);
    for (let i = 0; i < 900_000; i++) outline.add(-60 + random() * 20, -10 + random() * 20);
    const polygons = outline.polygons(null) ?? [];
    assert.ok(polygons.some((rings) => pointInPolygon(rings, -50, 0)));
    assert.ok(!polygons.some((rings) => pointInPolygon(rings, -39, 0)));
  });

  it('takes the box around few things, and is nothing for nothing', () => {
    const outline = new DataOutline();
    assert.equal(outline.polygons(null), null);
    outline.add(1, 2);
    outline.add(1.5, 2.5);
    assert.deepEqual(outline.polygons(null), [[Float64Array.of(1, 2, 1.5, 2, 1.5, 2.5, 1, 2.5, 1, 2)]]);
  });
});
