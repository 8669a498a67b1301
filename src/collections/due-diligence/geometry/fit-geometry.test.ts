import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { openOverlay, type Overlay } from '../../../locations/plots/geos.ts';
import { polygonWithHoles } from '../../../../test/polygon-with-holes.ts';
import { isFit } from '../finding.ts';
import { fitGeometry } from './fit-geometry.ts';
import { gridFault, SNAPS, STEPS, type GridRing } from './snap-rings.ts';
import { runs } from '../../../../test/property-runs.ts';

let tools: Overlay;
before(async () => {
  tools = await openOverlay();
});
const fit = (geometry: unknown) => fitGeometry(geometry, tools);
const rulesOf = (geometry: unknown) =>
  fit(geometry).findings.map(({ rule, fixed }) => (fixed ? `${rule} fixed` : rule));
const polygon = (...rings: (readonly number[])[][]) => ({ type: 'Polygon', coordinates: rings });
const SQUARE = [
  [1, 1],
  [1.01, 1],
  [1.01, 1.01],
  [1, 1.01],
  [1, 1],
];

describe('fitting geometries to the EU information system', () => {
  it('leaves what is fit as it is', () => {
    const { members, findings, areaHa } = fit(polygon(SQUARE));
    assert.deepEqual(members, [{ type: 'Polygon', coordinates: [SQUARE] }]);
    assert.deepEqual(findings, []);
    assert.ok(Math.abs(areaHa! - 123) < 1);
    assert.deepEqual(fit({ type: 'Point', coordinates: [0, 0] }).members, [{ type: 'Point', coordinates: [0, 0] }]);
  });

  it('turns exteriors counter-clockwise and drops heights', () => {
    const clockwise = SQUARE.toReversed().map(([lon, lat]) => [lon, lat, 120]);
    const [member] = fit(polygon(clockwise)).members;
    assert.deepEqual(member, { type: 'Polygon', coordinates: [SQUARE] });
  });

  it('brings coordinates to 6 decimals and leaves out what repeats then', () => {
    const ring = [
      [1, 1],
      [1.0000001, 1],
      [1.01, 1.00000049],
      [1.01, 1.01],
      [1, 1.01],
      [1, 1],
    ];
    const { members, findings } = fit(polygon(ring));
    assert.deepEqual(members, [{ type: 'Polygon', coordinates: [SQUARE] }]);
    assert.deepEqual(
      findings.map(({ rule, fixed }) => [rule, fixed]),
      [
        ['repeated-positions', true],
        ['snapped', true],
      ],
    );
  });

  it('closes open rings', () => {
    assert.deepEqual(rulesOf(polygon(SQUARE.slice(0, -1))), ['open-polygon fixed']);
  });

  it('names the official error of what cannot be put right', () => {
    const bowTie = [
      [1, 1],
      [1.01, 1.01],
      [1.01, 1],
      [1, 1.01],
      [1, 1],
    ];
    assert.deepEqual(rulesOf(polygon(bowTie)), ['crossing-lines']);
    assert.deepEqual(
      rulesOf(
        polygon([
          [1, 1],
          [1.01, 1.01],
          [1.02, 1.02],
          [1, 1],
        ]),
      ),
      ['straight-line'],
    );
    assert.deepEqual(
      rulesOf(
        polygon([
          [1, 1],
          [1.0000001, 1],
          [1, 1.0000001],
          [1, 1],
        ]),
      ),
      ['repeated-positions'],
    );
    assert.deepEqual(rulesOf({ type: 'LineString', coordinates: SQUARE }), ['unsupported-type']);
    assert.deepEqual(rulesOf({ type: 'Point', coordinates: [1, 95] }), ['out-of-range']);
    assert.deepEqual(rulesOf({ type: 'Point', coordinates: ['1', '2'] }), ['unreadable-coordinates']);
    assert.deepEqual(rulesOf(null), ['no-geometry']);
  });

  it('takes the position of a point out of a list', () => {
    const { members, findings } = fit({ type: 'Point', coordinates: [[1.5, 2.5]] });
    assert.deepEqual(members, [{ type: 'Point', coordinates: [1.5, 2.5] }]);
    assert.ok(isFit(findings));
  });

  it('cuts a small crossing apart and keeps nearly all of the area', () => {
    const ring = [
      [1, 1],
      [1.01, 1],
      [1.01, 1.01],
      [1.00001, 1.01],
      [1, 1.01001],
      [1.00001, 1.01001],
      [1, 1.01],
      [1, 1],
    ];
    const { members, findings } = fit(polygon(ring));
    assert.ok(members.length > 0 && isFit(findings));
    assert.deepEqual([...new Set(findings.map(({ rule }) => rule))].slice(0, 1), ['crossing-lines']);
  });

  it('keeps a MultiPolygon whose parts lie apart, and separates one whose parts may share a side', () => {
    const shifted = (by: number) => [SQUARE.map(([lon, lat]) => [lon + by, lat])];
    assert.deepEqual(
      fit({ type: 'MultiPolygon', coordinates: [shifted(0), shifted(0.5)] }).members.map(({ type }) => type),
      ['MultiPolygon'],
    );
    const touching = fit({ type: 'MultiPolygon', coordinates: [shifted(0), shifted(0.01)] });
    assert.deepEqual(
      touching.members.map(({ type }) => type),
      ['Polygon', 'Polygon'],
    );
    assert.deepEqual(rulesOf({ type: 'MultiPolygon', coordinates: [shifted(0), shifted(0.005)] }), [
      'parts-overlap',
      'parts-separated fixed',
    ]);
  });

  it('exports what is fit of a collection and names what is not', () => {
    const geometries = [
      { type: 'Point', coordinates: [1, 2] },
      { type: 'LineString', coordinates: SQUARE },
      polygon(SQUARE),
    ];
    const { members, findings } = fit({ type: 'GeometryCollection', geometries });
    assert.deepEqual(
      members.map(({ type }) => type),
      ['Polygon'],
    );
    assert.deepEqual(
      findings.map(({ rule }) => rule),
      ['part-left-out', 'points-left-out'],
    );
    assert.match(findings.map(({ detail }) => detail).join(' '), /A point next to the outlines was left out/);
    assert.ok(isFit(findings));
    const points = [geometries[0], { type: 'MultiPoint', coordinates: [[3, 4]] }];
    assert.equal(fit({ type: 'GeometryCollection', geometries: points }).members.length, 2);
  });

  it('gives valid polygons without holes whatever polygon comes, also where a reader cuts decimals off', () => {
    const jitter = fc.array(fc.double({ min: -4e-7, max: 4e-7, noNaN: true }), { minLength: 50, maxLength: 50 });
    fc.assert(
      fc.property(polygonWithHoles(), jitter, (rings, shifts) => {
        let next = 0;
        const moved = rings.map((ring) => {
          const open = ring.slice(0, -1).map((at) => at.map((value) => value + shifts[next++ % shifts.length]!));
          return [...open, open[0]!];
        });
        const { members, findings } = fit(polygon(...moved));
        if (!isFit(findings)) return;
        assert.ok(members.length > 0);
        for (const member of members) {
          const exteriors = (member.type === 'Polygon' ? [member.coordinates] : member.coordinates) as GridRing[][];
          for (const part of exteriors) {
            assert.equal(part.length, 1);
            assert.equal(gridFault(part), null);
            for (const value of part.flat(2)) {
              assert.equal(SNAPS.truncate(value), value);
              assert.equal(Math.round(value * STEPS) / STEPS, value);
            }
          }
        }
      }),
      { numRuns: runs(300), seed: 9 },
    );
  });

  it('never throws, whatever comes', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(1, 1.000001, 1.5, 200, -0));
    const nested = fc.letrec((tie) => ({
      list: fc.oneof({ maxDepth: 5 }, number, fc.anything(), fc.array(tie('list'), { maxLength: 6 })),
    })).list;
    const type = fc.constantFrom(
      'Point',
      'MultiPoint',
      'Polygon',
      'MultiPolygon',
      'GeometryCollection',
      'LineString',
      7,
    );
    const geometry = fc.oneof(fc.anything(), fc.record({ type, coordinates: nested, geometries: nested }));
    fc.assert(
      fc.property(geometry, (value) => {
        const { members, findings } = fit(value);
        assert.ok(members.length > 0 || findings.length > 0);
      }),
      { numRuns: runs(2000), seed: 10 },
    );
  });
});
