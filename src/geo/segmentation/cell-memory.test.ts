import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.ts';
import { type CellMemory, createCellMemory } from './cell-memory.ts';
import { type CodeSource, windowOfGrid } from './code-window.ts';
import { cutSegment, findSegment } from './find-segment.ts';
import { forestGate } from './forest-gate.ts';
import { BANDS, type Grid, NODATA } from './grid.ts';

/** Stands of 20 m to some 200 m with noise, and pixels without data; squares of 64 cells meet in it, on both sides of 0. */
function createGrid(seed: number): Grid {
  const [width, height] = [220, 180];
  const random = seededRandom(seed);
  const vectors = Array.from({ length: 12 }, () =>
    Array.from({ length: BANDS }, () => Math.round(120 * (random() - 0.5))),
  );
  const centres = Array.from({ length: 60 }, (_, i) => [random() * width, random() * height, i % 12] as const);
  const codes = new Int8Array(width * height * BANDS);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let [least, kind] = [Infinity, 0];
      for (const [cx, cy, of] of centres) {
        const distance = (x - cx) ** 2 + (y - cy) ** 2;
        if (distance < least) [least, kind] = [distance, of];
      }
      const at = (y * width + x) * BANDS;
      for (let band = 0; band < BANDS; band++) codes[at + band] = vectors[kind][band] + Math.floor(8 * random());
      if (random() < 0.002) codes.fill(NODATA, at, at + BANDS);
    }
  return { width, height, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
}

/** The grid from 100 pixels left of and above the source's first one, so that cells have columns and rows below 0. */
function sourceOf(grid: Grid, memory: CellMemory | null, version = '1') {
  let reads = 0;
  const source: CodeSource = {
    phase: { x: 1, y: 0 },
    async window(x0, y0, width, height) {
      reads++;
      return windowOfGrid(grid, x0 + 100, y0 + 100, width, height);
    },
    ...(memory !== null && { cells: async () => memory.of(`grid ${version}`) }),
  };
  return { source, reads: () => reads };
}

const SIDES = [12, 18, 27, 40, 60];
const options = { sides: SIDES };
const place = (random: () => number): [number, number] => [
  Math.floor(random() * 220) - 100,
  Math.floor(random() * 180) - 100,
];

describe('a memory of cells', () => {
  for (const [name, bytes] of [
    ['with room for all', 1e9],
    ['with room for two squares', 110_000],
  ] as const)
    it(`changes no segment and no probability, to the bit, ${name}`, async () => {
      const grid = createGrid(5);
      const memory = createCellMemory(bytes);
      const plain = sourceOf(grid, null).source;
      const { source } = sourceOf(grid, memory);
      const random = seededRandom(6);
      let known = 0;
      for (let i = 0; i < 150; i++) {
        const [x, y] = place(random);
        const wanted = await findSegment(plain, x, y, options);
        const found = await cutSegment(source, x, y, options);
        if (wanted === null) {
          assert.equal(found, null);
          continue;
        }
        const { codes: _, ...cut } = wanted;
        assert.deepEqual(found, cut);
        const mean = memory.of('grid 1').meanProbability(cut);
        if (mean !== null) known++;
        assert.equal(mean ?? forestGate(wanted).probability, forestGate(wanted).probability);
      }
      assert.ok(known > 20, `the memory knew ${known} segments`);
    });

  it('reads nothing for a lookup that is made again', async () => {
    const memory = createCellMemory(1e9);
    const { source, reads } = sourceOf(createGrid(5), memory);
    const found = await cutSegment(source, 20, 10, options);
    const before = reads();
    assert.ok(before > 0);
    assert.deepEqual(await cutSegment(source, 20, 10, options), found);
    assert.equal(reads(), before);
    assert.ok(found !== null);
    assert.notEqual(memory.of('grid 1').meanProbability(found), null);
  });

  it('never gives cells of other bytes', async () => {
    const memory = createCellMemory(1e9);
    const [one, other] = [createGrid(5), createGrid(9)];
    await cutSegment(sourceOf(one, memory).source, 20, 10, options);
    const { codes: _, ...wanted } = (await findSegment(sourceOf(other, null).source, 20, 10, options))!;
    assert.deepEqual(await cutSegment(sourceOf(other, memory, '2').source, 20, 10, options), wanted);
  });

  it('does not know a segment of which it misses a cell', async () => {
    const memory = createCellMemory(1e9);
    const found = await cutSegment(sourceOf(createGrid(5), memory).source, 20, 10, options);
    assert.ok(found !== null);
    const moved = { ...found, column: found.column + 500 };
    assert.equal(memory.of('grid 1').meanProbability(moved), null);
  });
});
