import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { App } from '../server/app.ts';
import { type KeptFile, serveKeptFile } from './kept-file.ts';

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
<link rel="icon" type="image/png" href="/docs/api/favicon-32x32.png">
<link rel="stylesheet" href="/docs/api/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>The reference needs JavaScript; <a href="/openapi.json">/openapi.json</a> has the same content.</noscript>
<script src="/docs/api/swagger-ui-bundle.js"></script>
<script src="/docs/api/start.js"></script>
</body>
</html>
`;

/** Swagger UI sets styles on elements and shows icons as data addresses; everything comes from this server. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The rendered reference at `/docs/api`, with every file it needs. */
export function referenceRoutes(app: App): void {
  const folder = referenceFolder();
  const text = (mediaType: string, content: string) => async (): Promise<KeptFile> => ({
    mediaType: `${mediaType}; charset=utf-8`,
    bytes: Buffer.from(content),
  });
  serveKeptFile(app, '/docs/api', POLICY, text('text/html', PAGE));
  serveKeptFile(app, '/docs/api/start.js', POLICY, text('text/javascript', START));
  for (const [name, mediaType] of Object.entries(FILES))
    serveKeptFile(app, `/docs/api/${name}`, POLICY, async () => ({
      mediaType,
      bytes: await readFile(join(folder, name)),
    }));
}

/** Of the files on any server, or none: nothing is sent anywhere, so that there is nothing to try out. */
const FILES_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'";

/** The reference as files of one folder, by their names, with the description of the service in them. */
export async function referenceFiles(openApi: string): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const policy = `<meta http-equiv="content-security-policy" content="${FILES_POLICY}">`;
  const page = PAGE.replaceAll('/docs/api/', '')
    .replace('<meta charset="utf-8">', `<meta charset="utf-8">\n${policy}`)
    .replaceAll('/openapi.json', 'openapi.json');
  // With the description in the script the page needs no server.
  const start = START.replace("url: '/openapi.json',", () => `spec: ${openApi},\n  supportedSubmitMethods: [],`);
  const files = new Map<string, string | Uint8Array>([
    ['index.html', page],
    ['start.js', start],
    ['openapi.json', openApi],
  ]);
  for (const name of Object.keys(FILES)) files.set(name, await readFile(join(referenceFolder(), name)));
  return files;
}

/** The description of the service that a package of it has; null in a checkout where none was made. */
export async function packagedOpenApi(): Promise<string | null> {
  const path = resolve(import.meta.dirname, '../../../dist/openapi.json');
  return await readFile(path, 'utf8').catch(() => null);
}

/** Where the files of the reference are: in the npm package they come from, or next to the built console in ours. */
function referenceFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  } catch {
    return resolve(import.meta.dirname, '../../../dist/swagger-ui');
  }
}
