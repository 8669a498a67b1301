import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { indexLabels } from './label-index.ts';
import type { LabelLayer } from './open-label-store.ts';
import type { CellBox } from './store-document.ts';

/** A layer of two shards of four chunks each. */
function indexed(boxes: readonly CellBox[], sides: Partial<LabelLayer['entry']> = {}) {
  const entry = { path: '2024/a', chunk: 256, shard: 512, width: 1024, height: 512, ...sides };
  return indexLabels([{ entry } as LabelLayer], [boxes]).tiles.map(({ column, chunks }) => [column, [...chunks]]);
}

describe('the index of what was built of a label store', () => {
  it('holds the chunks that a box touches', () => {
    assert.deepEqual(indexed([[300, 0, 300, 10]]), [
      [0, [0, 1, 0, 0]],
      [1, [1, 0, 0, 0]],
    ]);
    assert.deepEqual(indexed([[0, 0, 0, 0]]), []);
  });

  it('leaves out what a document says beyond its arrays, however far that is', () => {
    const far = 2 ** 50;
    assert.deepEqual(indexed([[-far, -far, 2 * far, 2 * far]]), [
      [0, [1, 1, 1, 1]],
      [1, [1, 1, 1, 1]],
    ]);
    assert.deepEqual(indexed([[far, far, 10, 10]]), []);
  });

  it('is refused for a document that says to hold more than can be', () => {
    const side = 2 ** 31;
    assert.throws(
      () => indexed([[0, 0, side, side]], { width: side, height: side }),
      /2024\/a: wanted coverage of at most/,
    );
  });
});
