import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runs } from '../../../test/property-runs.ts';
import { seededRandom } from '../seeded-random.ts';
import { labelArcs, type LabelArc } from './label-arcs.ts';

const NONE = -9;

describe('the arcs between labels', () => {
  it('run from one end of a border to the other', () => {
    const arcs = labelArcs({ width: 3, height: 2, labels: Int16Array.of(1, 1, 2, 1, 1, 2) }, NONE);
    assert.deepEqual(arcs, [{ corners: Int32Array.of(2, 0, 2, 2), isClosed: false }]);
  });

  it('go round an island without a corner too many', () => {
    const labels = Int16Array.of(1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1);
    const [arc, ...more] = labelArcs({ width: 4, height: 3, labels }, NONE);
    assert.deepEqual(more, []);
    assert.equal(arc!.isClosed, true);
    assert.equal(arc!.corners.length / 2, 4);
  });

  it('end where three labels meet', () => {
    const arcs = labelArcs({ width: 2, height: 2, labels: Int16Array.of(1, 2, 3, 3) }, NONE);
    assert.deepEqual(
      arcs.map(({ corners }) => [...corners]),
      [
        [1, 0, 1, 1],
        [0, 1, 1, 1],
        [1, 1, 2, 1],
      ],
    );
  });

  it('hold every edge between cells of different labels once, and no other', () => {
    const random = seededRandom(5);
    for (let run = 0; run < runs(300); run++) {
      const width = 1 + Math.floor(random() * 8);
      const height = 1 + Math.floor(random() * 8);
      const labels = Int16Array.from({ length: width * height }, () =>
        random() < 0.1 ? NONE : Math.floor(random() * 3),
      );
      const wanted: string[] = [];
      const at = (column: number, row: number): number => labels[row * width + column]!;
      const differ = (a: number, b: number): boolean => a !== b && a !== NONE && b !== NONE;
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          if (column > 0 && differ(at(column - 1, row), at(column, row))) wanted.push(`${column} ${row} down`);
          if (row > 0 && differ(at(column, row - 1), at(column, row))) wanted.push(`${column} ${row} right`);
        }
      const found = labelArcs({ width, height, labels }, NONE).flatMap(edgesOf);
      assert.deepEqual(found.toSorted(), wanted.toSorted());
    }
  });
});

/** Each edge of a cell that an arc runs along, named by its upper or left corner. */
function edgesOf({ corners, isClosed }: LabelArc): string[] {
  const count = corners.length / 2;
  const edges: string[] = [];
  for (let v = 0; v < (isClosed ? count : count - 1); v++) {
    const next = (v + 1) % count;
    let [x, y] = [corners[2 * v]!, corners[2 * v + 1]!];
    const [dx, dy] = [Math.sign(corners[2 * next]! - x), Math.sign(corners[2 * next + 1]! - y)];
    assert.equal(Math.abs(dx) + Math.abs(dy), 1);
    while (x !== corners[2 * next] || y !== corners[2 * next + 1]) {
      edges.push(dy === 0 ? `${Math.min(x, x + dx)} ${y} right` : `${x} ${Math.min(y, y + dy)} down`);
      x += dx;
      y += dy;
    }
  }
  return edges;
}
