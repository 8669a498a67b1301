import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';

import { codeScene } from '../../../../test/oracles/tiff/code-scene.ts';
import type { BlockFormat } from '../../formats/tiff/decode-block.ts';
import type { WholeJob } from './decode-job.ts';
import { createDecoder } from './decoder.ts';

const { signal } = new AbortController();
const BYTES = 256 * 256 * 64;
const SCENE = codeScene(256, 256, 1);
const PIXELS: BlockFormat = {
  sampleType: 'int8',
  compression: 'zstd',
  predictor: 1,
  littleEndian: true,
  blockWidth: 256,
  blockHeight: 256,
  samples: 64,
};
const BANDS: BlockFormat = { ...PIXELS, blockHeight: 64 * 256, samples: 1 };

function job(format: BlockFormat, width = 256, height = 256): WholeJob {
  return { kind: 'whole', place: 'a test', format, width, height, out: new SharedArrayBuffer(BYTES) };
}

function planes(codes: Int8Array): Int8Array {
  return codes.map((_, i) => codes[(i % 65_536) * 64 + Math.floor(i / 65_536)]);
}

const pixels = zstdCompressSync(new Uint8Array(SCENE.buffer));
const bands = zstdCompressSync(new Uint8Array(planes(SCENE).buffer));

for (const threads of [0, 2]) {
  describe(`with ${threads} threads`, () => {
    const decoder = createDecoder({ threads });
    after(() => decoder.close());

    test('a run of bytes becomes a block, bands side by side or one after the other', async () => {
      for (const [format, bytes] of [
        [PIXELS, pixels],
        [BANDS, bands],
      ] as const) {
        const whole = job(format);
        assert.equal(await decoder.run(whole, [bytes], signal), true);
        assert.equal(Buffer.compare(Buffer.from(whole.out), Buffer.from(SCENE.buffer)), 0);
        // In several pieces it is the same.
        const again = job(format);
        await decoder.run(again, [bytes.subarray(0, 1000), bytes.subarray(1000)], signal);
        assert.equal(Buffer.compare(Buffer.from(again.out), Buffer.from(SCENE.buffer)), 0);
      }
    });

    test('pixels outside the raster become nodata, whatever was stored there', async () => {
      const part = job(PIXELS, 3, 2);
      assert.equal(await decoder.run(part, [pixels], signal), true);
      const codes = new Int8Array(part.out);
      codes.forEach((code, i) => {
        const [x, y] = [Math.floor(i / 64) % 256, Math.floor(i / 16_384)];
        if (code !== (x < 3 && y < 2 ? SCENE[i] : -128)) assert.fail(`code ${i}: ${code}`);
      });
    });

    test('a block of nodata holds no data, and one code is enough to hold some', async () => {
      const nothing = new Int8Array(BYTES).fill(-128);
      assert.equal(await decoder.run(job(PIXELS), [zstdCompressSync(new Uint8Array(nothing.buffer))], signal), false);
      nothing[BYTES - 1] = 3;
      assert.equal(await decoder.run(job(PIXELS), [zstdCompressSync(new Uint8Array(nothing.buffer))], signal), true);
    });

    test('bytes that do not decode, or to another length, are refused by name', async () => {
      const cases: [Uint8Array, RegExp][] = [
        [pixels.subarray(0, 5000), /does not decode|wanted a block of/],
        [Buffer.from('no zstd at all, but long enough to be plausible for a block'), /does not decode \(zstd\)/],
        [
          zstdCompressSync(new Uint8Array(BYTES - 1)),
          /wanted a block of 4194304 bytes, got one that decodes to 4194303/,
        ],
        [zstdCompressSync(new Uint8Array(BYTES + 1)), /does not decode \(zstd\)/],
        [zstdCompressSync(new Uint8Array(50 * BYTES)), /does not decode \(zstd\)/],
        [new Uint8Array(3), /3 bytes, which cannot hold it/],
      ];
      for (const [bytes, message] of cases) {
        const wanted = { name: 'DecodeError', kind: 'damaged', place: 'a test', message };
        await assert.rejects(decoder.run(job(PIXELS), [bytes], signal), wanted);
      }
    });

    test('an aborted signal is answered with its reason', async () => {
      await assert.rejects(
        decoder.run(job(PIXELS), [pixels], AbortSignal.abort(new Error('not needed'))),
        /not needed/,
      );
    });
  });
}

test('many jobs at once all get their own result', async () => {
  await using decoder = disposable(createDecoder({ threads: 2 }));
  const jobs = Array.from({ length: 12 }, (_, i) => ({
    i,
    bytes: zstdCompressSync(new Uint8Array(BYTES).fill(i)),
    job: job(PIXELS),
  }));
  await Promise.all(jobs.map(({ job, bytes }) => decoder.run(job, [bytes], signal)));
  for (const { i, job } of jobs) assert.ok(new Uint8Array(job.out).every((code) => code === i));
});

test('a job that takes too long fails, and the thread is replaced', async () => {
  await using decoder = disposable(createDecoder({ threads: 1, deadlineMs: 1 }));
  const slow = job(PIXELS);
  // A thread takes longer to start than it is given here.
  await assert.rejects(decoder.run(slow, [pixels], signal), { name: 'DecodeError', kind: 'timeout' });
  await using patient = disposable(createDecoder({ threads: 1, deadlineMs: 30_000 }));
  assert.equal(await patient.run(job(PIXELS), [pixels], signal), true);
});

test('a job that has ended while its caller computed without a pause has not taken too long', async () => {
  await using decoder = disposable(createDecoder({ threads: 1, deadlineMs: 1000 }));
  assert.equal(await decoder.run(job(PIXELS), [pixels], signal), true);
  const behind = decoder.run(job(PIXELS), [pixels], signal);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
  assert.equal(await behind, true);
});

test('what waits after a job that fails is done by another thread', async () => {
  await using decoder = disposable(createDecoder({ threads: 1, deadlineMs: 30_000 }));
  const doomed = decoder.run({ ...job(PIXELS), out: 'no memory' as unknown as SharedArrayBuffer }, [pixels], signal);
  const behind = Array.from({ length: 3 }, () => decoder.run(job(PIXELS), [pixels], signal));
  await assert.rejects(doomed, { kind: 'damaged' });
  assert.deepEqual(await Promise.all(behind), [true, true, true]);
});

test('jobs that find too many before them are refused, and those that wait can leave', async () => {
  await using decoder = disposable(createDecoder({ threads: 1, maxWaiting: 1 }));
  const atWork = [0, 1].map(() => decoder.run(job(PIXELS), [pixels], signal));
  const controller = new AbortController();
  const waiting = decoder.run(job(PIXELS), [pixels], controller.signal);
  await assert.rejects(decoder.run(job(PIXELS), [pixels], signal), { kind: 'busy' });
  controller.abort(new Error('gone home'));
  await assert.rejects(waiting, /gone home/);
  assert.deepEqual(await Promise.all(atWork), [true, true]);
});

test('closing ends what is at work and what waits', async () => {
  const decoder = createDecoder({ threads: 1 });
  const jobs = [0, 1, 2, 3].map(() => decoder.run(job(PIXELS), [pixels], signal));
  const settled = Promise.allSettled(jobs);
  await decoder.close();
  for (const result of await settled) assert.equal(result.status, 'rejected');
  await assert.rejects(decoder.run(job(PIXELS), [pixels], signal), { kind: 'closed' });
});

function disposable<T extends { close(): Promise<void> }>(decoder: T): T & AsyncDisposable {
  return { ...decoder, [Symbol.asyncDispose]: () => decoder.close() };
}
