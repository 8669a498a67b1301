/**
 * Bodies of 4 MB from a server on this machine into memory that decoding threads see: as blocks are read, as they were read before
 * (a copy of each piece awaited one by one, then another one), and from a raw socket. Seven rounds in turn.
 * Run: node bench/body-reads.ts
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { createHostGates } from '../src/readers/io/concurrency.ts';
import { remoteSource } from '../src/readers/io/remote.ts';
import { saveResult } from './results.ts';
import { Costs, costOf, ms, ROUNDS } from './rounds.ts';

const BYTES = 4_194_304;
/** At the same time, as the blocks of a window are. */
const AT_ONCE = 4;
const TURNS = 4;
const MB = (BYTES * AT_ONCE * TURNS) / 1e6;
const folder = mkdtempSync(join(tmpdir(), 'bench-bodies-'));
writeFileSync(join(folder, 'bytes.bin'), randomBytes(BYTES * AT_ONCE * TURNS));
const server = fork(join(import.meta.dirname, 'window-reads-server.ts'), [folder]);
const port = await new Promise<number>((done) => server.once('message', (message) => done(message as number)));
const url = `http://127.0.0.1:${port}/0/body/bytes.bin`;
const signal = new AbortController().signal;
const source = remoteSource(url, { gateOf: createHostGates(32), cache: null });
const agent = new Agent();
const memories = Array.from({ length: AT_ONCE }, () => new Uint8Array(new SharedArrayBuffer(BYTES)));

type ReadRange = (offset: number, into: Uint8Array) => Promise<void>;

const readers: Readonly<Record<string, ReadRange>> = {
  async ours(offset, into) {
    const bytes = await source.fetch(offset, BYTES, { signal, into });
    if (bytes?.buffer !== into.buffer) throw new Error('the bytes are elsewhere');
  },
  async before(offset, into) {
    const headers = { range: `bytes=${offset}-${offset + BYTES - 1}` };
    const { body } = await request(url, { dispatcher: agent, headers });
    const whole = Buffer.allocUnsafeSlow(BYTES);
    let at = 0;
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    into.set(whole);
  },
  socket: (offset, into) =>
    new Promise((done, fail) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        onread: { buffer: Buffer.alloc(65_536), callback: (count, buffer) => take(buffer.subarray(0, count)) },
      });
      let head = '';
      let at = -1;
      function take(bytes: Uint8Array): boolean {
        let body = bytes;
        if (at < 0) {
          const before = head.length;
          head += Buffer.from(bytes).toString('latin1');
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return true;
          at = 0;
          body = bytes.subarray(end + 4 - before);
        }
        into.set(body, at);
        at += body.length;
        if (at === BYTES) socket.destroy();
        return true;
      }
      socket.on('error', fail);
      socket.on('close', () => (at === BYTES ? done() : fail(new Error(`${at} bytes came`))));
      const path = new URL(url).pathname;
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nrange: bytes=${offset}-${offset + BYTES - 1}\r\n\r\n`,
      );
    }),
};

try {
  const costs = new Costs();
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    for (const [name, read] of Object.entries(readers)) {
      const [cost] = await costOf(async () => {
        for (let turn = 0; turn < TURNS; turn++)
          await Promise.all(memories.map((into, i) => read((turn * AT_ONCE + i) * BYTES, into)));
      });
      costs.add(name, cost);
    }
  }
  const [own, floor] = [costs.median('ours', MB), costs.median('socket', MB)];
  const row = {
    what: `bodies of 4 MB through HTTP into memory that decoding threads see, ${AT_ONCE} at the same time`,
    ours: `${ms(own.cpuMs)} ms of processor a MB, ${ms(own.ms)} on the clock`,
    peers: [
      { name: 'as before: pieces awaited one by one, copied twice, in fresh memory', ...costs.ratio('before', 'ours') },
      { name: 'a raw socket with one buffer, without HTTP client', strongest: true, ...costs.ratio('socket', 'ours') },
    ],
    limit: `the raw socket, ${ms(floor.cpuMs)} ms of processor a MB; ours is ${(own.cpuMs / floor.cpuMs).toFixed(1)} times that`,
  };
  console.log(JSON.stringify(row));
  saveResult('body-reads', [row]);
} finally {
  server.disconnect();
  await agent.close();
  rmSync(folder, { recursive: true });
}
process.exit();
