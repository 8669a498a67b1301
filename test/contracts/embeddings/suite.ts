import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { CodeWindow } from '../../../src/geo/segmentation/code-window.ts';
import { latticeProjection } from '../../../src/geo/outline/lattice.ts';
import { MIN_BLOCK_CONFIDENCE } from '../../../src/geo/segmentation/detect-block-phase.ts';
import { BANDS, NODATA } from '../../../src/geo/segmentation/grid.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../../src/readers/embeddings/embedding-source.ts';
import type { PixelRect } from '../../../src/readers/embeddings/zone-raster/lattice.ts';

/** A layout of a known region, to be read by the source under test. */
export interface EmbeddingContract {
  readonly name: string;
  /** Opens a source that has nothing cached, neither in memory nor on disk. */
  open(): Promise<OpenContract>;
  /** A place in degrees well inside the region, and one far outside every file. */
  readonly inside: readonly [lon: number, lat: number];
  readonly outside: readonly [lon: number, lat: number];
  /** A box in degrees inside the region, and the year of the embeddings. */
  readonly bbox: readonly [west: number, south: number, east: number, north: number];
  readonly year: number;
  /** The pixels of the region on the raster that answers at `inside`. */
  region(raster: EmbeddingRaster): PixelRect;
  /** The codes a pixel must have, or null where no file covers it. */
  expected(raster: EmbeddingRaster, x: number, y: number): Int8Array | null;
  /** Other codes that are right, too, for a pixel whose centre lies on an edge of what it is read from. */
  tolerated?(raster: EmbeddingRaster, x: number, y: number): readonly Int8Array[];
  /** Metres of block edges on a raster in UTM, modulo 20; default 10. Null: the region is not where the source looks for blocks. */
  readonly blockEdge?: number | null;
  /** True: which pixels are outside coverage is found out by reading them; default false: it is known before. */
  readonly learnsCoverage?: boolean;
}

export interface OpenContract extends AsyncDisposable {
  readonly source: EmbeddingSource;
  /** Requests sent so far; null for a source that reads from disk. */
  readonly requests: (() => number) | null;
}

const never = new AbortController().signal;

