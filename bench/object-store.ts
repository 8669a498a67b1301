/*
 * Looks whether a real bucket does what the service relies on: whole and multipart uploads, ranges, listings, conditional puts,
 * links, and that an upload whose process is killed leaves nothing that anybody sees, and parts that the sweep removes.
 *
 *   OBJECT_STORE_URL=... AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... node bench/object-store.ts
 *
 * The bucket is made when it is not there. bench/radosgw.sh starts Ceph's of Debian to run it against.
 */

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../src/config/settings.ts';
import { bucketPlace } from '../src/config/bucket-place.ts';
import type { ObjectStore } from '../src/db/object-store/object-store.ts';
import { openS3 } from '../src/db/object-store/open-s3.ts';
import { openS3Requests, S3_TIMING } from '../src/db/object-store/s3-requests.ts';

const objectStore = bucketPlace(readConfig({ DATABASE_URL: 'postgres://unused', ...process.env }));
if (objectStore === null) throw new Error('wanted OBJECT_STORE_URL');
const place = { ...objectStore, prefix: `${objectStore.prefix}check-${randomBytes(4).toString('hex')}/` };
const MB = 1024 * 1024;

/** Bytes that can be made again from their number. */
async function* madeUp(size: number, seed = 'a', pauseMs = 0): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < size; at += MB) {
    if (pauseMs > 0) await wait(pauseMs);
    const block = Buffer.alloc(Math.min(MB, size - at));
    for (let i = 0; i < block.length; i += 32)
      createHash('md5')
        .update(`${seed}${at + i}`)
        .digest()
        .copy(block, i);
    yield block;
  }
}

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function keys(objects: ObjectStore, prefix = ''): Promise<string[]> {
  return (await Array.fromAsync(objects.list(prefix))).map(({ key }) => key);
}

if (process.argv[2] === 'upload') {
  // The child that is killed: parts go out one after the other, and the parent hears of each megabyte.
  const objects = openS3({ ...place, prefix: process.argv[3] });
  const source = async function* () {
    let sent = 0;
    for await (const block of madeUp(200 * MB, 'killed', 20)) {
      process.send?.((sent += block.length));
      yield block;
    }
  };
  await objects.put('killed/file', source());
  process.exit(0);
}

const objects = openS3(place);
const requests = openS3Requests(place, S3_TIMING);
const done: string[] = [];
const check = async (name: string, work: () => Promise<unknown>): Promise<void> => {
  const began = performance.now();
  const more = await work();
  done.push(`| ${name} | ${Math.round(performance.now() - began)} ms | ${typeof more === 'string' ? more : ''} |`);
  console.log(done.at(-1));
};

