import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdtemp, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';

import { withCoalescing } from '../../src/readers/io/coalescing.ts';
import { createGate, createHostGates, withConcurrency } from '../../src/readers/io/concurrency.ts';
import type { ByteFault } from '../../src/readers/io/byte-error.ts';
import { fileSource } from '../../src/readers/io/file-source.ts';
import { memorySource } from '../memory/memory-source.ts';
import { remoteSource } from '../../src/readers/io/remote.ts';
import { withRetries } from '../../src/readers/io/retries.ts';
import type { ByteSource } from '../../src/readers/io/byte-source.ts';
import { openDiskCache } from '../../src/readers/io/disk-cache-folder.ts';
import { CACHE_BLOCK_BYTES, withDiskCache } from '../../src/readers/io/disk-cache.ts';
import { httpSource } from '../../src/readers/io/http/http-source.ts';
import { faultOf, file, misbehave, openByteSite, options, serve, SIZE, type Handler } from './byte-source-site.ts';
import { runs } from '../property-runs.ts';

const site = openByteSite();

async function scratch(): Promise<string> {
  return mkdtemp(join(site.folder, 'cache-'));
}

test('reads the same random ranges through every combination of wrappers', async () => {
  const cacheFolder = await scratch();
  const cache = await openDiskCache(cacheFolder, { maxBytes: 2.5 * CACHE_BLOCK_BYTES });
  const gate = createGate(3);
  await using onDisk = fileSource(join(site.folder, 'file.bin'));
  const bare: ByteSource[] = [
    onDisk,
    memorySource('memory', file, 'v1'),
    memorySource('unversioned', file),
    httpSource(`${site.base}/file?secret=1`),
  ];
  const wrappers: ((source: ByteSource) => ByteSource)[] = [
    (source) => withCoalescing(source, { maxGap: 1_000, maxBytes: 200_000 }),
    (source) => withConcurrency(source, gate),
    (source) => withRetries(source),
    (source) => withDiskCache(source, cache),
  ];
  const range = fc
    .integer({ min: 0, max: SIZE })
    .chain((offset) => fc.tuple(fc.constant(offset), fc.integer({ min: 0, max: SIZE - offset })));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bare),
      fc.shuffledSubarray(wrappers),
      fc.array(range, { minLength: 1, maxLength: 6 }),
      async (source, chosen, ranges) => {
        const wrapped = chosen.reduce((inner, wrap) => wrap(inner), source);
        const read = await Promise.all(ranges.map(([offset, length]) => wrapped.fetch(offset, length, options)));
        for (const [i, [offset, length]] of ranges.entries())
          assert.deepEqual(Buffer.from(read[i] ?? []), Buffer.from(file.subarray(offset, offset + length)));
        const fault = await faultOf(wrapped.fetch(SIZE - 5, 6, options));
        assert.equal(fault.kind, 'past_end');
      },
    ),
    { numRuns: runs(150) },
  );
});

test('finds nothing where nothing is', async () => {
  site.handler = misbehave(404, { 'content-type': 'text/plain' }, 'no');
  const remote = remoteSource(`${site.base}/none`, {
    gateOf: createHostGates(2),
    cache: await openDiskCache(await scratch(), { maxBytes: 1e6 }),
  });
  await using missing = fileSource(join(site.folder, 'missing.bin'));
  for (const source of [remote, httpSource(`${site.base}/none`), missing]) {
    assert.equal(await source.fetch(0, 10, options), null);
    assert.equal(await source.stat(options), null);
  }
});

