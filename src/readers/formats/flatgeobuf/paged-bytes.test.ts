import assert from 'node:assert/strict';
import { mkdtemp, open, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileSource } from '../../io/file-source.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { createPageMemory } from './page-memory.ts';
import { pagedBytes, type PagedBytes } from './paged-bytes.ts';

const PAGE = 100;
const BYTES = Uint8Array.from({ length: 10_050 }, (_, i) => (i * 7 + Math.floor(i / 256)) % 256);
const { signal } = new AbortController();

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paged-bytes-'));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('pagedBytes', () => {
  for (const [name, sourceOf] of [
    ['a file', fileWithBytes],
    ['another source', async () => memorySource('memory', BYTES)],
  ] as const)
    it(`gives the bytes of ${name}, those of several pages and the last ones too`, async () => {
      const paged = pagedBytes(await sourceOf(), BYTES.length, createPageMemory(PAGE, 3_000));
      for (const [offset, length] of [
        [0, 10],
        [95, 10],
        [950, 1_200],
        [10_040, 10],
        [9_700, 350],
        [0, 0],
      ] as const) {
        await load(paged, offset, length);
        const at = paged.find(offset, length);
        assert.notEqual(at, -1);
        const found = new Uint8Array(paged.view.buffer, paged.view.byteOffset + at, length);
        assert.deepEqual(found, BYTES.subarray(offset, offset + length));
      }
      assert.throws(() => paged.find(10_045, 6), /wanted bytes 10045 to 10051 of 10050/);
    });

  it('reads pages that lie together at once, and none that are there or under way', async () => {
    const { source, ranges } = recorded(memorySource('memory', BYTES));
    const paged = pagedBytes(source, BYTES.length, createPageMemory(PAGE, 3_000));
    await Promise.all([load(paged, 250, 300), load(paged, 350, 400)]);
    assert.deepEqual(ranges(), ['200+400', '600+200']);
    await load(paged, 0, 1_000);
    assert.deepEqual(ranges(), ['0+200', '800+200']);
  });

  it('keeps what is looked at again and again while other pages come and go', async () => {
    const { source, ranges } = recorded(memorySource('memory', BYTES));
    const paged = pagedBytes(source, BYTES.length, createPageMemory(PAGE, 8 * PAGE));
    for (let page = 1; page < 100; page++) {
      await load(paged, 0, 1);
      assert.equal(paged.find(0, 1), 0);
      await load(paged, page * PAGE, 1);
    }
    assert.equal(ranges().filter((range) => range === `0+${PAGE}`).length, 1);
  });

  it('gives many readers at once the right bytes with memory for few', async () => {
    const paged = pagedBytes(await fileWithBytes(), BYTES.length, createPageMemory(PAGE, 8 * PAGE));
    const readers = Array.from({ length: 50 }, async (_, reader) => {
      for (let i = 0; i < 20; i++) {
        const offset = (reader * 191 + i * 577) % (BYTES.length - 250);
        await load(paged, offset, 250);
        const at = paged.find(offset, 250);
        // Given up again for another reader.
        const view = at < 0 ? await paged.read(offset, 250, signal) : paged.view;
        const found = new Uint8Array(view.buffer, view.byteOffset + Math.max(0, at), 250);
        assert.deepEqual(found, BYTES.subarray(offset, offset + 250));
      }
    });
    await Promise.all(readers);
  });

  it('fetches again what a reader had begun that gave up', async () => {
    const slow = memorySource('memory', BYTES);
    const gates: (() => void)[] = [];
    const source: ByteSource = {
      ...slow,
      async fetch(offset, length, options) {
        await new Promise<void>((resolve, reject) => {
          gates.push(resolve);
          options.signal.addEventListener('abort', () => reject(options.signal.reason));
        });
        return slow.fetch(offset, length, options);
      },
    };
    const paged = pagedBytes(source, BYTES.length, createPageMemory(PAGE, 3_000));
    const first = new AbortController();
    const given = assert.rejects(paged.load([3], first.signal), /enough/);
    const second = paged.load([3], signal);
    first.abort(new Error('enough'));
    await given;
    await new Promise(setImmediate);
    assert.equal(gates.length, 2);
    for (const open of gates) open();
    await second;
    assert.notEqual(paged.find(3 * PAGE, PAGE), -1);
  });

  it('notices a file that was written into, with every answer from then on that was loaded for', async () => {
    const source = await fileWithBytes();
    const paged = pagedBytes(source, BYTES.length, createPageMemory(PAGE, 3_000));
    await load(paged, 0, 10);
    await paged.check();
    const file = await open(source.id, 'r+');
    await file.write(Uint8Array.of(1, 2, 3), 0, 3, 500);
    await file.close();
    await utimes(source.id, 1, 1);
    await paged.check();
    await load(paged, 500, 10);
    for (let i = 0; i < 2; i++) await assert.rejects(paged.check(), { name: 'ByteSourceError', kind: 'changed' });
  });

  it('believes nothing of a file that was closed meanwhile', async () => {
    const source = await fileWithBytes();
    const paged = pagedBytes(source, BYTES.length, createPageMemory(PAGE, 3_000));
    await load(paged, 0, 10);
    await source[Symbol.asyncDispose]();
    await assert.rejects(paged.check(), { name: 'ByteSourceError', kind: 'changed' });
  });

  it('takes no memory for bytes that are not there', () => {
    const size = 64_000_000;
    const paged = pagedBytes(memorySource('memory', BYTES), size, createPageMemory(PAGE, 3_000));
    const before = process.memoryUsage().arrayBuffers;
    assert.equal(paged.find(0, size), -1);
    assert.ok(process.memoryUsage().arrayBuffers - before < size);
  });
});

describe('a page memory', () => {
  it('gives up what is over its limit once few pages are read at once', () => {
    const memory = createPageMemory(PAGE, 8 * PAGE);
    const file = new Map<number, number>();
    const taken = Array.from({ length: 40 }, () => memory.take());
    assert.equal(new Set(taken).size, 40);
    for (const [page, slot] of taken.entries()) memory.keep(slot, file, page);
    assert.equal(file.size, 40);
    memory.keep(memory.take(), file, 40);
    assert.equal(file.size, 8);
    for (const slot of file.values()) assert.equal(memory.bytes(slot).byteLength, PAGE);
  });
});

async function load(paged: PagedBytes, offset: number, length: number): Promise<void> {
  const pages: number[] = [];
  paged.missing(offset, length, pages);
  await paged.load(pages, signal);
}

async function fileWithBytes() {
  const path = join(folder, `${performance.now()}.bin`);
  await writeFile(path, BYTES);
  return fileSource(path);
}

/** A source and the ranges that were fetched of it since they were last looked at. */
function recorded(source: ByteSource): { readonly source: ByteSource; ranges(): string[] } {
  const fetched: string[] = [];
  const recording: ByteSource = {
    ...source,
    fetch(offset, length, options) {
      fetched.push(`${offset}+${length}`);
      return source.fetch(offset, length, options);
    },
  };
  return { source: recording, ranges: () => fetched.splice(0) };
}
