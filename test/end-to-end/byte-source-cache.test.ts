import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { createByteCounters } from '../../src/readers/io/counters.ts';
import { memorySource } from '../memory/memory-source.ts';
import { openDiskCache } from '../../src/readers/io/disk-cache-folder.ts';
import { CACHE_BLOCK_BYTES, withDiskCache } from '../../src/readers/io/disk-cache.ts';
import { httpSource } from '../../src/readers/io/http/http-source.ts';
import { faultOf, file, misbehave, openByteSite, options, serve, SIZE } from './byte-source-site.ts';

const site = openByteSite();

async function scratch(): Promise<string> {
  return mkdtemp(join(site.folder, 'cache-'));
}

async function entriesOf(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true }))
    .filter((name) => /[0-9a-f]{40}$/.test(name))
    .map((name) => join(path, name));
}

test('reads cached blocks without the network, another opener of the folder too, until the file changes', async () => {
  const path = await scratch();
  const counters = createByteCounters();
  const first = withDiskCache(httpSource(`${site.base}/f`), await openDiskCache(path, { maxBytes: 1e7, counters }));
  const second = withDiskCache(httpSource(`${site.base}/f`), await openDiskCache(path, { maxBytes: 1e7, counters }));
  await Promise.all(Array.from({ length: 10 }, () => first.fetch(10, 10, options)));
  assert.deepEqual(site.requests, ['bytes=0-0', `bytes=0-${CACHE_BLOCK_BYTES - 1}`], 'equal reads share one request');
  await second.stat(options);
  site.requests = [];
  assert.deepEqual(
    Buffer.from((await second.fetch(100, 1_000, options)) ?? []),
    Buffer.from(file.subarray(100, 1_100)),
  );
  assert.deepEqual(site.requests, []);
  site.handler = (request, response) => serve(request, response, file.toReversed(), '"v2"');
  const third = withDiskCache(httpSource(`${site.base}/f`), await openDiskCache(path, { maxBytes: 1e7, counters }));
  assert.deepEqual(
    Buffer.from((await third.fetch(100, 10, options)) ?? []),
    Buffer.from(file.toReversed().subarray(100, 110)),
  );
});

test('fetches a block again when its entry is damaged in any way', async () => {
  const path = await scratch();
  const counters = createByteCounters();
  const source = withDiskCache(httpSource(`${site.base}/f`), await openDiskCache(path, { maxBytes: 1e7, counters }));
  const damages: ((bytes: Buffer) => Uint8Array)[] = [
    (bytes) => bytes.fill(bytes[5] ^ 1, 5, 6),
    (bytes) => bytes.fill(bytes[40_000] ^ 0x80, 40_000, 40_001),
    (bytes) => bytes.subarray(0, 1_000),
    (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
    () => Buffer.alloc(0),
  ];
  for (const [i, damage] of damages.entries()) {
    await source.fetch(0, 100, options);
    const [entry] = await entriesOf(path);
    await writeFile(entry, damage(await readFile(entry)));
    assert.deepEqual(
      Buffer.from((await source.fetch(0, CACHE_BLOCK_BYTES, options)) ?? []),
      Buffer.from(file.subarray(0, CACHE_BLOCK_BYTES)),
    );
    assert.equal(counters.cacheDamaged, i + 1);
  }
  await source.fetch(0, SIZE, options);
  const [a, b] = await entriesOf(path);
  await writeFile(a, await readFile(b));
  assert.deepEqual(
    Buffer.from((await source.fetch(0, SIZE, options)) ?? []),
    Buffer.from(file),
    'an entry in the place of another one is not taken',
  );
});

test('keeps within its room, dropping what was used longest ago, and clears old temporary files', async () => {
  const path = await scratch();
  const counters = createByteCounters();
  const maxBytes = 4 * CACHE_BLOCK_BYTES;
  await writeFile(join(path, 'tmp-1-abc'), 'x');
  await utimes(join(path, 'tmp-1-abc'), 1, 1);
  const cache = await openDiskCache(path, { maxBytes, counters });
  assert.deepEqual(await readdir(path), []);
  const sources = Array.from({ length: 6 }, (_, i) => withDiskCache(memorySource(`m${i}`, file, 'v'), cache));
  for (const source of sources) {
    assert.deepEqual(Buffer.from((await source.fetch(0, SIZE, options)) ?? []), Buffer.from(file));
    const sizes = await Promise.all((await entriesOf(path)).map(async (entry) => (await stat(entry)).size));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= maxBytes);
  }
  assert.ok(counters.cacheEvicted > 0);
  const before = counters.cacheHits;
  await sources[5].fetch(2 * CACHE_BLOCK_BYTES, 10, options);
  assert.equal(counters.cacheHits, before + 1, 'what came last is still there');
  assert.deepEqual(
    (await readdir(path)).filter((name) => name.startsWith('tmp-')),
    [],
  );
});

