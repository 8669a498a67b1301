import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assert as holds, asyncProperty, nat } from 'fast-check';
import { fileSource } from '../io/file-source.ts';
import { BLOCK_BYTES, checkedSource, checksumsFile, writeBlockChecksums } from './block-checksums.ts';

const SIZE = 5 * BLOCK_BYTES + 1_234;
const { signal } = new AbortController();

describe('a file with checksums of its blocks', () => {
  let folder = '';
  let path = '';
  const content = Uint8Array.from({ length: SIZE }, (_, i) => (i * 31 + (i >> 8)) & 255);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-blocks-'));
    path = join(folder, 'file.fgb');
    await writeFile(path, content);
    await writeBlockChecksums(path);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('gives every range as it was written, and refuses each that meets a flipped bit', async () => {
    await holds(
      asyncProperty(
        nat(SIZE - 1),
        nat(3 * BLOCK_BYTES),
        nat(SIZE - 1),
        nat(7),
        async (offset, wanted, flipped, bit) => {
          const length = Math.min(wanted, SIZE - offset);
          await using sound = checkedSource(fileSource(path));
          assert.deepEqual(await sound.fetch(offset, length, { signal }), content.subarray(offset, offset + length));
          const bytes = readFileSync(path);
          bytes[flipped] = bytes[flipped]! ^ (1 << bit);
          writeFileSync(path, bytes);
          await using damaged = checkedSource(fileSource(path));
          const first = Math.floor(offset / BLOCK_BYTES);
          const last = Math.ceil((offset + length) / BLOCK_BYTES) - 1;
          const block = Math.floor(flipped / BLOCK_BYTES);
          const read = damaged.fetch(offset, length, { signal });
          try {
            if (block < first || block > last) assert.deepEqual(await read, content.subarray(offset, offset + length));
            else await assert.rejects(read, /file\.fgb: .* the file is damaged/);
          } finally {
            writeFileSync(path, content);
          }
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it('checks what is read into buffers, block by block', async () => {
    const into = () => [new Uint8Array(BLOCK_BYTES), new Uint8Array(1_234)];
    await using sound = checkedSource(fileSource(path));
    assert.equal(await sound.fetchInto([{ offset: 4 * BLOCK_BYTES, into: into() }], { signal }), true);
    const bytes = readFileSync(path);
    bytes[SIZE - 1] = bytes[SIZE - 1]! ^ 4;
    writeFileSync(path, bytes);
    await using damaged = checkedSource(fileSource(path));
    await assert.rejects(damaged.fetchInto([{ offset: 4 * BLOCK_BYTES, into: into() }], { signal }), /damaged/);
    writeFileSync(path, content);
  });

  it('is refused without its checksums, and with damaged ones', async () => {
    const sums = readFileSync(checksumsFile(path));
    const read = async () => {
      await using source = checkedSource(fileSource(path));
      return await source.fetch(0, 10, { signal });
    };
    writeFileSync(checksumsFile(path), sums.with(3, sums[3]! ^ 1));
    await assert.rejects(read(), /checksums is damaged/);
    await truncate(checksumsFile(path), 5);
    await assert.rejects(read(), /checksums is damaged/);
    await rm(checksumsFile(path));
    await assert.rejects(read(), /checksums cannot be read/);
    writeFileSync(checksumsFile(path), sums);
    assert.equal((await read())?.length, 10);
  });
});
