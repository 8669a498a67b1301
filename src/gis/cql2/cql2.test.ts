import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { Geometry } from '../../geo/geometry.ts';
import { anyCharacter } from '../../../test/any-character.ts';
import { runs } from '../../../test/property-runs.ts';
import { selects } from './evaluate.ts';
import { Cql2Error } from './expression.ts';
import { parseCql2Text } from './parse-text.ts';
import { readExpression } from './read-expression.ts';

const PLOT = {
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [102, 4],
        [103, 4],
        [103, 5],
        [102, 5],
        [102, 4],
      ],
    ],
  } as Geometry,
  properties: {
    name: "Siti's plot 100%",
    area_ha: 3.5,
    country_code: 'MY',
    checked: true,
    since: '2021-05-01',
    missing: null,
    'odd name': 'x',
  },
};

const holds = (text: string): boolean => selects(parseCql2Text(text, null), PLOT);

describe('CQL2 text', () => {
  for (const [text, expected] of [
    ['area_ha > 3', true],
    ['area_ha >= 3.5 AND area_ha<=3.5', true],
    ['area_ha <> 3.5', false],
    ['3 < area_ha', true],
    ["country_code = 'MY' AND NOT area_ha < 1", true],
    ["country_code = 'ID' OR area_ha = 1 OR checked = true", true],
    ["country_code = 'ID' or area_ha = 3.5 and checked = false", false],
    ["(country_code = 'ID' OR area_ha = 3.5) AND checked = true", true],
    ["name LIKE 'Siti''s%'", true],
    ["name LIKE '%100\\%'", true],
    ["name LIKE '%100_'", true],
    ["name LIKE 'siti%'", false],
    ["CASEI(name) LIKE CASEI('SITI%')", true],
    ["name NOT LIKE '%x%'", true],
    ['area_ha BETWEEN 3 AND 4', true],
    ['area_ha NOT BETWEEN 3 AND 4', false],
    ["country_code IN ('ID', 'MY')", true],
    ["country_code NOT IN ('ID','GH')", true],
    ['missing IS NULL', true],
    ['nowhere IS NULL', true],
    ['area_ha IS NOT NULL', true],
    ["since > DATE('2020-12-31')", true],
    ["since < TIMESTAMP('2020-12-31T00:00:00Z')", false],
    ['"odd name" = \'x\'', true],
    ['S_INTERSECTS(geometry, BBOX(102.5, 4.5, 104, 6))', true],
    ['S_INTERSECTS(geometry, BBOX(104, 4.5, 105, 6))', false],
    // Over the antimeridian, all the way round but for the plot's own neighbourhood.
    ['S_INTERSECTS(geometry, BBOX(104, 4.5, 102.5, 6))', true],
    ['S_INTERSECTS(geometry, POINT(102.5 4.5))', true],
    ['S_INTERSECTS(geometry, POINT(103 5))', true],
    ['S_INTERSECTS(geometry, LINESTRING(101 4.2, 104 4.2))', true],
    ['S_INTERSECTS(geometry, POLYGON((0 0, 170 0, 170 10, 0 10, 0 0), (101 3, 104 3, 104 6, 101 6, 101 3)))', false],
    ['TRUE', true],
    ['NOT FALSE', true],
    // What is unknown is not selected, and neither is its opposite.
    ['missing = 1', false],
    ['NOT missing = 1', false],
    ["area_ha = '3.5'", false],
    ['missing = 1 OR TRUE', true],
    ['missing IN (1, 2) AND TRUE', false],
  ] as const)
    it(`${text} is ${expected}`, () => assert.equal(holds(text), expected));

  it('gives the same tree as CQL2 JSON', () => {
    const text =
      "area_ha > 3 AND (NOT name LIKE 'a%' OR country_code IN ('MY')) AND S_INTERSECTS(geometry, BBOX(1,2,3,4))";
    const json = {
      op: 'and',
      args: [
        { op: '>', args: [{ property: 'area_ha' }, 3] },
        {
          op: 'or',
          args: [
            { op: 'not', args: [{ op: 'like', args: [{ property: 'name' }, 'a%'] }] },
            { op: 'in', args: [{ property: 'country_code' }, ['MY']] },
          ],
        },
        { op: 's_intersects', args: [{ property: 'geometry' }, { bbox: [1, 2, 3, 4] }] },
      ],
    };
    assert.deepEqual(parseCql2Text(text, null), readExpression(json, null));
  });

  for (const [text, message] of [
    ['area_ha >', /wanted a property or a value at character 10, got "the end"/],
    ['arae_ha > 3', /there is no property "arae_ha"; did you mean area_ha\?/],
    ["name = 'open", /wanted CQL2 at character 8/],
    ['area_ha > 3 area_ha', /wanted the end of the filter at character 13/],
    ['area_ha', /wanted a comparison at character 8/],
    ["name = 'x'; DROP TABLE users", /wanted CQL2 at character 11, got "; DROP TABLE users"/],
    ['S_TOUCHES(geometry, POINT(1 2))', /wanted S_INTERSECTS at character 1/],
    ['S_INTERSECTS(area_ha, POINT(1 2))', /wanted the property geometry/],
    ['S_INTERSECTS(geometry, POINT(200 2))', /wanted a geometry in degrees/],
    ['S_INTERSECTS(geometry, BBOX(1,2,3))', /wanted west, south, east, north/],
    ["since > DATE('2021-13-45')", /wanted a day such as/],
    [`name LIKE '${'%a'.repeat(200)}'`, /a pattern of at most 256 characters, got 400/],
    ['name LIKE area_ha', /wanted a text as the pattern/],
    [`${'('.repeat(40)}TRUE${')'.repeat(40)}`, /at most 24 levels/],
    ['NOT '.repeat(60) + 'TRUE', /at most 24 levels/],
    [Array.from({ length: 300 }, () => 'area_ha=1').join(' OR '), /at most 500 parts/],
    ['x'.repeat(9_000), /at most 8192 characters/],
  ] as const)
    it(`refuses ${text.slice(0, 40)}`, () => {
      const names = new Set([...Object.keys(PLOT.properties), 'geometry']);
      assert.throws(() => parseCql2Text(text, names), { name: 'Cql2Error', message });
    });

  it('answers or refuses whatever it is given, and nothing else', () => {
    const words =
      "AND OR NOT ( ) , = <> < 'a%' \"q\" 1 -2.5e3 area_ha LIKE IN BETWEEN IS NULL TRUE CASEI DATE '2020-01-01' S_INTERSECTS geometry BBOX POINT";
    const word = fc.constantFrom(...words.split(' '));
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, (filter) => {
        try {
          assert.equal(typeof holds(filter), 'boolean');
        } catch (error) {
          assert.ok(error instanceof Cql2Error, `${filter}: ${String(error)}`);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('answers or refuses whatever JSON it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), jsonFilter()), (filter) => {
        try {
          assert.equal(typeof selects(readExpression(filter, null), PLOT), 'boolean');
        } catch (error) {
          assert.ok(error instanceof Cql2Error, `${JSON.stringify(filter)}: ${String(error)}`);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('matches a pattern of many wildcards in bounded time', () => {
    const filter = parseCql2Text(`name LIKE '${'%a'.repeat(120)}%b'`, null);
    assert.equal(selects(filter, { geometry: null, properties: { name: 'a'.repeat(5_000) } }), false);
  });
});

function jsonFilter(): fc.Arbitrary<unknown> {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(fc.integer(), fc.string(), fc.record({ property: fc.constantFrom('area_ha', 'name', 'geometry') })),
      fc.record({
        op: fc.constantFrom('and', 'or', 'not', '=', '<', 'like', 'in', 'between', 'isNull', 's_intersects', 'casei'),
        args: fc.array(tie('tree'), { maxLength: 3 }),
      }),
      fc.record({ bbox: fc.array(fc.double(), { maxLength: 5 }) }),
    ),
  }));
  return tree;
}
