import { finished, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib';
import type { AnyReply, App } from '../server/app.ts';
import { negotiateEncoding } from './negotiate.ts';
import { addVary } from './vary.ts';

/** A shorter answer, in bytes, is sent as it is: it fits into one packet anyway. */
export const COMPRESS_FROM_BYTES = 1_000;

interface Encoding {
  whole(bytes: Buffer): Promise<Buffer>;
  /** Every chunk that goes in comes out at once, so that the first features of a long answer are not held back. */
  stream(): Transform;
}

const GZIP = { level: 4 };
/** A window of 256 KiB bounds what one answer holds in memory. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_windowLog]: 18 } };
const [gzipWhole, zstdWhole] = [promisify(gzip), promisify(zstdCompress)];

/** What an answer can be compressed with, the preferred one first. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  zstd: {
    whole: (bytes) => zstdWhole(bytes, ZSTD),
    stream: () => createZstdCompress({ ...ZSTD, flush: constants.ZSTD_e_flush }),
  },
  gzip: {
    whole: (bytes) => gzipWhole(bytes, GZIP),
    stream: () => createGzip({ ...GZIP, flush: constants.Z_SYNC_FLUSH }),
  },
};
const NAMES = Object.keys(ENCODINGS);

/** Media types that grow smaller. Events are left alone: they are short, and a proxy must not wait for more of them. */
const COMPRESSIBLE =
  /^(text\/(?!event-stream)|application\/([\w.-]+\+)?(json|xml|x-ndjson|geo\+json-seq|vnd\.mapbox-vector-tile)\b|image\/svg)/;

/**
 * Compresses answers for clients that accept it: texts from `COMPRESS_FROM_BYTES` on, and streams, whose length nobody
 * knows beforehand. What a route has compressed itself is left alone. A stream is written no faster than the client reads.
 */
export function compressAnswers(app: App): void {
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (reply.hasHeader('content-encoding') || !isCompressible(reply)) return payload;
    addVary(reply, 'accept-encoding');
    const name = negotiateEncoding(request.headers['accept-encoding'], NAMES);
    if (name === null) return payload;
    weakenTag(reply);
    const encoding = ENCODINGS[name]!;
    if (payload instanceof Readable) {
      markEncoded(reply, name);
      return through(payload, encoding.stream());
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    if (!Buffer.isBuffer(bytes) || bytes.length < COMPRESS_FROM_BYTES) return payload;
    const compressed = await encoding.whole(bytes);
    markEncoded(reply, name);
    return compressed;
  });
}

/**
 * `pipeline` would end the source with an error when the client leaves, which a generator takes for a failure of its own;
 * this ends it as the server ends an uncompressed stream.
 */
function through(source: Readable, encoder: Transform): Transform {
  finished(source, { writable: false }, (error) => {
    if (error != null) encoder.destroy(error);
  });
  encoder.once('close', () => source.destroy());
  return source.pipe(encoder);
}

/** Whether an answer is of a kind that is compressed; one without a body counts by the answer it stands for. */
function isCompressible(reply: AnyReply): boolean {
  if (reply.statusCode === 304) return true;
  return COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''));
}

function markEncoded(reply: AnyReply, encoding: string): void {
  reply.header('content-encoding', encoding);
  reply.removeHeader('content-length');
}

/** The same content in other bytes: only a weak tag may say so. */
function weakenTag(reply: AnyReply): void {
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`);
}
