import * as fc from 'fast-check';
import type { GridRing } from '../src/collections/due-diligence/geometry/snap-rings.ts';

/**
 * Polygons on the grid of 6 decimals somewhere on earth: a star-shaped exterior of 4 to 40 vertices, and up to five star-shaped
 * holes, each in a cell of its own. Most are valid; those that the grid makes touch themselves are not.
 */
export function polygonWithHoles(): fc.Arbitrary<GridRing[]> {
  return fc
    .record({
      lon: fc.double({ min: -179, max: 179, noNaN: true }),
      lat: fc.double({ min: -84, max: 84, noNaN: true }),
      size: fc.constantFrom(0.0005, 0.004, 0.05, 0.9),
      exterior: fc.array(fc.double({ min: 0.8, max: 1, noNaN: true }), { minLength: 4, maxLength: 40 }),
      holes: fc.uniqueArray(
        fc.record({
          cell: fc.integer({ min: 0, max: 8 }),
          radii: fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 3, maxLength: 14 }),
        }),
        { maxLength: 5, selector: ({ cell }) => cell },
      ),
    })
    .map(({ lon, lat, size, exterior, holes }) => [
      star(lon, lat, size, exterior),
      ...holes.map(({ cell, radii }) => {
        const [x, y] = [(cell % 3) - 1, Math.floor(cell / 3) - 1];
        return star(lon + x * size * 0.34, lat + y * size * 0.34, size * 0.15, radii);
      }),
    ]);
}

function star(lon: number, lat: number, size: number, radii: readonly number[]): GridRing {
  const ring = radii.map((radius, i) => {
    const angle = (2 * Math.PI * i) / radii.length;
    return [grid(lon + size * radius * Math.cos(angle)), grid(lat + size * radius * Math.sin(angle))] as const;
  });
  return [...ring, ring[0]!];
}

function grid(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
