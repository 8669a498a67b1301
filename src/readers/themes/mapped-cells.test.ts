import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { pointShape } from '../../geo/shapes/shape.ts';
import { fillRows } from '../packs/layer/fill-rows.ts';
import { openMapped, outlineMapped, packBits, type MappedCells } from './mapped-cells.ts';

/** Cells of 0.01 degree from 10 E, 5 N, row by row from the south, `#` where the theme is mapped. */
function cellsOf(...rows: readonly string[]): MappedCells {
  const flags = Uint8Array.from(rows.join(''), (mark) => (mark === '#' ? 1 : 0));
  const mapped = flags.reduce((sum, flag) => sum + flag, 0);
  const [width, height] = [rows[0]?.length ?? 0, rows.length];
  return { cell: 0.01, west: 19_000, south: 9_500, width, height, cells: flags.length, mapped, bits: packBits(flags) };
}

describe('where a theme is mapped', () => {
  const half = openMapped(cellsOf('##..', '##..', '##..', '##..'));

  it('holds a circle of which 95 % is mapped, and none of which less is', () => {
    assert.equal(half.holdsAround(pointShape(10.01, 5.02), 500), true);
    assert.equal(half.holdsAround(pointShape(10.03, 5.02), 500), false);
    // The circle of 500 m reaches 90 m and 110 m over the edge of what is mapped: 4.5 and 6.0 % of its area.
    const metre = 1 / 111_320 / Math.cos((5 * Math.PI) / 180);
    assert.equal(half.holdsAround(pointShape(10.02 - 410 * metre, 5.02), 500), true);
    assert.equal(half.holdsAround(pointShape(10.02 - 390 * metre, 5.02), 500), false);
    assert.equal(half.holdsAround(pointShape(9.99, 5.02), 500), false);
  });

  it('is everywhere for data that vouches for its ground, nowhere where it was not measured or nothing is', () => {
    const at = pointShape(10.01, 5.02);
    assert.equal(openMapped('whole').holdsAround(at, 500), true);
    assert.equal(openMapped(null).holdsAround(at, 500), false);
    assert.equal(openMapped(cellsOf('....')).holdsAround(at, 500), false);
  });

  it('is drawn by the outline of its cells, within 2,000 positions however ragged it is', () => {
    assert.deepEqual(outlineMapped(cellsOf('.#', '.#')).coordinates.flat(1)[0].length > 3, true);
    const checks = Array.from({ length: 200 }, (_, row) => (row % 2 === 0 ? '#.' : '.#').repeat(100));
    const { cell, coordinates } = outlineMapped(cellsOf(...checks));
    assert.ok(coordinates.flat(2).length <= 2_000 && cell > 0.01, `${coordinates.flat(2).length} at ${cell}`);
  });

  it('survives being written down', () => {
    const rows = fc.integer({ min: 1, max: 30 }).chain((width) =>
      fc.array(fc.array(fc.constantFrom('#', '.'), { minLength: width, maxLength: width }), {
        minLength: 1,
        maxLength: 30,
      }),
    );
    fc.assert(
      fc.property(rows, (grid) => {
        const mapped = openMapped(cellsOf(...grid.map((row) => row.join(''))));
        for (const [y, row] of grid.entries())
          for (const [x, mark] of row.entries())
            assert.equal(mapped.holdsAround(pointShape(10.005 + x * 0.01, 5.005 + y * 0.01), 100), mark === '#');
      }),
    );
  });
});

describe('cells that polygons touch', () => {
  const grid = { cell: 1, west: 180, south: 90, width: 4, height: 3 };
  it('are those of a box along the lines of the grid, and those with a part of a polygon in them', () => {
    const box = [[Float64Array.of(1, 1, 3, 1, 3, 2, 1, 2, 1, 1)]];
    assert.deepEqual([...fillRows(box, grid)], [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    const triangle = [[Float64Array.of(0.5, 0.5, 2.5, 0.5, 0.5, 2.9, 0.5, 0.5)]];
    assert.deepEqual([...fillRows(triangle, grid)], [1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0]);
  });

  it('are not those of a hole', () => {
    const ring = [[Float64Array.of(0, 0, 3, 0, 3, 3, 0, 3, 0, 0), Float64Array.of(1, 1, 2, 1, 2, 2, 1, 2, 1, 1)]];
    assert.deepEqual([...fillRows(ring, grid)], [1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0]);
  });
});
