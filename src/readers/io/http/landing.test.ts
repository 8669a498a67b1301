import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../geo/seeded-random.ts';
import { readBody } from './body.ts';
import { httpSource } from './http-source.ts';
import { reusedReads } from './landing.ts';
import { requestUntil } from './request-until.ts';

const { signal } = new AbortController();
const FILE = new Uint8Array(4_000_000);
const random = seededRandom(2);
for (let i = 0; i < FILE.length; i++) FILE[i] = 256 * random();

/** Ranges of the file, sent in pieces of random lengths; headers are `?pad=` bytes longer; `?slow` takes a rest after each piece. */
function openServer(): Server {
  return createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const [start, end] = [Number(from), Number(to) + 1];
    response.writeHead(206, {
      etag: '"1"',
      'content-range': `bytes ${start}-${end - 1}/${FILE.length}`,
      'content-length': end - start,
      'x-pad': 'p'.repeat(Number(searchParams.get('pad') ?? 0)),
    });
    for (let at = start; at < end && !response.destroyed;) {
      const piece = Math.min(end - at, Math.ceil(random() * (random() < 0.5 ? 2_000 : 200_000)));
      if (!response.write(FILE.subarray(at, at + piece))) await Promise.race([once(response, 'drain'), sleep(1000)]);
      if (searchParams.has('slow') || random() < 0.1) await sleep(1);
      at += piece;
    }
    response.end();
  });
}

describe('bodies that go to their place as they come', () => {
  const server = openServer();
  let url: string;
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('are those of the file, many at once, in given memory and in their own, whatever pieces they come in', async () => {
    for (const pad of [0, 9_000]) {
      const source = httpSource(`${url}?pad=${pad}`);
      const reads = Array.from({ length: 60 }, async (_, i) => {
        const length = Math.ceil(random() * (i % 3 === 0 ? 3_000 : 900_000));
        const offset = Math.floor(random() * (FILE.length - length));
        const into = i % 2 === 0 ? new Uint8Array(new SharedArrayBuffer(length)) : undefined;
        const bytes = await source.fetch(offset, length, { signal, ...(into && { into }) });
        assert.ok(bytes !== null);
        if (into) assert.equal(bytes.buffer, into.buffer);
        assert.equal(Buffer.compare(bytes, FILE.subarray(offset, offset + length)), 0);
      });
      await Promise.all(reads);
    }
  });

  it('stay as they came until somebody reads them, although others are received meanwhile', async () => {
    const range = (from: number, length: number) => ({
      headers: { range: `bytes=${from}-${from + length - 1}` },
      signal,
    });
    const waiting = [];
    for (let i = 0; i < 4; i++) waiting.push(await requestUntil(url, range(i * 1000, 50_000)));
    for (let i = 0; i < 8; i++) await readBody('here', await requestUntil(url, range(i * 100_000, 300_000)), 300_000);
    await sleep(20);
    for (const [i, answer] of waiting.entries()) {
      const bytes = await readBody('here', answer, 50_000);
      assert.equal(Buffer.compare(bytes, FILE.subarray(i * 1000, i * 1000 + 50_000)), 0);
    }
  });

  it('write nothing more to the memory of a reader that has left', async () => {
    const source = httpSource(`${url}?slow`);
    for (let i = 0; i < 10; i++) {
      const leave = new AbortController();
      const into = new Uint8Array(FILE.length);
      const read = source.fetch(0, into.length, { signal: leave.signal, into });
      await sleep(2 + i);
      leave.abort(new Error('left'));
      into.fill(7);
      await assert.rejects(read, /left/);
      await sleep(5);
      assert.ok(into.every((byte) => byte === 7));
    }
  });
});

describe('memory that a socket reads into', () => {
  /** A socket of which so many bytes wait to be read, and what it was given. */
  function openReads() {
    const { buffer, callback } = reusedReads();
    const given: Uint8Array[] = [];
    const socket = {
      readableLength: 0,
      push: (piece: Uint8Array) => given.push(piece) > 0,
    };
    function read(count: number, waiting: number): ArrayBufferLike {
      const bytes = buffer();
      socket.readableLength = waiting + count;
      assert.equal(callback.call(socket as unknown as Socket, count, bytes), true);
      assert.equal(given.at(-1)?.length, count);
      return bytes.buffer;
    }
    return { read, given };
  }

  it('is used again in turn while what came before has been read, and copied out of where it is little', () => {
    const { read, given } = openReads();
    const [a, b] = [read(60_000, 0), read(16_384, 0)];
    assert.notEqual(a, b);
    assert.deepEqual([read(65_536, 0), read(65_536, 0)], [a, b]);
    assert.equal(read(16_383, 0), a);
    assert.notEqual(given.at(-1)?.buffer, a);
    assert.equal(read(65_536, 0), a);
    assert.equal(given.at(-1)?.buffer, a);
  });

  it('is new while earlier bytes wait', () => {
    const { read } = openReads();
    const first = read(65_536, 0);
    const second = read(65_536, 65_536);
    const third = read(65_536, 131_072);
    const fourth = read(65_536, 196_608);
    assert.equal(new Set([first, second, third, fourth]).size, 4);
  });
});
