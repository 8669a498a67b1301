/**
 * Answers every request with the bytes of standard input and looks at nothing. Prints its address.
 * Run: node bench/peers/bare-server.ts node|fastify
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

const body = Buffer.concat(await Array.fromAsync(process.stdin as AsyncIterable<Buffer>));
const type = 'application/geo+json';
if (process.argv[2] === 'fastify') {
  const app = Fastify();
  app.get('/validate_facility', (_request, reply) => reply.type(type).send(body));
  console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
} else {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}
