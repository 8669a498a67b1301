import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import type { EmbeddingRaster } from '../embedding-source.ts';
import { createOpenFiles } from './files.ts';
import type { PixelRect } from './lattice.ts';
import { phaseStore } from './phase.ts';
import { createZoneRaster, type RasterBlocks, type ZoneRasterOptions } from './zone-raster.ts';

const never = new AbortController().signal;
const LATTICE = { crs: 'EPSG:32616', width: 3_000, height: 2_000, transform: [10, 0, 0, 0, -10, 20_000] } as const;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-raster-'));
});
after(() => rm(folder, { recursive: true, force: true }));

interface Made {
  readonly rect: PixelRect;
  /** What the file says of its own place; default the same. */
  readonly own?: PixelRect;
  /** The code of a band of a pixel, counted from the lattice's corner; null: no data. */
  readonly code: (x: number, y: number, band: number) => number | null;
}

/** A raster of files in memory that are made when they are read. */
function rasterOf(
  made: Record<string, Made>,
  over: Partial<ZoneRasterOptions> = {},
): EmbeddingRaster & { opened: string[] } {
  const opened: string[] = [];
  const open = createOpenFiles<RasterBlocks>({
    max: 100,
    async open(path) {
      opened.push(path);
      return openMade(path, made[path]);
    },
    close: async () => {},
  });
  const files = Object.entries(made).map(([path, { rect }]) => ({ path, rect }));
  const raster = createZoneRaster({
    id: 'EPSG:32616',
    year: 2024,
    lattice: LATTICE,
    files,
    open,
    deadlineMs: 5_000,
    phases: null,
    ...over,
  });
  return { ...raster, opened };
}

function openMade(path: string, { rect, own = rect, code }: Made): RasterBlocks {
  const [width, height] = [own.right - own.left, own.bottom - own.top];
  const blocks: CodeBlocks = {
    id: path,
    width,
    height,
    async block(bx, by) {
      const codes = new Int8Array(BLOCK * BLOCK * BANDS).fill(NODATA);
      for (let y = 0; y < Math.min(BLOCK, height - by * BLOCK); y++)
        for (let x = 0; x < Math.min(BLOCK, width - bx * BLOCK); x++)
          for (let band = 0; band < BANDS; band++)
            codes[(y * BLOCK + x) * BANDS + band] =
              code(own.left + bx * BLOCK + x, own.top + by * BLOCK + y, band) ?? NODATA;
      return codes.every((one) => one === NODATA) ? null : codes;
    },
  };
  const [a, , c, , e, f] = LATTICE.transform;
  return {
    blocks,
    lattice: { crs: LATTICE.crs, width, height, transform: [a, 0, c + a * own.left, 0, e, f + e * own.top] },
  };
}

function rect(left: number, top: number, width: number, height: number): PixelRect {
  return { left, top, right: left + width, bottom: top + height };
}

/** Code of band 0 for each pixel of a window. */
async function firstBand(raster: EmbeddingRaster, { left, top, right, bottom }: PixelRect): Promise<number[][]> {
  const window = await raster.window(left, top, right - left, bottom - top, never);
  const row = new Int8Array(window.width * BANDS);
  return Array.from({ length: window.height }, (_, y) => {
    window.copyRow(y, row);
    return Array.from({ length: window.width }, (_, x) => row[x * BANDS]);
  });
}

const constant = (value: number | null) => (): number | null => value;
/** Blocks of 2 x 2 equal pixels whose edges are at odd columns and even rows. */
const blocky = (x: number, y: number, band: number): number =>
  Math.round(80 * Math.sin(37 * Math.floor((x + 1) / 2) + 11 * Math.floor(y / 2) + 5 * band)) + (x & 1);

test('where files overlap the first counts, and what none of them has is -128', async () => {
  const raster = rasterOf({
    a: { rect: rect(10, 10, 4, 4), code: constant(1) },
    b: { rect: rect(12, 12, 4, 4), code: constant(2) },
    c: { rect: rect(11, 11, 2, 2), code: constant(3) },
  });
  const N = NODATA;
  assert.deepEqual(await firstBand(raster, rect(11, 11, 6, 5)), [
    [1, 1, 1, N, N, N],
    [1, 1, 1, 2, 2, N],
    [1, 1, 1, 2, 2, N],
    [N, 2, 2, 2, 2, N],
    [N, 2, 2, 2, 2, N],
  ]);
  assert.deepEqual(raster.opened.toSorted(), ['a', 'b'], 'a file that gives nothing was opened');
  assert.deepEqual(
    [raster.covers(13, 13), raster.covers(15, 15), raster.covers(14, 11), raster.covers(16, 12)],
    [true, true, false, false],
  );
});

