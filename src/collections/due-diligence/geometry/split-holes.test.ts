import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { openOverlay, type Overlay } from '../../../locations/plots/geos.ts';
import { polygonWithHoles } from '../../../../test/polygon-with-holes.ts';
import { gridFault, type GridRing } from './snap-rings.ts';
import { area, splitHoles } from './split-holes.ts';
import { runs } from '../../../../test/property-runs.ts';

let tools: Overlay;
before(async () => {
  tools = await openOverlay();
});

describe('cutting polygons with holes', () => {
  it('gives two half-moons for one hole', () => {
    const square = (at: number, side: number): GridRing => [
      [at, at],
      [at + side, at],
      [at + side, at + side],
      [at, at + side],
      [at, at],
    ];
    const parts = splitHoles([square(1, 0.01), square(1.003, 0.003).toReversed()], tools);
    assert.equal(parts?.length, 2);
  });

  it('covers exactly the polygon by simple rings that share no ground, whatever the polygon', () => {
    fc.assert(
      fc.property(polygonWithHoles(), (rings) => {
        if (rings.length < 2 || gridFault(rings) !== null) return;
        const parts = splitHoles(rings, tools);
        assert.ok(parts !== null);
        for (const part of parts) assert.equal(gridFault([part]), null);
        const sum = parts.reduce((total, part) => total + area([part]), 0);
        assert.ok(Math.abs(sum - area(rings)) <= 1e-9 * area(rings), `${sum} of ${area(rings)}`);
        const vertices = new Set(rings.flat().map(String));
        assert.ok(parts.flat().every((at) => vertices.has(String(at))));
        for (const [i, a] of parts.entries())
          for (const b of parts.slice(i + 1)) assert.ok(commonArea(a, b) <= 1e-9 * area(rings));
      }),
      { numRuns: runs(300), seed: 8 },
    );
  });
});

function commonArea(a: GridRing, b: GridRing): number {
  const common = tools.intersection({ type: 'Polygon', coordinates: [a] }, { type: 'Polygon', coordinates: [b] });
  const polygons =
    common?.type === 'Polygon' ? [common.coordinates] : common?.type === 'MultiPolygon' ? common.coordinates : [];
  return polygons.reduce((sum, rings) => sum + (rings.length === 0 ? 0 : area(rings as readonly GridRing[])), 0);
}
