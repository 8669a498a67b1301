import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { insidePoint } from './inside-point.ts';
import { locateInPolygon } from './point-in-polygon.ts';

interface OraclePolygon {
  readonly rings: readonly (readonly (readonly number[])[])[];
  readonly valid: boolean;
  readonly reason: string;
  readonly points?: readonly (readonly [number, number, boolean])[];
}

/** What GEOS says of 3,200 random polygons; made by polygon-validity.py next to it. */
const ORACLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/oracles/polygon-validity.json'), 'utf8'),
) as { readonly polygons: readonly OraclePolygon[] };

const flat = (rings: OraclePolygon['rings']): Float64Array[] => rings.map((ring) => Float64Array.from(ring.flat()));

describe('locateInPolygon, which checks the point', () => {
  it('agrees with GEOS, boundary included', () => {
    for (const { rings, points = [] } of ORACLE.polygons) {
      for (const [x, y, inside] of points)
        assert.equal(locateInPolygon(flat(rings), x, y) === 'inside', inside, JSON.stringify([rings, x, y]));
    }
  });
});

describe('insidePoint', () => {
  it('lies inside every valid random polygon, out of its holes', () => {
    for (const { rings, valid } of ORACLE.polygons) {
      if (valid)
        assert.equal(locateInPolygon(flat(rings), ...insidePoint(flat(rings))), 'inside', JSON.stringify(rings));
    }
  });

  it('finds room where the first line through the middle has none', () => {
    const sliver = flat([
      [
        [0, 0],
        [1e-300, 1],
        [10, 1.5],
        [0, 2],
        [-1e-300, 1],
        [0, 0],
      ],
    ]);
    assert.equal(locateInPolygon(sliver, ...insidePoint(sliver)), 'inside');
  });

  it('gives the first vertex of a polygon too thin to hold a double', () => {
    const thin = flat([
      [
        [1, 1],
        [1 + 2 ** -52, 1 + 2 ** -52],
        [1, 1 + 2 ** -52],
        [1, 1],
      ],
    ]);
    assert.deepEqual(insidePoint(thin), [1, 1]);
  });
});
