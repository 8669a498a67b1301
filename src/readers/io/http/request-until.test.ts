import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Agent } from 'undici';
import { requestUntil } from './request-until.ts';

describe('a request that its reader leaves', () => {
  const server = createServer((_, response) => response.end('here'));
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

  it('ends at once while the connection is being made, and with the reason of its reader', async () => {
    const leave = new AbortController();
    const connecting = Promise.withResolvers<void>();
    // A connection that never comes, as where a firewall drops packets.
    const dispatcher = new Agent({ connect: () => (connecting.resolve(), new Socket()) });
    const answer = requestUntil(url, { signal: leave.signal, dispatcher });
    await connecting.promise;
    leave.abort(new Error('nobody waits for it'));
    await assert.rejects(answer, /nobody waits for it/);
    await dispatcher.destroy();
  });

  it('gives answers of one that stays, and begins none for one that has left', async () => {
    const { statusCode, body } = await requestUntil(url, { signal: AbortSignal.any([]) });
    assert.deepEqual([statusCode, await body.text()], [200, 'here']);
    await assert.rejects(requestUntil(url, { signal: AbortSignal.abort(new Error('left before')) }), /left before/);
  });
});
