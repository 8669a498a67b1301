import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { locateInPolygon } from '../rings/point-in-polygon.ts';
import { toShape, type GeometryFaultCode } from './to-shape.ts';
import { runs } from '../../../test/property-runs.ts';

const ring = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
  [0, 0],
];

function shapeOf(geometry: unknown) {
  const result = toShape(geometry);
  assert.ok(result.shape !== null, JSON.stringify(result));
  return result.shape;
}

describe('toShape', () => {
  it('lays out a point where it is, zero and heights included', () => {
    const shape = shapeOf({ type: 'Point', coordinates: [0, 0, 12] });
    assert.deepEqual([...shape.points], [0, 0]);
    assert.deepEqual(
      [shape.bbox, shape.inside],
      [
        [0, 0, 0, 0],
        [0, 0],
      ],
    );
  });

  it('takes the corners of the world', () => {
    for (const position of [
      [180, 90],
      [-180, -90],
    ])
      shapeOf({ type: 'Point', coordinates: position });
  });

  it('lays out lines, polygons and mixtures', () => {
    assert.deepEqual(
      shapeOf({
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
      }).inside,
      [3, 4],
    );
    const polygon = shapeOf({ type: 'Polygon', coordinates: [ring] });
    assert.equal(locateInPolygon(polygon.polygons[0] ?? [], ...polygon.inside), 'inside');
    const mixed = shapeOf({
      type: 'GeometryCollection',
      geometries: [
        {
          type: 'MultiPoint',
          coordinates: [
            [9, 9],
            [8, 8],
          ],
        },
        { type: 'Polygon', coordinates: [ring] },
      ],
    });
    assert.deepEqual([mixed.points.length, mixed.polygons.length, mixed.bbox], [4, 1, [0, 0, 9, 9]]);
  });

  it('takes the point inside the largest of several polygons', () => {
    const small = [
      [10, 10],
      [11, 10],
      [11, 11],
      [10, 10],
    ];
    const { inside } = shapeOf({ type: 'MultiPolygon', coordinates: [[small], [ring]] });
    assert.ok(inside[0] < 4 && inside[1] < 4);
  });

  it('passes over empty parts and lists the unusable members of a collection', () => {
    assert.equal(shapeOf({ type: 'MultiPolygon', coordinates: [[], [ring]] }).polygons.length, 1);
    const result = toShape({
      type: 'GeometryCollection',
      geometries: [null, { type: 'Point', coordinates: ['1', 2] }, { type: 'Point', coordinates: [1, 2] }],
    });
    assert.ok(result.shape !== null);
    assert.deepEqual(
      result.ignored.map(({ code }) => code),
      ['null', 'bad_position'],
    );
  });

  const faults: readonly (readonly [string, unknown, GeometryFaultCode, RegExp])[] = [
    ['null', null, 'null', /There is no geometry/],
    ['undefined', undefined, 'null', /There is no geometry/],
    ['a text', 'POINT(1 2)', 'not_an_object', /the text "POINT\(1 2\)"/],
    ['an unknown type', { type: 'Circle', coordinates: [1, 2] }, 'unknown_type', /"Circle".*wanted one of Point/],
    ['a type of Object.prototype', { type: 'constructor', coordinates: [] }, 'unknown_type', /wanted one of/],
    ['no coordinates', { type: 'Point' }, 'bad_position', /The coordinates of the Point are absent; wanted a list/],
    ['an empty point', { type: 'Point', coordinates: [] }, 'empty', /Point is empty/],
    ['an empty multi geometry', { type: 'MultiPolygon', coordinates: [[]] }, 'empty', /MultiPolygon is empty/],
    [
      'text for a number',
      { type: 'Point', coordinates: ['12.3', 4] },
      'bad_position',
      /the text "12.3" where a number was wanted for the longitude/,
    ],
    [
      'null for a number',
      { type: 'Point', coordinates: [1, null] },
      'bad_position',
      /null where a finite number was wanted for the latitude/,
    ],
    ['NaN', { type: 'Point', coordinates: [Number.NaN, 1] }, 'bad_position', /NaN where a finite number/],
    [
      'one bracket too many',
      { type: 'Point', coordinates: [[1, 2]] },
      'bad_position',
      /one level of brackets too many/,
    ],
    [
      'a latitude out of range',
      {
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 91],
        ],
      },
      'out_of_range',
      /Corner 2 of the line has the latitude 91, outside -90 to 90/,
    ],
    [
      'swapped coordinates out of range',
      { type: 'Point', coordinates: [0.5071, 101.4478] },
      'out_of_range',
      /look swapped/,
    ],
    ['metres', { type: 'Point', coordinates: [712_000, 9_200_000] }, 'out_of_range', /metres of a projected system/],
    ['a line of one position', { type: 'LineString', coordinates: [[1, 2]] }, 'short_line', /has 1 position; wanted 2/],
    [
      'an open ring',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ],
        ],
      },
      'open_ring',
      /The outline is open: it begins at \[0,0\] and ends at \[0,1\]/,
    ],
    [
      'a ring of three positions',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [0, 0],
          ],
        ],
      },
      'short_ring',
      /has 3 positions; wanted 4/,
    ],
    [
      'a ring of two places',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 0],
            [0, 0],
          ],
        ],
      },
      'short_ring',
      /fewer than 3 different corners/,
    ],
    [
      'a bow tie',
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [4, 4],
            [4, 0],
            [0, 4],
            [0, 0],
          ],
        ],
      },
      'crossing',
      /The outline crosses itself or another ring at longitude 2, latitude 2, near corner 3 of 4/,
    ],
    [
      'a faulty second polygon',
      {
        type: 'MultiPolygon',
        coordinates: [
          [ring],
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
      },
      'overlap',
      /The outline of part 2 runs twice/,
    ],
    ['a collection of nothing', { type: 'GeometryCollection', geometries: [] }, 'empty', /GeometryCollection is empty/],
    [
      'a collection with nothing usable',
      { type: 'GeometryCollection', geometries: [null] },
      'null',
      /no usable member. Member 1 has no geometry/,
    ],
  ];
  for (const [name, geometry, code, message] of faults) {
    it(`refuses ${name}`, () => {
      const result = toShape(geometry);
      assert.ok(result.shape === null);
      assert.equal(result.fault.code, code);
      assert.match(result.fault.message, message);
    });
  }

  it('names the place as a program finds it apart from the words, in which nothing of it stands', () => {
    const bow = [1, 4, 4, 1, 1].map((x, i) => [x, [1, 4, 1, 4, 1][i]]);
    const square = [0, 9, 9, 0, 0].map((x, i) => [x, [0, 0, 9, 9, 0][i]]);
    const far = [
      [0, 0],
      [95, 1],
      [1, 95],
      [0, 0],
    ];
    const collection = {
      type: 'GeometryCollection',
      geometries: [{ type: 'MultiPolygon', coordinates: [[square], [square, bow]] }],
    };
    for (const [geometry, where, words] of [
      [{ type: 'Polygon', coordinates: [bow] }, 'coordinates[0]', 'The outline crosses'],
      [{ type: 'Polygon', coordinates: [square, bow] }, 'coordinates[1]', 'Hole 1 crosses'],
      [
        { type: 'MultiPolygon', coordinates: [[square], [far]] },
        'coordinates[1][0][2]',
        'Corner 3 of the outline of part 2 has',
      ],
      [
        {
          type: 'MultiPoint',
          coordinates: [
            [0, 0],
            [0, 95],
          ],
        },
        'coordinates[1]',
        'Point 2 has',
      ],
      [{ type: 'MultiLineString', coordinates: [far] }, 'coordinates[0][2]', 'Corner 3 of line 1 has'],
      [{ type: 'Point', coordinates: [0, 95] }, 'coordinates', 'The point has'],
      [collection, 'geometries[0].coordinates[1][1]', 'no usable member. Hole 1 of part 2 of member 1 crosses'],
      [null, 'geometry', 'There is no geometry'],
    ] as const) {
      const result = toShape(geometry);
      assert.ok(result.shape === null);
      const { params, message } = result.fault;
      assert.equal(params['where'], where);
      assert.ok(message.includes(words), message);
      assert.doesNotMatch(message, /coordinates\[|geometries\[/);
    }
  });

  it('refuses collections nested without end instead of running out of stack', () => {
    let geometry: unknown = { type: 'Point', coordinates: [1, 2] };
    for (let i = 0; i < 5_000; i++) geometry = { type: 'GeometryCollection', geometries: [geometry] };
    const result = toShape(geometry);
    assert.equal(result.shape === null && result.fault.code, 'too_deep');
  });

  it('never throws, and changes nothing it was given', () => {
    const types = fc.constantFrom(
      'Point',
      'MultiPoint',
      'LineString',
      'MultiLineString',
      'Polygon',
      'MultiPolygon',
      'GeometryCollection',
      'x',
      null,
    );
    const number = fc.oneof(fc.double({ min: -200, max: 200 }), fc.constant('1'), fc.constant(null));
    const nested = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, number, fc.array(tie('value'), { maxLength: 5 })),
    })).value;
    fc.assert(
      fc.property(types, nested, (type, coordinates) => {
        const geometry = { type, coordinates, geometries: coordinates };
        const before = structuredClone(geometry);
        toShape(geometry);
        assert.deepEqual(geometry, before);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
