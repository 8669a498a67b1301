import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import type { App } from '../server/app.ts';
import { sendBytes } from '../server/send-features.ts';
import type { Metrics } from '../routes/service/metrics.ts';
import { observeRequests } from './observe-requests.ts';

describe('the record of a request', () => {
  let app: FastifyInstance;
  let port = 0;
  let onEnd: (status: number) => void = () => undefined;
  before(async () => {
    app = fastify({ forceCloseConnections: true });
    const metrics = { begin: () => undefined, end: (_: string, __: string, status: number) => onEnd(status) };
    observeRequests(app as unknown as App, metrics as unknown as Metrics, null);
    app.get('/:kind', (request, reply) =>
      sendBytes(reply, chunks((request.params as { kind: string }).kind), 'application/zip'),
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    port = (app.server.address() as AddressInfo).port;
  });
  after(() => app.close());

  async function* chunks(kind: string): AsyncGenerator<Uint8Array, void> {
    yield Buffer.alloc(100_000);
    if (kind === 'broken') throw new Error('the disk failed');
    if (kind === 'whole') return;
    for (;;) {
      await new Promise(setImmediate);
      yield Buffer.alloc(100_000);
    }
  }

  const statusOf = (): Promise<number> => new Promise((done) => (onEnd = done));

  it('has the status of an answer that is complete', async () => {
    const status = statusOf();
    assert.equal((await (await fetch(`http://127.0.0.1:${port}/whole`)).arrayBuffer()).byteLength, 100_000);
    assert.equal(await status, 200);
  });

  it('says that the service failed when an answer broke off here, which no client did', async () => {
    const status = statusOf();
    await assert.rejects(fetch(`http://127.0.0.1:${port}/broken`).then((answer) => answer.arrayBuffer()));
    assert.equal(await status, 500);
  });

  it('says that the client left when it did', async () => {
    const status = statusOf();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    assert.equal(await status, 499);
  });
});
