import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { createLog } from '../../log.ts';
import { isConnectionLost, openPostgres } from './open-postgres.ts';

describe('openPostgres', () => {
  // Both messages in one packet: the driver says so before whoever asked for the session has it.
  it('survives a session that the server ends in the moment it begins', async () => {
    await using server = await serverThatSends([READY, [...READY, ENDED], READY]);
    const pool = await openPostgres({ url: server.url, poolSize: 2, log: createLog({ level: 'silent', json: true }) });
    const first = await pool.connect();
    const ended = await pool.connect();
    await assert.rejects(ended.query('select 1'), { code: 'dependency_unavailable' });
    ended.release();
    const next = await pool.connect();
    assert.equal(server.sessions(), 3);
    next.release();
    first.release();
    await pool.end();
  });
});

/** AuthenticationOk and ReadyForQuery, of PostgreSQL's protocol 3.0. */
const READY = [message('R', [0, 0, 0, 0]), message('Z', [...Buffer.from('I')])];
const ENDED = message('E', [
  ...Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
]);

function message(type: string, body: readonly number[]): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

interface FakeServer extends AsyncDisposable {
  readonly url: string;
  sessions(): number;
}

/** Answers the start of each session with the messages meant for it, in one packet. */
async function serverThatSends(starts: readonly (readonly Buffer[])[]): Promise<FakeServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const start = starts[sockets.push(socket) - 1] ?? [];
    socket.on('error', () => {});
    socket.once('data', () => socket.write(Buffer.concat(start)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://tester@127.0.0.1:${port}/tested`,
    sessions: () => sockets.length,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const withCode = (code: string, message = 'text') => Object.assign(new Error(message), { code });

describe('isConnectionLost', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '53300', '08006'])
    it(`is true for ${code}`, () => assert.equal(isConnectionLost(withCode(code)), true));

  it('is true for what the driver says without a code', () => {
    assert.equal(isConnectionLost(new Error('Connection terminated unexpectedly')), true);
    assert.equal(isConnectionLost(new Error('Query read timeout')), true);
  });

  for (const code of ['23505', '42601', '40001', '57014'])
    it(`is false for ${code}, a statement the server refused`, () =>
      assert.equal(isConnectionLost(withCode(code)), false));

  it('is false for what is not an error', () => assert.equal(isConnectionLost('ECONNREFUSED'), false));
});
