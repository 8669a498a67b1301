import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isSimpleRing } from './is-simple-ring.ts';
import { findRingFault } from './ring-validity.ts';

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

describe('findRingFault', () => {
  it('agrees with GEOS on every random polygon', () => {
    const wrong = ORACLE.polygons.filter(({ rings, valid }) => (findRingFault(flat(rings)) === null) !== valid);
    assert.deepEqual(wrong, []);
    assert.ok(ORACLE.polygons.filter(({ valid }) => valid).length > 1_000);
  });

  it('gives the same verdict for the other direction of the rings, another start and mirrored', () => {
    for (const { rings, valid } of ORACLE.polygons.slice(0, 800)) {
      const turned = rings.map((ring) => {
        const open = ring.slice(1);
        return [...open.slice(1), ...open.slice(0, 2)].toReversed().map(([x = 0, y = 0]) => [-y, x]);
      });
      assert.equal(findRingFault(flat(turned)) === null, valid, JSON.stringify(rings));
    }
  });

  it('names the place of a crossing', () => {
    const bowTie = flat([
      [
        [0, 0],
        [4, 4],
        [4, 0],
        [0, 4],
        [0, 0],
      ],
    ]);
    assert.deepEqual(findRingFault(bowTie), { kind: 'crossing', ring: 0, vertex: 2, at: [2, 2] });
  });

  const square = [
    [0, 0],
    [9, 0],
    [9, 9],
    [0, 9],
    [0, 0],
  ];
  const cases = {
    'an edge run twice': [
      'overlap',
      [
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [4, 0],
          [0, 0],
        ],
      ],
    ],
    'collinear edges that overlap in part': [
      'overlap',
      [
        [
          [0, 0],
          [6, 0],
          [6, 2],
          [4, 2],
          [4, 0],
          [2, 0],
          [2, 3],
          [0, 3],
          [0, 0],
        ],
      ],
    ],
    'a vertex met twice': [
      'self_touch',
      [
        [
          [0, 0],
          [2, 2],
          [4, 0],
          [4, 4],
          [2, 2],
          [0, 4],
          [0, 0],
        ],
      ],
    ],
    'a ring of two places': [
      'short_ring',
      [
        [
          [0, 0],
          [1, 1],
          [0, 0],
          [0, 0],
        ],
      ],
    ],
    'a hole outside': [
      'hole_outside',
      [
        square,
        [
          [20, 20],
          [21, 20],
          [21, 21],
          [20, 20],
        ],
      ],
    ],
    'a hole in a hole': [
      'hole_in_hole',
      [
        square,
        [
          [1, 1],
          [8, 1],
          [8, 8],
          [1, 8],
          [1, 1],
        ],
        [
          [3, 3],
          [4, 3],
          [4, 4],
          [3, 3],
        ],
      ],
    ],
    'a hole across the exterior': [
      'crossing',
      [
        square,
        [
          [8, 4],
          [12, 4],
          [12, 5],
          [8, 5],
          [8, 4],
        ],
      ],
    ],
    'a hole that cuts the interior': [
      'disconnected_interior',
      [
        square,
        [
          [0, 4],
          [9, 5],
          [4, 6],
          [0, 4],
        ],
      ],
    ],
  } as const;
  for (const [name, [kind, rings]] of Object.entries(cases)) {
    it(`finds ${name}`, () => assert.equal(findRingFault(flat(rings))?.kind, kind));
  }

  it('lets a hole touch the exterior at one point, and repeated vertices pass', () => {
    assert.equal(
      findRingFault(
        flat([
          square,
          [
            [0, 4],
            [3, 3],
            [3, 5],
            [0, 4],
          ],
        ]),
      ),
      null,
    );
    assert.equal(
      findRingFault(
        flat([
          [
            [0, 0],
            [0, 0],
            [4, 0],
            [4, 0],
            [4, 4],
            [0, 0],
            [0, 0],
          ],
        ]),
      ),
      null,
    );
  });

  it('evaluates 100,000 long edges side by side without comparing each with each', { timeout: 20_000 }, () => {
    const teeth: number[] = [];
    for (let i = 0; i < 50_000; i++) teeth.push(i * 1e-6, 0, 50 + i * 1e-6 + 5e-7, 50);
    teeth.push(51.1, 50, 51.1, -1, 0, -1, 0, 0);
    assert.equal(findRingFault([Float64Array.from(teeth)]), null);
  });
});

describe('isSimpleRing', () => {
  const single = ORACLE.polygons.filter(({ rings }) => rings.length === 1);

  it('is true only for what GEOS calls valid', () => {
    const simple = single.filter(({ rings }) => isSimpleRing(flat(rings)[0]));
    assert.deepEqual(
      simple.filter(({ valid }) => !valid),
      [],
    );
    assert.ok(simple.length > 400, `${simple.length} of ${single.length}`);
  });

  it('leaves open rings, repeated vertices and long rings to the sweep', () => {
    assert.equal(isSimpleRing(Float64Array.of(0, 0, 9, 0, 9, 9, 0, 0)), true);
    assert.equal(isSimpleRing(Float64Array.of(0, 0, 9, 0, 9, 9, 0, 9)), false);
    assert.equal(isSimpleRing(Float64Array.of(0, 0, 9, 0, 9, 0, 9, 9, 0, 0)), false);
    const round = Array.from({ length: 80 }, (_, i) => [Math.cos((i * Math.PI) / 40), Math.sin((i * Math.PI) / 40)]);
    assert.equal(isSimpleRing(Float64Array.from([...round, round[0]].flat())), false);
  });
});
