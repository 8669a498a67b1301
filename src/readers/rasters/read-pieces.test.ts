import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { madeUpTiff } from '../../../test/made-up-rasters.ts';
import { memorySource } from '../../../test/memory/memory-source.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { encodeForest } from './encode-row.ts';
import { forestMask } from './raster-spec.ts';
import { openRasterTiles, type RasterTile } from './raster-tiles.ts';
import { createSampleMemory } from './sample-memory.ts';
import { groupPieces, readPieces, type Piece, type RasterLayer } from './read-pieces.ts';
import { rasterDataset } from '../../../test/made-up-rasters.ts';

const { signal } = new AbortController();
/** Contracts of no dataset. */
const NO_CONTRACTS = {
  require: () => Promise.resolve(),
  isMissingBelieved: () => Promise.resolve(false),
  expectation: () => ({}),
};
const SIDE = 96;
const BLOCK = 16;
const valueAt = (x: number, y: number): number => (x * 31 + y * 17) % 251;
const BYTES = madeUpTiff({ width: SIDE, height: SIDE, west: 0, north: 1, pixel: 0.001, at: valueAt });

const spec = forestMask(
  rasterDataset({ id: 'mask', role: 'forest-mask', url: 'http://x/a.tif', options: { threshold: 100 } }),
);
const layer: RasterLayer<Uint8Array> = { id: 'mask', band: 0, encoding: encodeForest(spec) };

/** The made-up raster, and the offsets that were read of it. */
async function openTile(): Promise<{ tile: RasterTile; reads: number[] }> {
  const reads: number[] = [];
  const inner = memorySource('memory', BYTES, 'v1');
  const source: ByteSource = {
    ...inner,
    fetch: (offset, length, options) => (reads.push(offset), inner.fetch(offset, length, options)),
  };
  const [place] = spec.places.values();
  const tile = await openRasterTiles({ remote: () => source, contracts: NO_CONTRACTS }).open(
    spec,
    place!,
    { address: 'http://x/a.tif', box: null },
    signal,
  );
  assert.ok(tile !== null);
  reads.length = 0;
  return { tile, reads };
}

const window = fc
  .tuple(fc.integer({ min: 0, max: SIDE - 1 }), fc.integer({ min: 0, max: SIDE - 1 }))
  .chain(([x0, y0]) =>
    fc.record({
      x0: fc.constant(x0),
      y0: fc.constant(y0),
      width: fc.integer({ min: 1, max: SIDE - x0 }),
      height: fc.integer({ min: 1, max: SIDE - y0 }),
    }),
  );

test('gives every piece the pixels of its window, and reads each block once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(window, { minLength: 1, maxLength: 12 }), async (windows) => {
      const { tile, reads } = await openTile();
      const pieces = windows.map((one, plot): Piece<Uint8Array> => ({
        plot,
        polygon: [],
        reads: [{ layer, tile, window: one }],
      }));
      const seen = new Set<number>();
      await readPieces(pieces, createSampleMemory(1e8), signal, {
        measure(
          {
            plot,
            reads: [
              {
                window: { x0, y0, width },
              },
            ],
          },
          [pixels],
        ) {
          seen.add(plot);
          pixels!.forEach((pixel, i) => {
            const value = valueAt(x0 + (i % width), y0 + Math.floor(i / width));
            assert.equal(pixel, Number(value >= 100));
          });
        },
        fail: (_, error) => assert.fail(String(error)),
      });
      assert.equal(seen.size, pieces.length);
      assert.equal(new Set(reads).size, reads.length);
    }),
    { numRuns: 50 },
  );
});

test('groups hold every piece once and no more blocks than there is room for', async () => {
  const { tile } = await openTile();
  fc.assert(
    fc.property(fc.array(window, { maxLength: 20 }), fc.integer({ min: 1, max: 40 }), (windows, blocks) => {
      const pieces = windows.map((one, plot): Piece<Uint8Array> => ({
        plot,
        polygon: [],
        reads: [{ layer, tile, window: one }],
      }));
      const groups = groupPieces(pieces, blocks * BLOCK * BLOCK);
      assert.deepEqual(
        groups.flatMap((group) => group.pieces.map(({ plot }) => plot)).toSorted((a, b) => a - b),
        windows.map((_, i) => i),
      );
      for (const group of groups) assert.ok(group.pieces.length === 1 || group.blocks.size <= blocks);
    }),
  );
});

test('a block that does not decode fails the pieces on it, and no others', async () => {
  const { tile } = await openTile();
  const offset = tile.image.offsets[0] as number;
  const broken = BYTES.slice();
  broken.fill(0xff, offset, offset + (tile.image.lengths[0] as number));
  const bad = { ...tile, source: memorySource('broken', broken, 'v2'), id: 'broken' };
  const at = (x0: number): Piece<Uint8Array> => ({
    plot: x0,
    polygon: [],
    reads: [{ layer, tile: bad, window: { x0, y0: 0, width: 4, height: 4 } }],
  });
  const told: [number, boolean][] = [];
  await readPieces([at(0), at(BLOCK)], createSampleMemory(1e6), signal, {
    measure: ({ plot }) => void told.push([plot, true]),
    fail: ({ plot }) => void told.push([plot, false]),
  });
  assert.deepEqual(told.toSorted(), [
    [0, false],
    [BLOCK, true],
  ]);
});
