import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { blockOf, codeScene } from '../../../../test/oracles/tiff/code-scene.ts';
import { fileSource, type FileByteSource } from '../../io/file-source.ts';
import { encodeTiff, type EncodeTiffOptions } from '../../formats/tiff/encode-tiff.ts';
import { openTiff } from '../../formats/tiff/open-tiff.ts';
import { createDecoder, type Decoder } from '../decode/decoder.ts';
import { tiffCodeBlocks } from './tiff-blocks.ts';

/** Files on disk, whose bytes are read by the threads that decode them. */

const { signal } = new AbortController();
const SIDE = 300;
const SCENE = codeScene(SIDE, SIDE, 6, (x, y) => x + y < 20);
const LAYOUTS: readonly EncodeTiffOptions[] = [
  { interleave: 'band', tile: 512, compression: 'zstd' },
  // 81 blocks a band: many for one job, and several jobs.
  { interleave: 'band', tile: 32, compression: 'none' },
  { interleave: 'pixel', tile: 256, compression: 'zstd' },
  { interleave: 'pixel', tile: 80, compression: 'deflate' },
];

let folder = '';
before(async () => void (folder = await mkdtemp(join(tmpdir(), 'firstmile-tiff-'))));
after(() => rm(folder, { recursive: true }));

async function write(name: string, options: EncodeTiffOptions): Promise<string> {
  const path = join(folder, name);
  const said = { width: SIDE, height: SIDE, bands: 64, sampleType: 'int8', nodata: -128, crs: 'EPSG:32616' } as const;
  await writeFile(path, encodeTiff({ ...said, transform: [10, 0, 0, 0, -10, 0], values: SCENE }, options));
  return path;
}

async function open(source: FileByteSource, decoder: Decoder) {
  const image = await openTiff(source, signal);
  return tiffCodeBlocks(source, image, { version: (await source.stat({ signal }))?.version ?? null, decoder });
}

for (const threads of [0, 2]) {
  describe(`with ${threads} threads`, () => {
    const decoder = createDecoder({ threads, memoryBytes: 40_000_000 });
    after(() => decoder.close());

    for (const [i, options] of LAYOUTS.entries())
      test(`the blocks of a file are those of the raster: ${Object.values(options).join(' ')}`, async () => {
        await using source = fileSource(await write(`layout-${threads}-${i}.tif`, options));
        const blocks = await open(source, decoder);
        const reads = [0, 1, 2, 3, 3, 0].map((at) => blocks.block(at & 1, at >> 1, signal));
        for (const [at, codes] of (await Promise.all(reads)).slice(0, 4).entries())
          assert.ok(same(codes, blockOf(SCENE, SIDE, at & 1, at >> 1)), `block ${at}`);
      });

    for (const options of [LAYOUTS[0], LAYOUTS[2]])
      test(`a file that was written into, cut off or closed fails the read: ${options.interleave}`, async () => {
        const path = await write(`changed-${threads}-${options.interleave}.tif`, options);
        await using source = fileSource(path);
        const blocks = await open(source, decoder);
        await write(`changed-${threads}-${options.interleave}.tif`, options);
        const wanted = { name: 'ByteSourceError', kind: 'changed', place: path };
        await assert.rejects(blocks.block(0, 0, signal), { ...wanted, message: `${path}: ${CHANGED}` });
        await truncate(path, 1000);
        await assert.rejects(blocks.block(1, 1, signal), { ...wanted, kind: 'short' });
        const file = await source.openFile();
        assert.ok(file !== null);
        const stuck: FileByteSource = { ...source, openFile: async () => ({ ...file, fd: 1_000_000 }) };
        const image = await openTiff(fileSource(await write('good.tif', options)), signal);
        const closed = tiffCodeBlocks(stuck, image, { version: file.version, decoder });
        await assert.rejects(closed.block(0, 1, signal), { ...wanted, kind: 'transport', message: /EBADF/ });
      });
  });
}

const CHANGED = 'the file was written into after it had been opened';

/** Compared as bytes: a difference is found without printing four million codes. */
function same(a: Int8Array | null, b: Int8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return Buffer.compare(new Uint8Array(a.buffer, a.byteOffset, a.length), new Uint8Array(b.buffer, b.byteOffset)) === 0;
}