test('a pixel without data in the first file is not filled from the next one', async () => {
  const raster = rasterOf({
    a: { rect: rect(0, 0, 2, 1), code: (x) => (x === 0 ? null : 1) },
    b: { rect: rect(0, 0, 2, 1), code: constant(2) },
  });
  assert.deepEqual(await firstBand(raster, rect(0, 0, 2, 1)), [[NODATA, 1]]);
});

test('a file may have more than it answers for, or lack an edge of one pixel, but no more', async () => {
  const more = rasterOf({ a: { rect: rect(10, 10, 4, 1), own: rect(5, 5, 20, 20), code: (x) => x } });
  assert.deepEqual(await firstBand(more, rect(9, 10, 6, 1)), [[NODATA, 10, 11, 12, 13, NODATA]]);
  const less = rasterOf({ a: { rect: rect(10, 10, 4, 1), own: rect(11, 10, 3, 1), code: (x) => x } });
  assert.deepEqual(await firstBand(less, rect(9, 10, 6, 1)), [[NODATA, NODATA, 11, 12, 13, NODATA]]);
  const elsewhere = rasterOf({ a: { rect: rect(10, 10, 4, 1), own: rect(12, 10, 4, 1), code: (x) => x } });
  await assert.rejects(firstBand(elsewhere, rect(9, 10, 6, 1)), /wanted a file that holds the pixels 10, 10 to 14, 11/);
});

test('the phase is that of the lattice, wherever the file begins', async () => {
  for (const [left, top] of [
    [0, 0],
    [101, 100],
    [100, 101],
    [101, 101],
    [513, 770],
  ]) {
    const raster = rasterOf({ a: { rect: rect(left, top, 300, 280), code: blocky } });
    const { x, y, confidence } = await raster.phase(never);
    assert.deepEqual([x, y], [1, 0], `${left}, ${top}`);
    assert.ok(confidence > 3);
  }
});

test('files whose middle has no data, too little, or no blocks are passed over', async () => {
  const raster = rasterOf({
    a: { rect: rect(0, 0, 64, 64), code: constant(null) },
    b: { rect: rect(100, 0, 64, 64), code: (x, y, band) => (x < 110 && y < 10 ? blocky(x, y, band) : null) },
    c: { rect: rect(200, 0, 64, 64), code: (x, y, band) => Math.round(90 * Math.sin(x * 71 + y * 33 + band)) },
    d: { rect: rect(300, 0, 64, 64), code: blocky },
    e: { rect: rect(400, 0, 64, 64), code: blocky },
  });
  const { x, y } = await raster.phase(never);
  assert.deepEqual([x, y], [1, 0]);
  assert.deepEqual(raster.opened, ['a', 'b', 'c', 'd']);
});

test('a raster without blocks has phase 0, 0', async () => {
  const raster = rasterOf({ a: { rect: rect(1, 1, 64, 64), code: constant(5) } });
  assert.deepEqual(await raster.phase(never), { x: 0, y: 0, confidence: 1 });
});

test('a file that cannot be read fails the phase: passing it over could give another answer next time', async () => {
  const made = { a: { rect: rect(0, 0, 64, 64), code: blocky }, b: { rect: rect(64, 0, 64, 64), code: blocky } };
  const broken = createOpenFiles<RasterBlocks>({
    max: 1,
    open: async () => Promise.reject(new Error('no answer')),
    close: async () => {},
  });
  await assert.rejects(rasterOf(made, { open: broken }).phase(never), /no answer/);
});

test('the phase is kept for other processes; a damaged note is made again', async () => {
  const made = { a: { rect: rect(1, 0, 64, 64), code: blocky } };
  const phases = phaseStore(folder, 'aef', '32616-2024');
  const first = rasterOf(made, { phases });
  const found = await first.phase(never);
  assert.deepEqual(await readdir(folder), ['phase-32616-2024.pack']);
  const second = rasterOf(made, { phases });
  assert.deepEqual(await second.phase(never), found);
  assert.deepEqual([first.opened, second.opened], [['a'], []]);
  await writeFile(join(folder, 'phase-32616-2024.pack'), 'rubbish');
  const third = rasterOf(made, { phases });
  assert.deepEqual(await third.phase(never), found);
  assert.deepEqual(third.opened, ['a']);
  await phases.write({ x: 1, y: 1, confidence: Infinity });
  assert.deepEqual(await phases.read(), { x: 1, y: 1, confidence: Infinity });
});
