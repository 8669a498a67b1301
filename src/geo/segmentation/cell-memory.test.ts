import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '../seeded-random.ts';
import { type CellMemory, type CellStore, createCellMemory } from './cell-memory.ts';
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
    ...(memory !== null && {
      async cells(x0, y0, width, height) {
        const known = memory.of(`grid ${version}`);
        await known.load({ column: (x0 - 1) / 2, row: y0 / 2, width: width / 2, height: height / 2 });
        return known;
      },
    }),
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

  /** Keeps copies, as a disk does. */
  function createStore(): CellStore & { readonly entries: Map<string, Uint8Array> } {
    const entries = new Map<string, Uint8Array>();
    return {
      entries,
      get: async (key, length) => {
        const bytes = entries.get(key);
        return bytes?.length === length ? bytes : null;
      },
      // It reads what it is given later, as a disk does that has other things to write first.
      async put(key, bytes) {
        await setImmediate();
        entries.set(key, bytes.slice());
      },
    };
  }

  it('finds in its store, after a restart, what was saved, and reads nothing', async () => {
    const [grid, store] = [createGrid(5), createStore()];
    const first = createCellMemory(1e9, store);
    const { source } = sourceOf(grid, first);
    const found = await cutSegment(source, 20, 10, options);
    assert.ok(found !== null);
    assert.equal(store.entries.size, 0);
    await first.save();
    assert.ok(store.entries.size > 1);
    const later = createCellMemory(1e9, store);
    const again = sourceOf(grid, later);
    assert.deepEqual(await cutSegment(again.source, 20, 10, options), found);
    assert.equal(again.reads(), 0);
    const mean = later.of('grid 1').meanProbability(found);
    assert.ok(mean !== null);
    assert.equal(mean, first.of('grid 1').meanProbability(found));
  });

  it('finds in its store nothing of other bytes, and nothing of another length', async () => {
    const [one, other, store] = [createGrid(5), createGrid(9), createStore()];
    const first = createCellMemory(1e9, store);
    await cutSegment(sourceOf(one, first).source, 20, 10, options);
    await first.save();
    const { codes: _, ...wanted } = (await findSegment(sourceOf(other, null).source, 20, 10, options))!;
    const later = createCellMemory(1e9, store);
    assert.deepEqual(await cutSegment(sourceOf(other, later, '2').source, 20, 10, options), wanted);
    for (const key of store.entries.keys()) store.entries.set(key, new Uint8Array(7));
    const short = sourceOf(one, createCellMemory(1e9, store));
    await cutSegment(short.source, 20, 10, options);
    assert.ok(short.reads() > 0);
  });

  it('changes no segment where processes with little room share a store', async () => {
    const [grid, store] = [createGrid(5), createStore()];
    const memories = [110_000, 220_000, 1e9].map((bytes) => createCellMemory(bytes, store));
    const plain = sourceOf(grid, null).source;
    const random = seededRandom(8);
    for (let i = 0; i < 90; i++) {
      const [x, y] = place(random);
      const memory = memories[i % 3];
      const wanted = await findSegment(plain, x, y, options);
      const found = await cutSegment(sourceOf(grid, memory).source, x, y, options);
      if (wanted === null) assert.equal(found, null);
      else {
        const { codes: _, ...cut } = wanted;
        assert.deepEqual(found, cut);
        const mean = memory.of('grid 1').meanProbability(cut);
        assert.equal(mean ?? forestGate(wanted).probability, forestGate(wanted).probability);
      }
      if (i % 7 === 0) await memory.save();
    }
    assert.ok(store.entries.size > 4);
  });
});
