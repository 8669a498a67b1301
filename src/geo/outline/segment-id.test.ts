import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeOnLattice } from './lattice.ts';
import type { Rings } from './rings.ts';
import { segmentId } from './segment-id.ts';
import { ringsOf, traceLabels } from './trace-labels.ts';

const PIXEL = 8.983111749910169e-5;
const ORIGIN = { year: 2024, algorithm: 'aef-watershed/1' };
const PICTURE = ['0110000', '0111110', '0101110', '0110110', '0011111', '0001100'];

/** The picture's one segment as it is traced in a window that begins `dx` columns and `dy` rows before it. */
function inWindow(dx: number, dy: number, transform: readonly number[], crs: string, picture = PICTURE) {
  const width = picture[0].length + dx + 2;
  const height = picture.length + dy + 3;
  const labels = new Int32Array(width * height);
  for (const [y, line] of picture.entries()) {
    for (const [x, cell] of [...line].entries()) labels[(y + dy) * width + x + dx] = cell === '1' ? 9 : 0;
  }
  const [a, , c, , e, f] = transform;
  const { lattice, column, row } = placeOnLattice([a, 0, c - dx * a, 0, e, f - dy * e], crs);
  return { lattice, corners: ringsOf(traceLabels({ width, height, labels }), 0, column, row) };
}

const RASTERS = [
  [[20, 0, 500_010, 0, -20, 4_900_010], 'EPSG:32615'],
  [[10, 0, 166_020, 0, -10, 50], 'EPSG:32701'],
  [[PIXEL, 0, -180 + 1_234_567 * PIXEL, 0, -PIXEL, 83.68570533713473 - 765_432 * PIXEL], 'EPSG:4326'],
] as const;

describe('the id of a segment', () => {
  for (const [transform, crs] of RASTERS) {
    it(`is the same from every window of a raster in ${crs}`, () => {
      const ids = new Set<string>();
      for (const [dx, dy] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [17, 5],
        [333, 250],
      ]) {
        const { lattice, corners } = inWindow(dx, dy, transform, crs);
        ids.add(segmentId(corners, lattice, ORIGIN));
      }
      assert.equal(ids.size, 1, [...ids].join(' '));
    });
  }

  it('does not depend on where rings start or on the order of holes', () => {
    const { lattice, corners } = inWindow(0, 0, ...RASTERS[0]);
    const turned = turn(corners);
    assert.notDeepEqual(turned.coords, corners.coords);
    assert.equal(segmentId(turned, lattice, ORIGIN), segmentId(corners, lattice, ORIGIN));
  });

  it('is another for one more cell, a neighbouring place, another raster, year or algorithm', () => {
    const [transform, crs] = RASTERS[0];
    const { lattice, corners } = inWindow(0, 0, transform, crs);
    const more = inWindow(0, 0, transform, crs, PICTURE.with(5, '0001110'));
    const moved = { coords: corners.coords.map((value) => value + 1), starts: corners.starts };
    const others = [
      segmentId(corners, lattice, ORIGIN),
      segmentId(more.corners, more.lattice, ORIGIN),
      segmentId(moved, lattice, ORIGIN),
      segmentId(corners, { ...lattice, crs: 'EPSG:32616' }, ORIGIN),
      segmentId(corners, { ...lattice, originX: 0 }, ORIGIN),
      segmentId(corners, { ...lattice, cellWidth: 10 }, ORIGIN),
      segmentId(corners, lattice, { ...ORIGIN, year: 2023 }),
      segmentId(corners, lattice, { ...ORIGIN, algorithm: 'aef-watershed/2' }),
    ];
    assert.equal(new Set(others).size, others.length);
  });

  it('is short and plain', () => {
    const { lattice, corners } = inWindow(0, 0, ...RASTERS[0]);
    assert.match(segmentId(corners, lattice, ORIGIN), /^seg_[0-9a-z]{16}$/);
  });
});

/** Every ring begun one corner later, holes in reverse order. */
function turn({ coords, starts }: Rings<Int32Array>): Rings<Int32Array> {
  const rings = Array.from({ length: starts.length - 1 }, (_, r) => {
    const ring = [...coords.subarray(2 * starts[r], 2 * starts[r + 1])];
    return [...ring.slice(2), ...ring.slice(0, 2)];
  });
  const [exterior, ...holes] = rings;
  const ordered = [exterior, ...holes.toReversed()];
  const ends = ordered.map((_, r) => ordered.slice(0, r + 1).flat().length / 2);
  return { coords: Int32Array.from(ordered.flat()), starts: Int32Array.of(0, ...ends) };
}