await requests.send({ method: 'PUT', key: null, accept: [409] }).catch((error: unknown) => console.error(error));
console.log(`| ${objects.place} | time | |\n|---|---|---|`);
await check('object of 0, 1 and 5,000,000 bytes', async () => {
  for (const size of [0, 1, 5_000_000]) {
    const bytes = await all(madeUp(size));
    const put = await objects.put(`whole/${size}`, madeUp(size));
    const [listed] = await Array.fromAsync(objects.list(`whole/${size}`));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual(put, { size, sha256, etag: listed.etag });
    const found = await objects.get(`whole/${size}`);
    assert.equal(found?.size, size);
    assert.ok(bytes.equals(await all(found.bytes)));
  }
});
const big = 100 * MB + 1;
await check(`multipart of ${big} bytes`, async () => {
  const put = await objects.put('multipart/big', madeUp(big));
  const hash = createHash('sha256');
  for await (const piece of (await objects.get('multipart/big'))!.bytes) hash.update(piece);
  assert.equal(hash.digest('hex'), put?.sha256);
});
await check('ranges, at seams of parts, past the end', async () => {
  const bytes = await all(madeUp(big));
  for (const [offset, length] of [
    [0, 1],
    [8 * MB - 1, 2],
    [big - 5, 100],
    [50 * MB + 7, 3 * MB],
  ] as const) {
    const found = await objects.get('multipart/big', { offset, length });
    assert.equal(found?.size, big);
    assert.ok(bytes.subarray(offset, offset + length).equals(await all(found.bytes)));
  }
  assert.equal((await all((await objects.get('multipart/big', { offset: big, length: 5 }))!.bytes)).length, 0);
});
await check('listing of 1,100 objects, page by page', async () => {
  const names = Array.from({ length: 1100 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
  for (let i = 0; i < names.length; i += 50)
    await Promise.all(names.slice(i, i + 50).map((name) => objects.put(name, madeUp(3))));
  assert.deepEqual(await keys(objects, 'many/'), names);
});
await check('conditional put: one of 8 that race is stored', async () => {
  const won = await Promise.all(
    Array.from({ length: 8 }, (_, i) => objects.put('race/one', madeUp(1000, `writer ${i}`), { ifAbsent: true })),
  );
  const stored = won.filter((put) => put !== null);
  const bytes = await all((await objects.get('race/one'))!.bytes);
  assert.equal(stored.length, 1);
  assert.equal(stored[0].sha256, createHash('sha256').update(bytes).digest('hex'));
});
await check('conditional put: what is there stays', async () => {
  assert.equal(await objects.put('race/one', madeUp(10, 'late'), { ifAbsent: true }), null);
  assert.equal((await objects.get('race/one'))?.size, 1000);
});
await check('a link gives the object without credentials', async () => {
  const answer = await fetch(
    await objects.link('whole/5000000', { seconds: 60, fileName: 'results', mediaType: 'text/csv' }),
  );
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="results"');
  assert.equal((await answer.arrayBuffer()).byteLength, 5_000_000);
  const url = new URL(await objects.link('whole/1', { seconds: 60, fileName: 'x', mediaType: 'text/csv' }));
  url.pathname = url.pathname.replace(/1$/, '0');
  assert.equal((await fetch(url)).status, 403, 'it opens nothing else');
});
await check('a wrong secret is refused', async () => {
  const wrong = openS3({ ...place, secretAccessKey: `${place.secretAccessKey}x` });
  await assert.rejects(wrong.put('never', madeUp(1)), ({ cause }: { cause: Error }) => /403/.test(cause.message));
  assert.equal(await objects.get('never'), null);
});
await check('a source that fails in the middle leaves nothing', async () => {
  const failing = async function* () {
    yield* madeUp(20 * MB);
    throw new Error('the client left');
  };
  await assert.rejects(objects.put('failed/file', failing()), /the client left/);
  assert.deepEqual(await keys(objects, 'failed/'), []);
  assert.equal(await objects.abortUploads(new Date(Date.now() + 3_600_000)), 0, 'no parts either');
});
await check('kill -9 in a multipart put, 5 times: nothing visible, parts removed by the sweep', async () => {
  let aborted = 0;
  for (let round = 1; round <= 5; round++) {
    const child = fork(import.meta.filename, ['upload', place.prefix]);
    for (;;) {
      const [sent] = (await once(child, 'message')) as [number];
      if (sent >= (round * 12 + 12) * MB) break;
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.deepEqual(await keys(objects, 'killed/'), []);
    assert.equal(await objects.get('killed/file'), null);
    assert.equal(await objects.abortUploads(new Date(Date.now() - 3_600_000)), 0, 'a young one is left alone');
    aborted += await objects.abortUploads(new Date(Date.now() + 3_600_000));
  }
  assert.equal(aborted, 5);
  assert.equal(await objects.abortUploads(new Date(Date.now() + 3_600_000)), 0);
  return `${aborted} uploads given up`;
});
await check('removed again', async () => {
  for await (const { key } of objects.list('')) await objects.delete(key);
  assert.deepEqual(await keys(objects), []);
});
await Promise.all([objects.close(), requests.close()]);