test('shares a small cache folder among processes that all read the right bytes', async () => {
  const path = await scratch();
  const module = (name: string) => JSON.stringify(new URL(`../../src/readers/io/${name}.ts`, import.meta.url).href);
  const program = `
    const { withDiskCache } = await import(${module('disk-cache')});
    const { openDiskCache } = await import(${module('disk-cache-folder')});
    const { fileSource } = await import(${module('file-source')});
    const bytes = (await import('node:fs')).readFileSync(${JSON.stringify(join(site.folder, 'file.bin'))});
    const cache = await openDiskCache(${JSON.stringify(path)}, { maxBytes: ${3 * CACHE_BLOCK_BYTES} });
    const source = withDiskCache(fileSource(${JSON.stringify(join(site.folder, 'file.bin'))}), cache);
    for (let i = 0; i < 150; i++) {
      const offset = Math.floor(Math.random() * (bytes.length - 1000));
      const read = await source.fetch(offset, 1000, { signal: AbortSignal.any([]) });
      if (bytes.compare(read, 0, 1000, offset, offset + 1000) !== 0) throw new Error('wrong bytes at ' + offset);
    }`;
  const children = [0, 1, 2].map(() => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]));
  for (const child of await Promise.allSettled(children))
    assert.equal(child.status, 'fulfilled', String((child as { reason?: unknown }).reason));
  assert.ok((await entriesOf(path)).length <= 5);
  assert.deepEqual(
    (await readdir(path)).filter((name) => name.startsWith('tmp-')),
    [],
  );
});

test('keeps within its room while many small blocks come', async () => {
  const path = await scratch();
  const maxBytes = 60_000;
  const cache = await openDiskCache(path, { maxBytes });
  for (let i = 0; i < 150; i++) {
    await cache.put(`block ${i}`, file.subarray(0, 1_000 + i));
    const sizes = await Promise.all((await entriesOf(path)).map(async (entry) => (await stat(entry)).size));
    const held = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(held <= maxBytes && held > Math.min(i * 1_000, maxBytes * 0.8), `${held} bytes after ${i}`);
  }
  assert.equal((await cache.get('block 149', 1_149))?.length, 1_149);
  assert.equal(await cache.get('block 0', 1_000), null);
});

test('goes on reading when the cache cannot write', async () => {
  const path = await scratch();
  const counters = createByteCounters();
  const source = withDiskCache(memorySource('m', file, 'v'), await openDiskCache(path, { maxBytes: 1e7, counters }));
  await rm(path, { recursive: true });
  await writeFile(path, 'a file in the place of the folder');
  assert.deepEqual(Buffer.from((await source.fetch(7, 9, options)) ?? []), Buffer.from(file.subarray(7, 16)));
  assert.equal(counters.cacheWriteFailures, 1);
});

test('forgets failures: the next read begins again', async () => {
  site.handler = misbehave(503, {});
  const source = withDiskCache(httpSource(`${site.base}/f`), await openDiskCache(await scratch(), { maxBytes: 1e7 }));
  assert.equal((await faultOf(source.fetch(0, 10, options))).status, 503);
  site.handler = serve;
  assert.equal((await source.fetch(0, 10, options))?.length, 10);
});