test('names what a misbehaving server did and never returns other bytes', async () => {
  const partial = (headers: Record<string, string | number>, body: Uint8Array | string) =>
    misbehave(206, headers, body);
  const ten = file.subarray(0, 10);
  const cases: [string, Handler, ByteFault, RegExp][] = [
    ['the whole file', misbehave(200, { 'content-length': SIZE }, file), 'no_ranges', /does not support ranges/],
    [
      'the whole file of unknown length',
      (_request, response) => void response.writeHead(200).end(file),
      'no_ranges',
      /does not support ranges/,
    ],
    ['a shifted range', partial({ 'content-range': `bytes 1-10/${SIZE}` }, ten), 'bad_range', /got 1 to 11/],
    [
      'a longer range',
      partial({ 'content-range': `bytes 0-10/${SIZE}` }, file.subarray(0, 11)),
      'bad_range',
      /got 0 to 11/,
    ],
    [
      'a shorter range',
      partial({ 'content-range': `bytes 0-4/${SIZE}` }, file.subarray(0, 5)),
      'bad_range',
      /got 0 to 5/,
    ],
    ['a range cut at the end', partial({ 'content-range': 'bytes 0-4/5' }, file.subarray(0, 5)), 'past_end', /of 5/],
    ['no range at all', partial({}, ten), 'bad_range', /got none/],
    ['nonsense as range', partial({ 'content-range': 'bytes ten' }, ten), 'bad_range', /bytes ten/],
    [
      'a short body',
      partial({ 'content-range': `bytes 0-9/${SIZE}`, 'transfer-encoding': 'chunked' }, file.subarray(0, 7)),
      'short',
      /wanted 10 bytes, got 7/,
    ],
    [
      'a long body',
      partial({ 'content-range': `bytes 0-9/${SIZE}`, 'transfer-encoding': 'chunked' }, file),
      'too_large',
      /wanted 10 bytes, got more/,
    ],
    [
      'a zipped body',
      partial({ 'content-range': `bytes 0-9/${SIZE}`, 'content-encoding': 'gzip' }, gzipSync(ten)),
      'encoded',
      /encoded with gzip/,
    ],
    ['a refusal', misbehave(403, {}), 'status', /got 403/],
    ['an answer past the end', misbehave(416, { 'content-range': `bytes */5` }), 'past_end', /past the end/],
    ['a redirect loop', misbehave(302, { location: '/again' }), 'redirect', /at most 3 redirects/],
    ['a redirect to nowhere', misbehave(302, { location: 'ftp://example.org/' }), 'redirect', /http or https/],
  ];
  for (const [name, misbehaviour, kind, message] of cases) {
    site.handler = misbehaviour;
    const fault = await faultOf(
      httpSource(`${site.base}/f?signature=hidden`, { maxWholeBytes: 1_000 }).fetch(0, 10, options),
    );
    assert.equal(fault.kind, kind, `${name}: ${fault.message}`);
    assert.match(fault.message, message, name);
    assert.doesNotMatch(`${fault.message} ${fault.place} ${fault.stack}`, /hidden/);
    assert.ok(fault.remedy.length > 0);
  }
});

test('fails when the connection breaks in the body or before it, and keeps the cause', async () => {
  const head = { 'content-range': `bytes 0-9/${SIZE}`, 'content-length': 10 };
  const breaks: Handler[] = [
    (_request, response) =>
      void response.writeHead(206, head).write(file.subarray(0, 4), () => response.socket?.resetAndDestroy()),
    (_request, response) => void response.writeHead(206, head).write(file.subarray(0, 4), () => response.socket?.end()),
    (request) => void request.socket.resetAndDestroy(),
  ];
  for (const broken of breaks) {
    site.handler = broken;
    const fault = await faultOf(httpSource(`${site.base}/f`).fetch(0, 10, options));
    assert.ok(['transport', 'short'].includes(fault.kind), fault.kind);
    assert.ok(fault.cause instanceof Error);
  }
});

