import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { file, misbehave, options, serve, type Handler } from '../../../test/end-to-end/byte-source-site.ts';
import { createHostGates } from './concurrency.ts';
import { createDoorHealth } from './doors.ts';
import { remoteSource } from './remote.ts';

/** Three hosts with the same file, each of which can be made to misbehave. */
const doors = [0, 1, 2].map(() => {
  const door = { url: '', handler: serve as Handler, requests: 0 };
  const server = createServer((request, response) => {
    door.requests += 1;
    door.handler(request, response);
  });
  return { door, server };
});
const [first, second, third] = doors.map(({ door }) => door) as [Door, Door, Door];
type Door = (typeof doors)[number]['door'];

before(async () => {
  for (const { door, server } of doors) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    door.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file.bin`;
  }
});
after(async () => {
  for (const { server } of doors) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
beforeEach(() => {
  for (const { door } of doors) Object.assign(door, { handler: serve, requests: 0 });
});

const HANGS: Handler = () => {};
const gateOf = createHostGates(16);

function open(hedgeMs = 2_000, now = { ms: 0 }) {
  const health = createDoorHealth(() => now.ms);
  return () =>
    remoteSource(first.url, {
      gateOf,
      cache: null,
      retries: { attempts: 1 },
      doors: { others: [second.url, third.url], health, hedgeMs },
    });
}

describe('a file at three addresses', () => {
  it('is read at the first one alone while that is in good health', async () => {
    const source = open()();
    assert.deepEqual(Buffer.from((await source.fetch(5, 10, options))!), Buffer.from(file.subarray(5, 15)));
    assert.deepEqual([first.requests, second.requests, third.requests], [1, 0, 0]);
  });

  it('is read into the memory that is given, which the first address alone writes to', async () => {
    const into = new Uint8Array(1000);
    assert.equal((await open()().fetch(5, 1000, { ...options, into }))?.buffer, into.buffer);
    assert.deepEqual(Buffer.from(into), Buffer.from(file.subarray(5, 1005)));
    first.handler = HANGS;
    into.fill(1);
    const bytes = await open(1)().fetch(5, 1000, { ...options, into });
    assert.deepEqual(Buffer.from(bytes!), Buffer.from(file.subarray(5, 1005)));
    assert.deepEqual(into, new Uint8Array(1000).fill(1));
  });

  it('is read at the next one when an address fails, breaks off or sends a web page', async () => {
    const faults: readonly Handler[] = [
      misbehave(503, {}),
      misbehave(206, { 'content-range': `bytes 0-9/${file.length}` }, 'short'),
      misbehave(200, { 'content-type': 'text/html' }, '<html>moved</html>'),
      (_, response) => response.destroy(),
      misbehave(404, {}),
    ];
    for (const handler of faults) {
      first.handler = handler;
      assert.deepEqual(Buffer.from((await open()().fetch(0, 10, options))!), Buffer.from(file.subarray(0, 10)));
    }
  });

  it('is not there only when no address has it', async () => {
    for (const { door } of doors) door.handler = misbehave(404, {});
    assert.equal(await open()().fetch(0, 10, options), null);
    assert.equal(await open()().stat(options), null);
    third.handler = misbehave(503, {});
    await assert.rejects(open()().fetch(0, 10, options), { kind: 'status', status: 503 });
  });

  it('is not mixed with another file of the same name', async () => {
    const source = open()();
    assert.equal((await source.stat(options))?.size, file.length);
    first.handler = misbehave(503, {});
    const other: Handler = (request, response) => serve(request, response, file.subarray(0, 5_000));
    [second.handler, third.handler] = [other, other];
    await assert.rejects(source.fetch(0, 10, options), { kind: 'status', status: 503 });
  });

  it('answers 95 of 100 reads within 2.5 seconds, whichever address hangs', async () => {
    for (const { door } of doors) {
      for (const each of doors) each.door.handler = serve;
      door.handler = HANGS;
      const lookup = open();
      const times: number[] = [];
      for (let i = 0; i < 20; i++) {
        const begun = performance.now();
        assert.equal((await lookup().fetch(7 * i, 100, options))?.length, 100);
        times.push(performance.now() - begun);
      }
      times.sort((a, b) => a - b);
      assert.ok(times[18]! < 2_500, `p95 ${times[18]}`);
      // The first read waits for the hanging address, and nobody after it.
      assert.ok(times.filter((ms) => ms > 1_000).length <= 1, times.join(' '));
    }
  });

  it('goes back to an address that hung some minutes later', async () => {
    const now = { ms: 0 };
    const lookup = open(20, now);
    first.handler = HANGS;
    assert.equal((await lookup().fetch(0, 10, options))?.length, 10);
    first.handler = serve;
    const before = first.requests;
    await lookup().fetch(0, 10, options);
    assert.equal(first.requests, before);
    now.ms += 300_001;
    await lookup().fetch(0, 10, options);
    assert.equal(first.requests, before + 1);
  });
});
