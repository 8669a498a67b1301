import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { startTestBucket, type TestBucket } from '../../../test/test-bucket.ts';
import { Problem } from '../../errors.ts';
import type { ObjectStore } from './object-store.ts';
import { openS3 } from './open-s3.ts';
import { PART_BYTES } from './put-object.ts';
import type { S3Place, S3Timing } from './s3-requests.ts';
import { readS3Document } from './s3-xml.ts';

const KEYS = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', sessionToken: null };
const BIG = 2 * PART_BYTES + 5;
const PUTTING = fileURLToPath(new URL('../../../test/contracts/putting.fixture.ts', import.meta.url));

async function* bytesOf(size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < size; at += 100_000)
    yield Buffer.alloc(Math.min(100_000, size - at), createHash('sha256').update(String(at)).digest());
}

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes));
}

async function keysOf(objects: ObjectStore): Promise<string[]> {
  return (await Array.fromAsync(objects.list(''))).map(({ key }) => key);
}

/** The sentence for the operator that a call fails with. */
async function faultOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it did not fail'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof Problem && error.code === 'dependency_unavailable', String(error));
  assert.doesNotMatch(error.message, /127\.0\.0\.1/, 'a client learns no address');
  return (error.cause as Error).message;
}

describe('a bucket', () => {
  let bucket: TestBucket;
  let place: S3Place;
  let objects: ObjectStore;
  const waits: number[] = [];
  const timing: S3Timing = {
    now: Date.now,
    wait: async (ms) => void waits.push(ms),
    silenceMs: 20_000,
  };
  before(async () => {
    bucket = await startTestBucket();
    const url = new URL(bucket.url);
    place = { ...KEYS, bucketUrl: `${url.origin}/files`, prefix: 'here/' };
    objects = openS3(place, timing);
  });
  beforeEach(async () => {
    bucket.fault = () => null;
    for await (const { key } of objects.list('')) await objects.delete(key);
    bucket.seen.length = 0;
    waits.length = 0;
  });
  after(async () => {
    await objects?.close();
    await bucket?.[Symbol.asyncDispose]();
  });

  it('keeps objects of any size, in one request or in parts', async () => {
    for (const size of [0, 1, PART_BYTES, PART_BYTES + 1, BIG]) {
      const bytes = await all(bytesOf(size));
      const put = await objects.put(`sizes/${size}`, bytesOf(size));
      const [listed] = await Array.fromAsync(objects.list(`sizes/${size}`));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(put, { size, sha256, etag: listed!.etag });
      assert.notEqual(put.etag, '');
      const found = await objects.get(`sizes/${size}`);
      assert.equal(found?.size, size);
      assert.ok(bytes.equals(await all(found.bytes)), String(size));
    }
    assert.equal(await objects.get('sizes/none'), null);
    const listed = (await Array.fromAsync(objects.list('sizes/'))).map(({ key, size }) => [key, size]);
    assert.deepEqual(listed.length, 5);
    await objects.delete('sizes/1');
    await objects.delete('sizes/1');
    assert.equal((await keysOf(objects)).length, 4);
  });

  it('gives ranges of an object', async () => {
    const bytes = await all(bytesOf(300_000));
    await objects.put('ranges', bytesOf(300_000));
    await fc.assert(
      fc.asyncProperty(fc.nat(310_000), fc.integer({ min: 1, max: 310_000 }), async (offset, length) => {
        const found = await objects.get('ranges', { offset, length });
        assert.ok(bytes.subarray(offset, offset + length).equals(await all(found!.bytes)));
      }),
      { numRuns: 20 },
    );
    assert.ok(bytes.subarray(299_990).equals(await all((await objects.get('ranges', { offset: 299_990 }))!.bytes)));
  });

  it('refuses a wrong secret, a key that is not known and a bucket that is not there, at once and in words', async () => {
    const fault = (other: Partial<S3Place>) => faultOf(openS3({ ...place, ...other }, timing).put('x', bytesOf(1)));
    assert.match(await fault({ secretAccessKey: 'wrong' }), /403 SignatureDoesNotMatch: check AWS_SECRET_ACCESS_KEY/);
    assert.match(await fault({ accessKeyId: 'nobody' }), /403 InvalidAccessKeyId: check AWS_ACCESS_KEY_ID/);
    assert.match(
      await fault({ bucketUrl: place.bucketUrl.replace('files', 'none') }),
      /404 NoSuchBucket: .*OBJECT_STORE_URL/,
    );
    const nowhere = openS3({ ...place, bucketUrl: place.bucketUrl.replace('files', 'none') }, timing);
    assert.match(await faultOf(nowhere.get('x')), /NoSuchBucket/);
    assert.deepEqual(waits, []);
    assert.deepEqual(await keysOf(objects), []);
  });

  it('tries what passes again, and stores what it should', async () => {
    const faults = [
      { status: 503, code: 'SlowDown' },
      { status: 500, code: 'InternalError' },
      'drop',
      'lose answer',
    ] as const;
    for (const fault of faults) {
      let left = 2;
      bucket.fault = () => (left-- > 0 ? fault : null);
      await objects.put('again', bytesOf(1_000));
      assert.equal((await all((await objects.get('again'))!.bytes)).length, 1_000, String(fault));
    }
    assert.equal(waits.length, 8);
    assert.ok(waits.every((ms) => ms >= 100 && ms <= 400));
  });

  it('gives up after 5 attempts with a sentence', async () => {
    bucket.fault = () => ({ status: 503, code: 'SlowDown' });
    assert.match(await faultOf(objects.get('x')), /answers GET with 503 SlowDown/);
    assert.equal(bucket.seen.length, 5);
    bucket.fault = () => 'drop';
    assert.match(await faultOf(objects.put('x', bytesOf(1))), /cannot be reached/);
    bucket.fault = () => ({ status: 403, code: 'AccessDenied' });
    assert.match(await faultOf(Array.fromAsync(objects.list(''))), /403 AccessDenied: .*what they may do there/);
  });

  it('gives up where nothing answers', async () => {
    const impatient = openS3(place, { ...timing, silenceMs: 50 });
    bucket.fault = () => 'hang';
    assert.match(await faultOf(impatient.get('x')), /cannot be reached: .*[Tt]imeout/);
    await impatient.close();
  });

  it('takes an error in an answer of 200 for an error', async () => {
    let left = 1;
    bucket.fault = (line) =>
      /^POST .*uploadId=/.test(line) && left-- > 0 ? { status: 200, code: 'InternalError' } : null;
    await objects.put('late', bytesOf(BIG));
    assert.equal((await objects.get('late'))?.size, BIG);
    assert.equal(left, -1, 'it was completed in a second attempt');
    bucket.fault = (line) => (/^POST .*uploadId=/.test(line) ? { status: 200, code: 'InternalError' } : null);
    assert.match(await faultOf(objects.put('never', bytesOf(BIG))), /200 InternalError/);
    bucket.fault = () => null;
    assert.deepEqual(await keysOf(objects), ['late']);
  });

  it('finishes an upload whose parts and end are answered into nothing', async () => {
    const failed = new Set<string>();
    bucket.fault = (line) => {
      const isOnce = /uploadId=/.test(line) && !failed.has(line);
      failed.add(line);
      return isOnce ? 'lose answer' : null;
    };
    const put = await objects.put('parts', bytesOf(BIG));
    bucket.fault = () => null;
    const bytes = await all((await objects.get('parts'))!.bytes);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), put?.sha256);
    assert.equal((await Array.fromAsync(objects.list('parts')))[0]!.etag, put?.etag);
  });

  it('leaves nothing of a source that fails, or of parts that are refused', async () => {
    const failing = async function* () {
      yield* bytesOf(BIG);
      throw new Error('the client left');
    };
    await assert.rejects(objects.put('failed', failing()), /the client left/);
    bucket.fault = (line) => (/partNumber=2/.test(line) ? { status: 403, code: 'AccessDenied' } : null);
    assert.match(await faultOf(objects.put('refused', bytesOf(BIG))), /403 AccessDenied/);
    assert.ok(bucket.seen.at(-1)?.startsWith('DELETE '), 'the parts are given up');
    assert.deepEqual(await keysOf(objects), []);
  });

  it('shows nothing of an upload in parts whose process is killed', async () => {
    bucket.fault = (line) => (/partNumber=2/.test(line) ? 'hang' : null);
    const child = spawn(process.execPath, [PUTTING, JSON.stringify(place), 'killed', String(BIG)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    const isSecond = (line: string): boolean => /^PUT .*partNumber=2/.test(line);
    while (!bucket.seen.some(isSecond)) {
      assert.equal(child.exitCode, null, 'it ended before its second part');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill('SIGKILL');
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    bucket.fault = () => null;
    assert.ok(bucket.seen.some((line) => /^PUT .*partNumber=1/.test(line)));
    assert.deepEqual(await keysOf(objects), []);
    assert.equal(await objects.get('killed'), null);
    // Nor is it in the way of the next.
    await objects.put('killed', bytesOf(BIG));
    assert.equal((await objects.get('killed'))?.size, BIG);
  });

  it('goes on reading where a connection broke off, as often as it brings something', async () => {
    const bytes = await all(bytesOf(2_000_000));
    await objects.put('read', bytesOf(2_000_000));
    let left = 7;
    bucket.fault = () => (left-- > 0 ? 'truncate' : null);
    assert.ok(bytes.equals(await all((await objects.get('read'))!.bytes)));
    assert.equal(left, -1);
  });

  it('gives a link that opens one object and no other', async () => {
    await objects.put('one', bytesOf(10));
    await objects.put('two', bytesOf(10));
    const link = await objects.link('one', { seconds: 60, fileName: 'results', mediaType: 'text/csv' });
    const answer = await fetch(link);
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="results"');
    assert.equal(answer.headers.get('content-type'), 'text/csv');
    assert.equal((await answer.arrayBuffer()).byteLength, 10);
    assert.equal((await fetch(link.replace('here/one', 'here/two'))).status, 403);
  });

  it('refuses keys that servers may read in different ways', async () => {
    for (const key of ['', '/a', 'a/', 'a//b', 'a/../b', 'a b', 'a+b', 'ä', 'a?b'])
      await assert.rejects(objects.put(key, bytesOf(1)), /wanted a key/, key);
  });
});

describe('conditional puts, pages and old uploads', () => {
  /** What the server of the tests above does not know: `If-None-Match`, pages of listings, and listings of uploads. */
  async function startServer() {
    const stored = new Map<string, Buffer>();
    let uploads = [
      ['here/old', '1', '2026-01-01T00:00:00Z'],
      ['here/young', '2', '2026-01-03T00:00:00Z'],
    ];
    let loses = 0;
    let breaks = false;
    const server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const key = url.pathname.slice('/files/'.length);
      if (url.searchParams.has('uploads')) {
        const items = uploads.map(
          ([name, id, at]) =>
            `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`,
        );
        return response.end(`<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`);
      }
      if (request.method === 'DELETE') {
        uploads = uploads.filter(([, id]) => id !== url.searchParams.get('uploadId'));
        return response.writeHead(204).end();
      }
      if (url.searchParams.has('list-type')) {
        const from = Number(url.searchParams.get('continuation-token') ?? 0);
        const items = [from, from + 1].map((i) => `<Contents><Key>here/${i}</Key><Size>${i}</Size></Contents>`);
        const more = `<IsTruncated>${from < 4}</IsTruncated><NextContinuationToken>${from + 2}</NextContinuationToken>`;
        return response.end(`<ListBucketResult>${more}${items.join('')}</ListBucketResult>`);
      }
      if (request.method === 'GET') {
        const bytes = stored.get(key) ?? Buffer.alloc(0);
        const etag = `"${bytes.length}"`;
        if ((request.headers['if-match'] ?? etag) !== etag) return response.writeHead(412).end();
        response.writeHead(200, { etag, 'content-length': bytes.length });
        return breaks ? response.write(bytes.subarray(0, 10), () => request.socket.destroy()) : response.end(bytes);
      }
      if (request.headers['if-none-match'] === '*' && stored.has(key)) return response.writeHead(412).end();
      stored.set(key, body);
      return loses-- > 0 ? request.socket.destroy() : response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const place = { ...KEYS, bucketUrl: `http://127.0.0.1:${port}/files`, prefix: 'here/' };
    const objects = openS3(place, { now: Date.now, wait: () => Promise.resolve(), silenceMs: 10_000 });
    return {
      objects,
      loseNext: () => (loses = 1),
      breakAnswers: () => (breaks = true),
      uploads: () => uploads.map(([name]) => name),
      async [Symbol.asyncDispose]() {
        await objects.close();
        server.close();
      },
    };
  }

  it('store what is not there, and leave what is', async () => {
    await using server = await startServer();
    const put = (size: number) => server.objects.put('one', bytesOf(size), { ifAbsent: true });
    assert.equal((await put(5))?.size, 5);
    assert.equal(await put(6), null);
  });

  it('know their own object again when the answer to it was lost', async () => {
    await using server = await startServer();
    server.loseNext();
    assert.equal((await server.objects.put('one', bytesOf(5), { ifAbsent: true }))?.size, 5);
  });

  it('do not mix two objects where one is replaced while it is read', async () => {
    await using server = await startServer();
    await server.objects.put('one', bytesOf(100));
    server.breakAnswers();
    const { bytes } = (await server.objects.get('one'))!;
    await server.objects.put('one', bytesOf(200));
    assert.match(await faultOf(all(bytes)), /was replaced .* while it was read/);
  });

  it('lists page by page', async () => {
    await using server = await startServer();
    assert.deepEqual(await keysOf(server.objects), ['0', '1', '2', '3', '4', '5']);
  });

  it('gives up uploads that were begun long ago, and no others', async () => {
    await using server = await startServer();
    assert.equal(await server.objects.abortUploads(new Date('2026-01-02T00:00:00Z')), 1);
    assert.deepEqual(server.uploads(), ['here/young']);
  });
});

describe('documents of S3', () => {
  it('are read to the depth that is looked at', () => {
    const text = '<R xmlns="x"><A>1 &amp; 2</A><C><K>a</K><O><I>x</I></O></C><C><K>b</K></C></R>';
    assert.deepEqual(readS3Document(text), {
      root: 'R',
      fields: { A: '1 & 2' },
      items: [
        { name: 'C', fields: { K: 'a' } },
        { name: 'C', fields: { K: 'b' } },
      ],
    });
  });

  it('are null for anything else, whatever it is', () => {
    for (const text of ['', 'no', '<a>', '<a></b>', '<html><p>busy']) assert.equal(readS3Document(text), null);
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = readS3Document(text);
        assert.ok(found === null || typeof found.root === 'string');
      }),
    );
  });
});