/** What every source of embeddings does, whatever its layout. */
export function describeEmbeddingSource(contract: EmbeddingContract): void {
  const [lon, lat] = contract.inside;

  async function openAt(): Promise<OpenContract & { raster: EmbeddingRaster; x: number; y: number }> {
    const open = await contract.open();
    const place = await open.source.at(lon, lat, never);
    assert.ok(place !== null, 'the place is not covered');
    return { ...open, ...place, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
  }

  describe(contract.name, () => {
    it('finds the newest raster of a place and the pixel under it', async () => {
      await using open = await openAt();
      const { raster, x, y } = open;
      assert.equal(raster.year, contract.year);
      const [a, , c, , e, f] = raster.transform;
      assert.ok(a > 0 && e < 0, 'it is not north-up');
      const out = new Float64Array(2);
      latticeProjection(raster.crs).toLonLat(a * x + c, e * y + f, out, 0);
      assert.ok(Math.hypot(out[0] - lon, out[1] - lat) < 1e-7);
      assert.ok(raster.covers(Math.floor(x), Math.floor(y)));
      assert.equal(await open.source.at(...contract.outside, never), null);
      const again = await open.source.at(lon, lat, never);
      assert.equal(again?.raster.id, raster.id);
    });

    it('gives every pixel of the region its codes, no data included', async () => {
      await using open = await openAt();
      const rect = contract.region(open.raster);
      const codes = await read(open.raster, rect);
      const wide = rect.right - rect.left;
      let masked = 0;
      for (let y = rect.top; y < rect.bottom; y++) {
        for (let x = rect.left; x < rect.right; x++) {
          const at = ((y - rect.top) * wide + x - rect.left) * BANDS;
          const wanted = contract.expected(open.raster, x, y);
          assert.equal(open.raster.covers(x, y), wanted !== null, `covers ${x}, ${y}`);
          masked += codes[at] === NODATA ? 1 : 0;
          const got = codes.subarray(at, at + BANDS);
          if (equal(got, wanted ?? NOTHING)) continue;
          if (!contract.tolerated?.(open.raster, x, y).some((other) => equal(got, other)))
            assert.deepEqual([...got], [...(wanted ?? NOTHING)], `pixel ${x}, ${y}`);
        }
      }
      assert.ok(masked > 0 && masked < (codes.length / BANDS) * 0.9, `${masked} pixels without data`);
    });

    it('gives any window as a cut of the whole, over the edges of files and of the region', async () => {
      await using open = await openAt();
      const rect = grown(contract.region(open.raster), 40);
      const wide = rect.right - rect.left;
      const whole = await read(open.raster, rect);
      const corner = fc.tuple(
        fc.integer({ min: 0, max: wide - 1 }),
        fc.integer({ min: 0, max: rect.bottom - rect.top - 1 }),
      );
      const size = fc.integer({ min: 1, max: 160 });
      await fc.assert(
        fc.asyncProperty(corner, size, size, async ([dx, dy], width, height) => {
          const [w, h] = [Math.min(width, wide - dx), Math.min(height, rect.bottom - rect.top - dy)];
          const [left, top] = [rect.left + dx, rect.top + dy];
          const codes = await read(open.raster, { left, top, right: left + w, bottom: top + h });
          for (let y = 0; y < h; y++) {
            const start = ((dy + y) * wide + dx) * BANDS;
            assert.ok(
              equal(codes.subarray(y * w * BANDS, (y + 1) * w * BANDS), whole.subarray(start, start + w * BANDS)),
            );
          }
        }),
        { numRuns: 20 },
      );
    });

    it('has -128 where no file is, and requests nothing when it knows', async () => {
      await using open = await openAt();
      const rect = contract.region(open.raster);
      const before = open.requests?.();
      const [left, top] = [rect.left - 5_000, rect.top - 5_000];
      if (contract.learnsCoverage !== true) assert.equal(open.raster.covers(left, top), false);
      assert.equal(open.raster.covers(-1, -1), false);
      for (const [x, y] of [
        [left, top],
        [-600, -600],
        [open.raster.width + 10, open.raster.height + 10],
      ]) {
        const codes = await read(open.raster, { left: x, top: y, right: x + 33, bottom: y + 17 });
        assert.ok(codes.every((code) => code === NODATA));
      }
      assert.equal(open.raster.covers(left, top), false);
      if (contract.learnsCoverage !== true) assert.equal(open.requests?.(), before);
    });

    it('finds one phase of the blocks, the same every time it is opened', async () => {
      const found = [];
      for (let i = 0; i < 2; i++) {
        await using open = await openAt();
        const phases = await Promise.all([open.raster.phase(never), open.raster.phase(never)]);
        assert.deepEqual(phases[0], phases[1]);
        found.push(phases[0]);
        const [a, , c, , e, f] = open.raster.transform;
        const { blockEdge: edge = 10 } = contract;
        if (edge === null) continue;
        const parity = (value: number): number => ((Math.round(value) % 2) + 2) % 2;
        assert.deepEqual([phases[0].x, phases[0].y], [parity((edge - c) / a), parity((edge - f) / e)]);
        assert.ok(phases[0].confidence >= MIN_BLOCK_CONFIDENCE);
      }
      assert.deepEqual(found[0], found[1]);
    });

    it('reads everything once, also for callers at the same time', async () => {
      await using open = await openAt();
      const rect = contract.region(open.raster);
      const before = open.requests?.() ?? 0;
      const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => read(open.raster, rect)));
      for (const other of others) assert.ok(equal(first, other));
      const after = open.requests?.() ?? 0;
      if (open.requests !== null) assert.ok(after > before);
      assert.ok(equal(first, await read(open.raster, rect)));
      assert.equal(open.requests?.() ?? 0, after, 'a second read sent requests');
      await using alone = await openAt();
      const aloneBefore = alone.requests?.() ?? 0;
      await read(alone.raster, contract.region(alone.raster));
      assert.ok(
        after - before <= (alone.requests?.() ?? 0) - aloneBefore,
        'callers at the same time sent more requests than one',
      );
    });

    it('stops when the caller leaves, and answers the next one', async () => {
      await using open = await openAt();
      const rect = contract.region(open.raster);
      const reason = new Error('the caller left');
      const left = AbortSignal.abort(reason);
      await assert.rejects(open.raster.window(rect.left, rect.top, 10, 10, left), reason);
      await assert.rejects(open.raster.phase(left), reason);
      await assert.rejects(open.source.at(lon, lat, left), reason);
      await assert.rejects(open.source.rasters(contract.bbox, null, left), reason);
      const leaving = new AbortController();
      const reading = read(open.raster, rect, leaving.signal);
      setImmediate(() => leaving.abort(reason));
      const outcome = await reading.catch((error: unknown) => error);
      assert.ok(outcome === reason || outcome instanceof Int8Array);
      const codes = await read(open.raster, { ...rect, bottom: rect.top + 1 });
      assert.equal(codes.length, (rect.right - rect.left) * BANDS);
    });

    it('lists the rasters of a box by year', async () => {
      await using open = await openAt();
      const found = await open.source.rasters(contract.bbox, null, never);
      assert.ok(found.some(({ id }) => id === open.raster.id));
      assert.ok(found.every(({ year }) => year === contract.year));
      assert.deepEqual(
        (await open.source.rasters(contract.bbox, contract.year, never)).map(({ id }) => id),
        found.map(({ id }) => id),
      );
      assert.deepEqual(await open.source.rasters(contract.bbox, 2009, never), []);
    });
  });
}

const NOTHING = new Int8Array(BANDS).fill(NODATA);

/** All codes of a window, each row written over what the one before left behind. */
export async function read(raster: EmbeddingRaster, rect: PixelRect, signal = never): Promise<Int8Array> {
  const [width, height] = [rect.right - rect.left, rect.bottom - rect.top];
  const window = await raster.window(rect.left, rect.top, width, height, signal);
  assert.deepEqual([window.width, window.height], [width, height]);
  return codesOf(window);
}

function codesOf(window: CodeWindow): Int8Array {
  const bytes = window.width * BANDS;
  const out = new Int8Array(bytes * window.height);
  // Longer than a row: what lies behind it must stay.
  const row = new Int8Array(bytes + 1).fill(77);
  for (let y = 0; y < window.height; y++) {
    window.copyRow(y, row);
    assert.equal(row[bytes], 77, 'it wrote behind the row');
    out.set(row.subarray(0, bytes), y * bytes);
  }
  return out;
}

function equal(a: Int8Array, b: Int8Array): boolean {
  return Buffer.compare(viewOf(a), viewOf(b)) === 0;
}

function viewOf({ buffer, byteOffset, byteLength }: Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function grown({ left, top, right, bottom }: PixelRect, by: number): PixelRect {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}
