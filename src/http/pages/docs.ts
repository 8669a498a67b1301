import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';
import { etagMatches, etagOf } from '../guards/etag.ts';

interface Asset {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

/** The files of the reference, by the name they are served under: nothing else can be requested. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Firstmile reference</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; <a href="/openapi.json">/openapi.json</a> has the same content.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Swagger UI sets styles on elements and shows icons as data addresses; everything comes from this server. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const compress = promisify(gzip);

/** The rendered reference at `/docs`, with every file it needs. Files are read and compressed at the first request for them. */
export function docsRoutes(app: App): void {
  const folder = referenceFolder();
  const config = { access: 'public', produces: [] } as const;
  const schema = { hide: true } as const;
  serve('/docs', () => asset('text/html; charset=utf-8', Buffer.from(PAGE)));
  serve('/docs/start.js', () => asset('text/javascript; charset=utf-8', Buffer.from(START)));
  for (const [name, mediaType] of Object.entries(FILES))
    serve(`/docs/${name}`, async () => asset(mediaType, await readFile(join(folder, name))));

  function serve(url: string, load: () => Promise<Asset>): void {
    let loaded: Promise<Asset> | null = null;
    app.get(url, { config, schema }, async (request, reply) => {
      loaded ??= load().catch((error: unknown) => {
        loaded = null;
        throw error;
      });
      return sendAsset(request, reply, await loaded);
    });
  }
}

/** Where the files of the reference are: in the npm package they come from, or next to the built console in ours. */
function referenceFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  } catch {
    return resolve(import.meta.dirname, '../../../dist/swagger-ui');
  }
}

async function asset(mediaType: string, bytes: Buffer): Promise<Asset> {
  return { mediaType, bytes, gzipped: await compress(bytes, { level: 9 }), etag: etagOf(bytes) };
}

function sendAsset(request: AnyRequest, reply: AnyReply, file: Asset): AnyReply {
  reply.headers({
    etag: file.etag,
    'cache-control': 'public, max-age=3600',
    vary: 'accept-encoding',
    'content-security-policy': POLICY,
  });
  if (etagMatches(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  reply.type(file.mediaType);
  const gzipAccepted = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(request.headers['accept-encoding'] ?? ''));
  if (!gzipAccepted || file.mediaType.startsWith('image/')) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(file.gzipped);
}
