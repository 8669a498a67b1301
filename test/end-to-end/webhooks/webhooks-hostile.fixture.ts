/** Receivers that misbehave, in a process of their own so that what they do costs the sender's process nothing. */
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { testCertificate } from './webhooks-receiver.ts';

type Act = (socket: TLSSocket) => void;

const DRIP_MS = 50;
const BLOCK = Buffer.alloc(65_536, 'x');
const BOMB = gzipSync(Buffer.alloc(50 * 1_048_576));
const PLAIN = 'HTTP/1.1 200 OK\r\n';

/** By the first label of the name that the sender asks for; begun when the request's first bytes are there. */
const ACTS: Readonly<Record<string, Act>> = {
  'd2-no-headers': () => {},
  'd3-slow-headers': (socket) => {
    socket.write(`${PLAIN}X-Slow: `);
    drip(socket, 'x');
  },
  'd4-slow-body': (socket) => {
    socket.write(`${PLAIN}Content-Length: 1000000\r\n\r\n`);
    drip(socket, 'x');
  },
  'd5-10-gb': (socket) => {
    socket.write(`${PLAIN}Content-Length: 10000000000\r\n\r\n`);
    flood(socket, BLOCK);
  },
  'd5-endless-chunks': (socket) => {
    socket.write(`${PLAIN}Transfer-Encoding: chunked\r\n\r\n`);
    flood(socket, Buffer.concat([Buffer.from('10000\r\n'), BLOCK, Buffer.from('\r\n')]));
  },
  'd6-gzip-bomb': (socket) => {
    socket.write(`${PLAIN}Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`);
    socket.write(BOMB);
  },
  'd7-large-headers': (socket) => void socket.write(`${PLAIN}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`),
  'd7-many-headers': (socket) => {
    const headers = Array.from({ length: 1_000 }, (_, i) => `X${i}: 1\r\n`).join('');
    socket.write(`${PLAIN}${headers}Content-Length: 0\r\n\r\n`);
  },
  'd7-endless-headers': (socket) => {
    socket.write(PLAIN);
    flood(socket, Buffer.from('X-More: 1\r\n'.repeat(100)));
  },
  'd7-bytes-in-headers': (socket) => void socket.write(Buffer.from(`${PLAIN}X-\u0001\u0000: \u0000\r\n\r\n`, 'latin1')),
  'd7-latin1-in-headers': (socket) =>
    void socket.write(Buffer.from(`${PLAIN}X-Name: caf\xe9\xff\r\nContent-Length: 0\r\n\r\n`, 'latin1')),
  'd7-folded-header': (socket) => void socket.write(`${PLAIN}X-Name: a\r\n  b\r\nContent-Length: 0\r\n\r\n`),
  'd8-continue-flood': (socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)),
  'd8-hints-flood': (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(10_000)),
  'd8-hints-then-200': (socket) =>
    void socket.write(
      `${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(3)}${PLAIN}Content-Length: 2\r\n\r\nok`,
    ),
  'd8-upgrade': (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  'd9-reset-in-body': (socket) => {
    socket.write(`${PLAIN}Content-Length: 1000\r\n\r\nhalf`);
    setTimeout(() => reset(socket), DRIP_MS);
  },
  'd9-reset': reset,
  'd9-close': (socket) => void socket.end(),
  'd9-close-in-headers': (socket) => void socket.end('HTTP/1.1 20'),
  'd10-more-than-said': (socket) => void socket.write(`${PLAIN}Content-Length: 2\r\n\r\nok and more`),
  'd10-less-than-said': (socket) => void socket.end(`${PLAIN}Content-Length: 100\r\n\r\nshort`),
  'd10-bad-chunks': (socket) => void socket.write(`${PLAIN}Transfer-Encoding: chunked\r\n\r\nzz\r\nnot hexadecimal`),
  'd10-two-lengths': (socket) => void socket.write(`${PLAIN}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`),
  'd10-length-and-chunks': (socket) =>
    void socket.write(`${PLAIN}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  'd10-http-0-9': (socket) => void socket.end('hello\n'),
  'd10-http-2': (socket) => void socket.write(Buffer.from('000000040000000000', 'hex')),
  'd10-status-of-four-digits': (socket) => void socket.write('HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'),
  'd10-no-status': (socket) => void socket.write('HTTP/1.1 OK\r\n\r\n'),
  'd11-never-reads': (socket) => void socket.pause(),
  'd12-200-before-the-body': (socket) => {
    socket.pause();
    socket.write(`${PLAIN}Content-Length: 2\r\n\r\nok`);
  },
  'd13-retry-after': (socket) =>
    void socket.write('HTTP/1.1 503 Busy\r\nRetry-After: 999999\r\nContent-Length: 0\r\n\r\n'),
  'd14-challenge': (socket) =>
    void socket.write(
      'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="x"\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n',
    ),
  'd14-proxy-challenge': (socket) =>
    void socket.write('HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'),
  'd15-bytes-in-body': (socket) => {
    const body = Buffer.from([0, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x1b, 0x5b, 0x41, 0x0a, 0x41]);
    socket.write(`HTTP/1.1 500 No\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  },
  healthy: (socket) => void socket.write(`${PLAIN}Content-Length: 2\r\n\r\nok`),
};

/** How long the longest connection was open, by name. */
const stats: Record<string, { longestMs: number }> = {};

const tls = createServer(testCertificate('valid'), (socket) => {
  const name = String(socket.servername).split('.')[0] as string;
  const stat = (stats[name] ??= { longestMs: 0 });
  const begun = performance.now();
  socket.on('error', () => {});
  socket.once('close', () => {
    stat.longestMs = Math.max(stat.longestMs, performance.now() - begun);
  });
  socket.on('data', (chunk: Buffer) => {
    // A kept connection carries several requests; the rest of a long one is no new one.
    if (chunk.toString('latin1', 0, 5) === 'POST ') ACTS[name]?.(socket);
  });
});
tls.on('tlsClientError', () => {});
const silent = createTcpServer((socket) => void socket.on('error', () => {}));

tls.listen(0, '127.0.0.1', () => {
  silent.listen(0, '127.0.0.1', () => {
    const port = (server: typeof silent): number => (server.address() as AddressInfo).port;
    process.send?.({ names: Object.keys(ACTS), tls: port(tls), silent: port(silent) });
  });
});
process.on('message', () => process.send?.(stats));

function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Writes as fast as the other side takes it, until it is gone. */
function flood(socket: Socket, block: Buffer): void {
  while (!socket.destroyed && socket.write(block));
  if (!socket.destroyed) socket.once('drain', () => flood(socket, block));
}

/** Resets the connection below TLS. */
function reset(socket: TLSSocket): void {
  (socket as unknown as { _parent?: Socket })._parent?.resetAndDestroy();
  socket.destroy();
}