test('takes a whole file from a server without ranges when it is small or what was requested', async () => {
  site.handler = misbehave(200, { 'content-length': SIZE, etag: '"a"' }, file);
  const small = httpSource(`${site.base}/f`);
  assert.deepEqual(Buffer.from((await small.fetch(100, 50, options)) ?? []), Buffer.from(file.subarray(100, 150)));
  assert.deepEqual(await small.stat(options), { size: SIZE, version: '"a"' });
  const whole = httpSource(`${site.base}/f`, { maxWholeBytes: 10 });
  assert.deepEqual(Buffer.from((await whole.fetch(0, SIZE, options)) ?? []), Buffer.from(file));
});

test('gives up at the deadline whether headers or body hang, and at once when the caller aborts', async () => {
  const hangs: Handler[] = [
    () => {},
    (_request, response) => void response.writeHead(206, { 'content-range': `bytes 0-9/${SIZE}` }).write('12'),
  ];
  for (const hang of hangs) {
    site.handler = hang;
    const start = performance.now();
    assert.equal(
      (await faultOf(httpSource(`${site.base}/f`, { deadlineMs: 100 }).fetch(0, 10, options))).kind,
      'timeout',
    );
    assert.equal(
      (await faultOf(withRetries(httpSource(`${site.base}/f`), { deadlineMs: 100 }).fetch(0, 10, options))).kind,
      'timeout',
    );
    assert.ok(performance.now() - start < 5_000);
    const reason = new Error('enough');
    const controller = new AbortController();
    const remote = remoteSource(`${site.base}/f`, {
      gateOf: createHostGates(1),
      cache: await openDiskCache(await scratch(), { maxBytes: 1e6 }),
    });
    const reads = [
      remote.fetch(0, 10, { signal: controller.signal }),
      remote.fetch(20, 10, { signal: controller.signal }),
    ];
    setTimeout(() => controller.abort(reason), 30);
    for (const result of await Promise.allSettled(reads))
      assert.equal(result.status === 'rejected' && result.reason, reason);
  }
});

test('notices that a file was replaced', async () => {
  const source = httpSource(`${site.base}/f`);
  await source.fetch(0, 10, options);
  site.handler = (request, response) => serve(request, response, file, '"v2"');
  const fault = await faultOf(source.fetch(0, 10, options));
  assert.deepEqual([fault.kind, (await source.stat(options))?.version], ['changed', '"v2"']);
  assert.equal((await source.fetch(0, 10, options))?.length, 10);
  const path = join(site.folder, 'changing.bin');
  await writeFile(path, 'first');
  await using onDisk = fileSource(path);
  assert.equal(String(Buffer.from((await onDisk.fetch(0, 5, options)) ?? [])), 'first');
  await writeFile(path, 'other');
  await utimes(path, 1, 1);
  assert.equal((await faultOf(onDisk.fetch(0, 5, options))).kind, 'changed');
});

test('queries size and version again when they are no longer fresh', async () => {
  let now = 0;
  const source = httpSource(`${site.base}/f`, { now: () => now, freshMs: 1_000 });
  assert.equal((await source.stat(options))?.version, '"v1"');
  site.handler = (request, response) => serve(request, response, file.subarray(0, 99), '"v2"');
  now = 999;
  assert.equal((await source.stat(options))?.version, '"v1"');
  now = 1_000;
  assert.deepEqual(await source.stat(options), { size: 99, version: '"v2"' });
});

test('sends its headers to its own host only and stays on the identity encoding', async () => {
  const seen: [string | undefined, string | undefined][] = [];
  const other = createServer((request, response) => {
    seen.push([request.headers.authorization, request.headers['accept-encoding']]);
    serve(request, response);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    site.handler = (request, response) => {
      seen.push([request.headers.authorization, request.headers['accept-encoding']]);
      response.writeHead(307, { location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/there` }).end();
    };
    assert.equal(
      (await httpSource(`${site.base}/f`, { headers: { authorization: 'Bearer x' } }).fetch(0, 3, options))?.length,
      3,
    );
    assert.deepEqual(seen, [
      ['Bearer x', 'identity'],
      [undefined, 'identity'],
    ]);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
