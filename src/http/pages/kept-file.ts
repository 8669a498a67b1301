import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';
import { etagMatches, etagOf } from '../guards/etag.ts';

/** A file as it is sent. */
export interface KeptFile {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

interface Asset extends KeptFile {
  readonly gzipped: Buffer;
  readonly etag: string;
}

const compress = promisify(gzip);

/** Serves a file to everybody under a content security policy. It is loaded and compressed at the first request for it. */
export function serveKeptFile(app: App, url: string, policy: string, load: () => Promise<KeptFile>): void {
  let loaded: Promise<Asset> | null = null;
  app.get(url, { config: { access: 'public', produces: [] }, schema: { hide: true } }, async (request, reply) => {
    loaded ??= load()
      .then(asset)
      .catch((error: unknown) => {
        loaded = null;
        throw error;
      });
    return sendAsset(request, reply, await loaded, policy);
  });
}

async function asset({ mediaType, bytes }: KeptFile): Promise<Asset> {
  return { mediaType, bytes, gzipped: await compress(bytes, { level: 9 }), etag: etagOf(bytes) };
}

function sendAsset(request: AnyRequest, reply: AnyReply, file: Asset, policy: string): AnyReply {
  reply.headers({
    etag: file.etag,
    'cache-control': 'public, max-age=3600',
    vary: 'accept-encoding',
    'content-security-policy': policy,
  });
  if (etagMatches(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  reply.type(file.mediaType);
  const gzipAccepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''));
  if (!gzipAccepted || file.mediaType.startsWith('image/png')) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.gzipped);
}
