import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../../../geo/ellipsoid.ts';
import { pointShape } from '../../../geo/shapes/shape.ts';
import { groundOf } from './ground.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(1_000);
/** An L with a hole, 0.1 degree long. */
const GROUND = groundOf({
  polygons: [
    [
      Float64Array.of(10, 5, 10.1, 5, 10.1, 5.04, 10.04, 5.04, 10.04, 5.1, 10, 5.1, 10, 5),
      Float64Array.of(10.01, 5.01, 10.01, 5.02, 10.02, 5.02, 10.02, 5.01, 10.01, 5.01),
    ],
  ],
});

describe('groundOf', () => {
  it('knows a circle only where it knows every place of it', () => {
    let known = 0;
    fc.assert(
      fc.property(
        fc.double({ min: 9.98, max: 10.12, noNaN: true }),
        fc.double({ min: 4.98, max: 5.12, noNaN: true }),
        fc.double({ min: 1, max: 3_000, noNaN: true }),
        (lon, lat, withinM) => {
          if (!GROUND.holdsAround(pointShape(lon, lat), withinM)) return;
          known++;
          assert.ok(GROUND.holds(lon, lat));
          for (let turn = 0; turn < 64; turn++) {
            const angle = (turn / 64) * 2 * Math.PI;
            const x = lon + (Math.cos(angle) * withinM * 0.999) / metresPerDegreeEast(lat);
            const y = lat + (Math.sin(angle) * withinM * 0.999) / metresPerDegreeNorth(lat);
            assert.ok(GROUND.holds(x, y), `${x}, ${y} is not held`);
          }
        },
      ),
      { numRuns: RUNS },
    );
    assert.ok(known > RUNS / 100, `only ${known} circles were known`);
  });

  it('knows every circle well inside, and none that a hole or an edge comes into', () => {
    const around = (lon: number, lat: number, withinM: number): boolean =>
      GROUND.holdsAround(pointShape(lon, lat), withinM);
    assert.equal(around(10.07, 5.02, 2_000), true);
    assert.equal(around(10.07, 5.02, 2_500), false);
    assert.equal(around(10.024, 5.015, 300), true);
    assert.equal(around(10.024, 5.015, 600), false);
    assert.equal(around(10.015, 5.015, 100), false);
  });

  it('does not end at the edge of the world', () => {
    const world = groundOf({ bbox: [-180, -90, 180, 90] });
    assert.equal(world.holdsAround(pointShape(179.999, 66), 5_000), true);
    assert.equal(world.holdsAround(pointShape(0, 89.99), 5_000), true);
  });
});
