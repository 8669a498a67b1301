import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { blockOf, codeScene } from '../../../../test/oracles/tiff/code-scene.ts';
import { windowOfGrid } from '../../../geo/segmentation/code-window.ts';
import { blockWindow } from './block-window.ts';
import type { CodeBlocks } from '../cog/code-blocks.ts';

const { signal } = new AbortController();
const WIDTH = 530;
const HEIGHT = 300;
const codes = codeScene(WIDTH, HEIGHT, 7, (x) => x < 256);
const grid = { width: WIDTH, height: HEIGHT, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' } as const;
const cut = [0, 1].map((by) => [0, 1, 2].map((bx) => blockOf(codes, WIDTH, bx, by)));

function blocksOf(onRead: (bx: number, by: number) => void = () => {}): CodeBlocks {
  const block: CodeBlocks['block'] = async (bx, by) => {
    onRead(bx, by);
    return cut[by][bx];
  };
  return { id: 'scene', width: WIDTH, height: HEIGHT, block };
}

/** Blocks whose memory is overwritten as soon as it was used; one without data is null. */
function reused(): CodeBlocks {
  const memory = new Int8Array(256 * 256 * 64);
  const use: CodeBlocks['use'] = async (bx, by, _, take) => {
    const block = cut[by][bx];
    if (block === null) return take(null);
    memory.set(block);
    const taken = take(memory);
    memory.fill(99);
    return taken;
  };
  return { ...blocksOf(), use };
}

test('a window is the part of the raster it names, wherever it lies', async () => {
  const place = fc.record({
    x0: fc.integer({ min: -300, max: 700 }),
    y0: fc.integer({ min: -300, max: 500 }),
    width: fc.integer({ min: 1, max: 400 }),
    height: fc.integer({ min: 1, max: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(place, async ({ x0, y0, width, height }) => {
      for (const blocks of [blocksOf(), reused()]) {
        const got = await blockWindow(blocks, x0, y0, width, height, signal);
        const wanted = windowOfGrid(grid, x0, y0, width, height);
        assert.deepEqual([got.width, got.height], [width, height]);
        const [a, b] = [new Int8Array(width * 64), new Int8Array(width * 64)];
        for (let y = 0; y < height; y++) {
          got.copyRow(y, a);
          wanted.copyRow(y, b);
          assert.equal(Buffer.compare(Buffer.from(a.buffer), Buffer.from(b.buffer)), 0, `row ${y}`);
        }
        // The next window may have its memory, with what is in it.
        got.release?.();
      }
    }),
    { numRuns: 60 },
  );
});

test('only the blocks it touches are read, each once', async () => {
  const read: string[] = [];
  const blocks = blocksOf((bx, by) => read.push(`${bx} ${by}`));
  await blockWindow(blocks, 250, 200, 10, 56, signal);
  assert.deepEqual(read, ['0 0', '1 0']);
  await blockWindow(blocks, -50, -50, 40, 40, signal);
  assert.equal(read.length, 2);
});

test('a block that cannot be read fails the window', async () => {
  const block: CodeBlocks['block'] = async (bx) => (bx === 1 ? Promise.reject(new Error('the line is cut')) : null);
  await assert.rejects(blockWindow({ ...blocksOf(), block }, 0, 0, 500, 10, signal), /the line is cut/);
});
