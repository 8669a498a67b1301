/** Serves the files of a folder by ranges at `/DELAY/ANYTHING/NAME`, in a process of its own; reports the port to its parent. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const folder = process.argv[2];
const server = createServer((request, response) => {
  const [, delay, , name = ''] = (request.url ?? '').split('/');
  const path = join(folder, name);
  const { size } = statSync(path);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const isWhole = from === undefined;
  const [start, end] = isWhole ? [0, size - 1] : [Number(from), Math.min(Number(to), size - 1)];
  const head = { 'accept-ranges': 'bytes', etag: '"1"', 'content-length': end - start + 1 };
  const answer = (): void => {
    if (isWhole) response.writeHead(200, head);
    else response.writeHead(206, { ...head, 'content-range': `bytes ${start}-${end}/${size}` });
    if (request.method === 'HEAD') response.end();
    else createReadStream(path, { start, end, highWaterMark: 1 << 20 }).pipe(response);
  };
  if (delay === '0') answer();
  else setTimeout(answer, Number(delay));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
