import { Type } from 'typebox';
import { Problem } from '../../errors.ts';
import type { Config } from '../../config/settings.ts';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';
import { CONSOLE_FOLDER, openConsoleFiles, type ConsoleFiles } from './console-files.ts';
import { escapeHtml, htmlPage, PAGE_CSS } from './html-page.ts';

const LINKS = [
  ['/console', 'Console'],
  ['/docs', 'Documentation'],
  ['/openapi.json', 'OpenAPI 3.1'],
  ['/limits', 'Limits'],
  ['/datasets', 'Datasets'],
] as const;

const Index = Type.Object({
  name: Type.String(),
  version: Type.String(),
  links: Type.Record(Type.String(), Type.String()),
});

interface ConsoleOptions {
  readonly version: string;
  readonly config: Pick<
    Config,
    | 'consoleTiles'
    | 'consoleTilesAttribution'
    | 'consoleTerrain'
    | 'consoleTerrainEncoding'
    | 'consoleTerrainAttribution'
  >;
  /** Default: where it is built. */
  readonly folder?: string;
}

/** The console at `/` and `/console/...`; what answers at `/` to clients that are no browsers; and what the console gets at its start. */
export function consoleRoutes({ version, config, folder = CONSOLE_FOLDER }: ConsoleOptions) {
  return async (app: App): Promise<void> => {
    const files = openConsoleFiles(folder);
    const policy = policyFor([config.consoleTiles, config.consoleTerrain]);
    const page = async (request: AnyRequest, reply: AnyReply): Promise<AnyReply> => {
      await files.refresh();
      reply.header('content-security-policy', policy);
      if (!(await files.send('index.html', request, reply)))
        void reply.type('text/html; charset=utf-8').send(unbuilt(version));
      return reply;
    };
    addIndex(app, version, page);
    addSettings(app, version, config);
    addFiles(app, files, policy, page);
  };
}

function addIndex(app: App, version: string, page: (request: AnyRequest, reply: AnyReply) => Promise<AnyReply>): void {
  const json = {
    name: 'firstmile',
    version,
    links: Object.fromEntries(LINKS.map(([href]) => [href.slice(1).split('.')[0]!, href])),
  };
  app.get(
    '/',
    {
      config: { access: 'public', produces: ['application/json', 'text/html'] },
      schema: {
        operationId: 'getIndex',
        summary: 'Name, version and links',
        description: 'JSON, or the console for browsers.',
        tags: ['service'],
        response: {
          200: {
            description: 'Where to go from here.',
            content: { 'application/json': { schema: Index }, 'text/html': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      if (request.accepted !== 'application/json') return page(request, reply);
      reply.header('cache-control', 'public, max-age=60');
      return reply.send(json);
    },
  );
}

function addSettings(
  app: App,
  version: string,
  { consoleTiles: tiles, consoleTerrain: terrain, ...config }: ConsoleOptions['config'],
): void {
  const settings = {
    version,
    tiles: tiles === null ? null : { url: tiles, attribution: config.consoleTilesAttribution ?? new URL(tiles).host },
    terrain:
      terrain === null
        ? null
        : {
            url: terrain,
            encoding: config.consoleTerrainEncoding,
            attribution: config.consoleTerrainAttribution ?? new URL(terrain).host,
          },
  };
  app.get('/console/settings.json', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(settings),
  );
}

/** Files by their names; every other address below `/console` is a view of the page, which reads it itself. */
function addFiles(
  app: App,
  files: ConsoleFiles,
  policy: string,
  page: (request: AnyRequest, reply: AnyReply) => Promise<AnyReply>,
): void {
  const config = { access: 'public', produces: [] } as const;
  // What stands in the address of a view is for the page alone.
  const schema = { hide: true, querystring: Type.Object({}, { additionalProperties: true }) };
  app.get('/console', { config, schema }, async (request, reply) => page(request, reply));
  app.get('/console/*', { config, schema }, async (request, reply) => {
    const name = (request.params as { readonly '*': string })['*'];
    reply.header('content-security-policy', policy);
    if (await files.send(name, request, reply)) return reply;
    if (/\.\w+$/.test(name)) throw new Problem('not_found', `The console has no file ${name.slice(0, 200)}.`);
    return page(request, reply);
  });
  app.get('/page.css', { config, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/css; charset=utf-8').send(PAGE_CSS),
  );
}

/** Nothing from elsewhere, except tiles where the operator names servers of them. Its workers fall under the policy of their own file. */
function policyFor(tiles: readonly (string | null)[]): string {
  const origins = new Set(tiles.flatMap((url) => (url === null ? [] : [` ${new URL(url).origin}`])));
  const origin = [...origins].join('');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${origin}`,
    `connect-src 'self'${origin}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** What is shown in place of a console that nobody has built. */
function unbuilt(version: string): string {
  const items = LINKS.slice(1)
    .map(([href, text]) => `<li><a href="${href}">${text}</a></li>`)
    .join('\n');
  return htmlPage(
    'Firstmile',
    `<h1>Firstmile ${escapeHtml(version)}</h1>
<p>The console is not built. <code>npm ci</code> builds it; <code>npm run build:console</code> builds it again. The service itself works:</p>
<ul>\n${items}\n</ul>`,
  );
}
