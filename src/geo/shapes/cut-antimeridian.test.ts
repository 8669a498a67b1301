import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { cutAntimeridian } from './cut-antimeridian.ts';
import type { Position } from '../geometry.ts';
import { polygonArea } from '../rings/polygon-area.ts';
import { toShape } from './to-shape.ts';

const turned = (lon: number): number => (lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon);
const areaOf = (polygons: readonly (readonly Position[])[][]): number =>
  polygons.reduce(
    (sum, rings) => sum + polygonArea(rings.map((ring) => Float64Array.from(ring.flatMap(([x, y]) => [x, y])))).area,
    0,
  );

/** A ring round a place, a corner every few degrees, by its distances: it may bend in wherever it likes. */
function star(lon: number, lat: number, radii: readonly number[]): Position[] {
  const ring = radii.map((radius, i): Position => {
    const angle = (2 * Math.PI * i) / radii.length;
    return [lon + radius * Math.cos(angle), lat + radius * Math.sin(angle)];
  });
  return [...ring, ring[0]];
}

describe('a polygon over the antimeridian', () => {
  it('is cut into valid parts on either side that have the area it has elsewhere', () => {
    const radii = fc.array(fc.double({ min: 0.02, max: 1, noNaN: true }), { minLength: 5, maxLength: 24 });
    const offset = fc.double({ min: -0.9, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(radii, offset, fc.double({ min: -60, max: 60, noNaN: true }), fc.boolean(), (far, off, lat, turn) => {
        const at = (lon: number): Position[][] => {
          const ring = star(lon, lat, far);
          return [turn ? ring.toReversed() : ring];
        };
        const over = at(180 + off).map((ring) => ring.map(([lon, y]): Position => [turned(lon), y]));
        const cut = cutAntimeridian({ type: 'Polygon', coordinates: over });
        if (cut === null)
          return assert.ok(over[0].every(([lon], i) => i === 0 || Math.abs(lon - over[0][i - 1][0]) <= 180));
        const parts = cut.type === 'Polygon' ? [cut.coordinates] : cut.coordinates;
        for (const [ring] of parts) assert.ok(ring.every(([lon]) => lon >= 0) || ring.every(([lon]) => lon < 0));
        assert.ok(toShape(cut).shape !== null, JSON.stringify(cut));
        // Cutting a straight edge keeps the area of the plane; the geodesic one differs by how such an edge bends.
        const wanted = planarArea([at(off)]);
        assert.ok(Math.abs(planarArea(parts as Position[][][]) - wanted) <= 1e-9 * wanted);
        const measured = areaOf([at(off)]);
        assert.ok(Math.abs(areaOf(parts as Position[][][]) - measured) <= 0.02 * measured);
      }),
    );
  });

  it('keeps its holes, those that are cut and those that are not', () => {
    const box = (west: number, south: number, east: number, north: number): Position[] =>
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ].map(([x, y]): Position => [turned(x), y]);
    const rings = [box(178, 0, 183, 4), box(179, 1, 181, 2), box(182, 1, 182.5, 2)];
    const cut = cutAntimeridian({ type: 'Polygon', coordinates: rings });
    assert.equal(cut?.type, 'MultiPolygon');
    assert.ok(toShape(cut).shape !== null);
    const parts = cut.coordinates as Position[][][];
    const planar = planarArea(parts);
    assert.ok(Math.abs(planar - (20 - 2 - 0.5)) < 1e-9, String(planar));
    assert.deepEqual(parts.map(({ length }) => length).toSorted(), [1, 2]);
  });

  it('is left alone where nothing crosses, round a pole, and where it is no polygon', () => {
    for (const geometry of [
      null,
      { type: 'Point', coordinates: [180, 0] },
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [10, 0],
            [10, 10],
            [0, 0],
          ],
        ],
      },
      {
        type: 'Polygon',
        coordinates: [
          [
            [-170, 80],
            [-60, 80],
            [60, 80],
            [170, 80],
            [-170, 80],
          ],
        ],
      },
      {
        type: 'Polygon',
        coordinates: [
          [
            [179, 0],
            [-179, 0],
            ['x', 1],
            [179, 0],
          ],
        ],
      },
    ])
      assert.equal(cutAntimeridian(geometry), null, JSON.stringify(geometry));
    assert.doesNotThrow(() => fc.assert(fc.property(fc.anything(), (value) => void cutAntimeridian(value))));
  });
});

function planarArea(polygons: readonly Position[][][]): number {
  return polygons.reduce(
    (sum, [outer, ...holes]) => sum + flatArea(outer) - holes.reduce((inner, hole) => inner + flatArea(hole), 0),
    0,
  );
}

function flatArea(ring: readonly Position[]): number {
  let twice = 0;
  for (let i = 0; i + 1 < ring.length; i++) twice += ring[i][0] * ring[i + 1][1] - ring[i + 1][0] * ring[i][1];
  return Math.abs(twice) / 2;
}
